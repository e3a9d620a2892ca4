//! docs/options.md, from the table of the facade.

use std::fmt::Write as _;

use agentwire::{OptionInfo, Options, OptionOrigin};

/// The whole page.
pub(super) fn page() -> String {
    let mut page = String::from(HEAD);
    table(&mut page, OptionOrigin::Reference, "Of the reference SDKs");
    table(&mut page, OptionOrigin::Python, "Of the Python SDK alone");
    table(&mut page, OptionOrigin::Own, "Of this crate alone");
    page.push_str(CODE);
    page.push_str(DIFFERENCES);
    for option in Options::described().iter().filter(|option| !option.differs.is_empty()) {
        line(&mut page, &[&format!("`{}`", option.name), option.differs]);
    }
    page.push_str(TAIL);
    page
}

fn table(page: &mut String, origin: OptionOrigin, title: &str) {
    let options: Vec<&OptionInfo> =
        Options::described().iter().filter(|option| option.origin == origin).collect();
    let _ = write!(page, "\n## {title}\n\n{} options.\n\n", options.len());
    page.push_str("| option | type | default | becomes | known to CLI |\n|---|---|---|---|---|\n");
    for option in options {
        line(
            page,
            &[&format!("`{}`", option.name), option.kind, option.default, option.becomes, option.since],
        );
    }
}

fn line(page: &mut String, cells: &[&str]) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(page, "| {} |", cells.join(" | "));
}

const HEAD: &str = "\
# Options

Made by `cargo xtask docs` from the table in crates/agentwire/src/options/table.rs; do not edit it by hand.

`Options` is plain data: its names in JSON are those below, and an unknown one is an error that says what may have been meant.
In Rust the fields have the same names with underscores, and each has a method of its name; `continue` is `continue_last`.
`cargo xtask wire OPTIONS.json` prints what a file of options becomes.

With no option set, the CLI gets an **empty system prompt**, as with the reference SDKs: `SystemPrompt::PRESET`, or `{\"type\": \"preset\", \"preset\": \"claude_code\"}`, is the CLI's own.

\"Known to CLI\" is the oldest version that was tried and heeds the option: 2.1.197 or 2.1.330, the two that the tests run, or a version that the reference names.
\"any\" is what this crate does itself.
";

const CODE: &str = "
## Code, and so no options

What the reference takes among its options and is no data goes to the `SessionBuilder`, or is a method of the session.

| option of the reference | here |
|---|---|
| `abortController` | drop the future, the `Turn` or the `Session`; `interrupt` ends a turn, `close` a session |
| `canUseTool` | `SessionBuilder::permissions` |
| `hooks` | `SessionBuilder::hooks` |
| `onElicitation` | `SessionBuilder::elicitation` |
| `onUserDialog` | `SessionBuilder::dialogs` |
| `mcpServers` of type `sdk` | `SessionBuilder::mcp_servers` |
| `sessionStore` | `SessionBuilder::session_store`, with the feature `sessions`; `SessionBuilder::session_mirror` gives what is stored as messages |
| `spawnClaudeCodeProcess` | `SessionBuilder::transport`, with `SessionBuilder::launch` for what would be started |
| `stderr` | `SessionBuilder::on_stderr` |
";

const DIFFERENCES: &str = "
## Where ours differs, and why

Flags are always written as `--flag=value`, so that no value can be taken for a flag.
What the CLI refuses at its start is an error before anything is started, which names the option; what has no effect gives a warning (`LaunchPlan::warnings`, `Session::warnings`), and nothing is ever printed.

| option | difference |
|---|---|
";

const TAIL: &str = "
## What every session gets

- `CLAUDECODE` and `CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP` are not inherited: a session is no part of another one that this program may run in.
- `CLAUDE_CODE_ENTRYPOINT` is `sdk-cli`.
  The CLI refuses no name, and knows `sdk-ts`, `sdk-py` and `sdk-cli` as those of SDKs; with another it does not take its host for one.
- `CLAUDE_AGENT_SDK_VERSION` is this crate's version.
- `CLAUDE_CODE_SDK_READS_SESSION_STATE` is `1`: the CLI says when it works and when it waits.
- Variables of `env` count before all of these.

## Files that only the CLI may read

Settings and MCP servers with anything that may be secret are written to a file with mode 0600, in a directory with mode 0700, in `XDG_RUNTIME_DIR` or else in the system's directory of temporary files.
It is there before the CLI starts, and gone when the session is closed or dropped.
Where this program is killed, it stays.
";
