//! Limits and defaults in the guides: each phrase beside the line of code that sets the number.

use super::super::Finding;
use super::super::sources::Source;
use super::finding;

/// A change of the code without the guide, or of the guide without the code, breaks the row.
#[rustfmt::skip] // One number a line: the guide and its words, the file and its code.
const NUMBERS: &[[&str; 4]] = &[
    ["docs/errors.md", "(60 seconds, `Config::call_limit`", "crates/control/src/driver/config.rs", "call_limit: Duration::from_secs(60),"],
    ["docs/durable.md", "silent for 15 minutes before", "crates/addons/worker/src/session_task/messages.rs", "const IDLE_LIMIT: Duration = Duration::from_secs(900);"],
    ["docs/hook-failures.md", "`SessionEnd` has at most 1.5 s", "crates/protocol/src/hook/session.rs", "within 1_500 ms"],
    ["docs/hosting.md", "two grace periods together (15 seconds by default)", "crates/agentwire/src/session/start.rs", "unwrap_or((10 * second, 5 * second))"],
    ["docs/hosting.md", "10 seconds more (`sessionStoreFlushTimeoutMs`)", "crates/agentwire/src/mirror/options.rs", "const FLUSH_LIMIT: Duration = Duration::from_secs(10);"],
    ["docs/hosting.md", "| a call | 60 s |", "crates/control/src/driver/config.rs", "call_limit: Duration::from_secs(60),"],
    ["docs/hosting.md", "| opening the transport; the handshake | 2 min each |", "crates/agentwire/src/session/handshake.rs", "const HANDSHAKE_LIMIT: Duration = Duration::from_secs(120);"],
    ["docs/hosting.md", "| a query after a result | 10 min,", "crates/agentwire/src/session/background.rs", "const LIMIT: Duration = Duration::from_secs(600);"],
    ["docs/hosting.md", "| closing | 10 s to SIGTERM, 5 s more to SIGKILL |", "crates/agentwire/src/session/start.rs", "unwrap_or((10 * second, 5 * second))"],
    ["docs/hosting.md", "| the CLI after the host is killed | 2 s;", "crates/transport/src/process/grace.rs", "orphaned: Duration::from_secs(2),"],
    ["docs/hosting.md", "the limit of the event, 600 s for most", "crates/protocol/src/hook/declare.rs", "(@limit) => { std::time::Duration::from_secs(600) };"],
    ["docs/hosting.md", "| a line of the CLI | 64 MiB |", "crates/codec/src/limits.rs", "max_line: 64 << 20"],
    ["docs/hosting.md", "| unread messages | 256 KiB;", "crates/control/src/driver/config.rs", "unread_soft_limit: 256 << 10,"],
    ["docs/hosting.md", "; 64 MiB with callbacks or an open call |", "crates/control/src/driver/config.rs", "unread_hard_limit: 64 << 20,"],
    ["docs/hosting.md", "past 64 MiB calls fail", "crates/control/src/driver/config.rs", "unread_hard_limit: 64 << 20,"],
    ["docs/hosting.md", "which `ask` keeps | 64 MiB |", "crates/control/src/driver/config.rs", "unread_hard_limit: 64 << 20,"],
    ["docs/hosting.md", "| prompts that wait to be written | 1 MiB |", "crates/control/src/driver/config.rs", "write_buffer_limit: 1 << 20,"],
    ["docs/hosting.md", "| the end of stderr | 16 KiB |", "crates/transport/src/process.rs", "const STDERR_TAIL: usize = 16 * 1024;"],
    ["docs/hosting.md", "| observations | 1,024,", "crates/agentwire/src/observe/stream.rs", "const MAX_OBSERVATIONS: usize = 1024;"],
    ["docs/hosting.md", "1,024, or 16 MiB of contents |", "crates/agentwire/src/observe/stream.rs", "const MAX_BYTES: usize = 16 << 20;"],
    ["docs/hosting.md", "| entries for a session store | 64 MiB |", "crates/agentwire/src/mirror/options.rs", "const MAX_PENDING: usize = 64 << 20;"],
    ["docs/hosting.md", "| requests at an in-process MCP server | 1,024 |", "crates/mcp/src/bridge/in_flight.rs", "const MAX_IN_FLIGHT: usize = 1024;"],
    ["docs/hosting.md", "| 64 queued, 64 written", "crates/mcp/src/bridge/slot.rs", "const MAX_OUTBOX: usize = 64;"],
    ["docs/hosting.md", "64 written and not acknowledged |", "crates/mcp/src/bridge/forward.rs", "const MAX_UNACKNOWLEDGED: usize = 64;"],
    ["docs/hosting.md", "| prompts whose state is known | 4,096 |", "crates/control/src/router/turns.rs", "const MAX_PROMPTS: usize = 4096;"],
    ["docs/hub-configuration.md", "after 500 ms of quiet (`HubBuilder::debounce`)", "crates/apps/hub-config/src/watch.rs", "quiet: Duration::from_millis(500),"],
    ["docs/hub-configuration.md", "no longer than 5 seconds; the hub goes on", "crates/apps/hub-config/src/watch.rs", "const PATIENCE: Duration = Duration::from_secs(5);"],
    ["docs/hub-configuration.md", "can't be read within 2 seconds (`ProblemKind::Unresponsive`)", "crates/apps/hub-config/src/reading.rs", "const LIMIT: Duration = Duration::from_secs(2);"],
    ["docs/hub-configuration.md", "seconds that a call may take since its start or its last progress, 1 to 3600; 60 by default", "crates/apps/hub-config/src/server.rs", " timeout: Duration::from_secs(60),"],
    ["docs/hub-configuration.md", "seconds that a call may take since its start or its last progress, 1 to 3600;", "crates/apps/hub-config/src/edit.rs", "const MAX_TIMEOUT: Duration = Duration::from_secs(3600);"],
    ["docs/hub-gateway.md", "`agentwire hub serve` may have 16 MiB.", "crates/cli/src/hub/input.rs", "const LONGEST: usize = 16 << 20;"],
    ["docs/hub-gateway.md", "a request of at most 64 MiB gets", "crates/cli/src/hub/input.rs", "const LONGEST_READ: usize = 64 << 20;"],
    ["docs/hub-gateway.md", "more than 64 steps of a call's progress behind", "crates/apps/hub/src/hub/gateway/run.rs", "const UNSENT: usize = 64;"],
    ["docs/hub.md", "or not within 5 seconds, gets `initialize`", "crates/apps/hub/src/connection/open.rs", "const PROBE: Duration = Duration::from_secs(5);"],
    ["docs/hub.md", "the check takes longer than 0.9 seconds", "crates/apps/hub/src/catalog/schema.rs", "const TIME_LIMIT: Duration = Duration::from_millis(900);"],
    ["docs/mcp.md", "All servers together have 250 ms; `McpServers::manifest_limit`", "crates/mcp/src/registry.rs", "const MANIFEST_LIMIT: Duration = Duration::from_millis(250);"],
    ["docs/mcp.md", "the handler is dropped 5 seconds later", "crates/mcp/src/server/running.rs", "const GRACE: Duration = Duration::from_secs(5);"],
    ["docs/observing.md", "It holds 1,024 observations", "crates/agentwire/src/observe/stream.rs", "const MAX_OBSERVATIONS: usize = 1024;"],
    ["docs/observing.md", "and 16 MiB of contents", "crates/agentwire/src/observe/stream.rs", "const MAX_BYTES: usize = 16 << 20;"],
    ["docs/observing.md", "(16 KiB of each at most)", "crates/agentwire/src/observe/span.rs", "const MAX_CONTENT: usize = 16 << 10;"],
    ["docs/options-table.md", "`maxBufferSize` | number of bytes | 64 MiB", "crates/codec/src/limits.rs", "max_line: 64 << 20"],
    ["docs/options-differences.md", "A schema of more than 8 KiB", "crates/agentwire/src/options/launch_plan.rs", "const MAX_ARGUMENT: usize = 8 * 1024;"],
    ["docs/options-table.md", "`sessionStoreMaxPendingBytes` | number of bytes | 64 MiB", "crates/agentwire/src/mirror/options.rs", "const MAX_PENDING: usize = 64 << 20;"],
    ["docs/internals/processes.md", "`process::Grace` of a bare transport: 5 s and", "crates/transport/src/process/grace.rs", "after_input: Duration::from_secs(5),"],
    ["docs/internals/processes.md", "of a bare transport: 5 s and 3 s)", "crates/transport/src/process/grace.rs", "after_terminate: Duration::from_secs(3),"],
    ["docs/internals/processes.md", "has 1 s for each step", "crates/agentwire/src/session/task.rs", "const UNUSED: Duration = Duration::from_secs(1);"],
    ["docs/internals/processes.md", "gives 2 s after the end of input (`SessionBuilder::orphan_grace`)", "crates/transport/src/process/grace.rs", "orphaned: Duration::from_secs(2),"],
    ["docs/troubleshooting.md", "(the CLI's, 600 s for most events;", "crates/protocol/src/hook/declare.rs", "(@limit) => { std::time::Duration::from_secs(600) };"],
    ["docs/sessions.md", "past 500 entries or", "crates/agentwire/src/mirror/batch.rs", "const MAX_ENTRIES: usize = 500;"],
    ["docs/sessions.md", "entries or 1 MiB of a turn", "crates/agentwire/src/mirror/batch.rs", "const MAX_BYTES: usize = 1 << 20;"],
    ["crates/apps/chat/README.md", "They have 30 seconds to start", "crates/apps/chat/src/bin/agentwire-chat/main.rs", "const START: Duration = Duration::from_secs(30);"],
    ["crates/apps/fetch-mcp/README.md", "(5 MiB, counted after decompression)", "crates/apps/fetch-mcp/src/options.rs", "max_bytes: 5 * 1024 * 1024,"],
    ["crates/apps/fetch-mcp/README.md", "`--time-limit` (30 s)", "crates/apps/fetch-mcp/src/options.rs", "time_limit: Duration::from_secs(30),"],
    ["crates/mcp/README.md", "its handler is dropped after 5 seconds", "crates/mcp/src/server/running.rs", "const GRACE: Duration = Duration::from_secs(5);"],
];

pub(super) fn findings(sources: &[Source]) -> Vec<Finding> {
    let has = |path: &str, text: &str| {
        sources.iter().any(|source| source.path == path && source.text.contains(text))
    };
    let mut findings = Vec::new();
    for [guide, phrase, file, code] in NUMBERS {
        if has(guide, phrase) && has(file, code) {
            continue;
        }
        let what =
            format!("the guide's `{phrase}` and `{code}` of {file} are not both there: say the same in both");
        findings.push(finding(guide, 0, what));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::super::sources::Source;
    use super::{NUMBERS, findings};

    #[test]
    fn number_that_differs_is_found() {
        let [guide, phrase, file, code] = NUMBERS[0];
        let found = |phrase: &str, code: &str| {
            let sources = [Source::new(guide, phrase), Source::new(file, code)];
            findings(&sources).iter().filter(|finding| finding.what.contains(NUMBERS[0][1])).count()
        };
        assert_eq!(found(phrase, code), 0);
        assert_eq!(found(&phrase.replace("60", "30"), code), 1);
        assert_eq!(found(phrase, &code.replace("60", "30")), 1);
    }
}
