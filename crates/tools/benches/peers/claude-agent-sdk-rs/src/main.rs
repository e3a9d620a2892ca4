//! A client of the bench CLI on the crate claude-agent-sdk-rs.
//!
//! Environment variables select the workload, and the result is a line of JSON on stdout: see `docs/performance.md`.

use std::{
    collections::{BTreeMap, HashMap},
    env, fs,
    sync::Arc,
    time::{Duration, Instant},
};

use claude_agent_sdk_rs::{
    ClaudeAgentOptions, ClaudeClient, HookContext, HookInput, HookJsonOutput, HookSpecificOutput, Hooks,
    McpServerConfig, McpServers, McpToolResultContent, Message, PermissionResult, PermissionResultAllow,
    PermissionResultDeny, PreToolUseHookSpecificOutput, SyncHookJsonOutput, ToolResult, create_sdk_mcp_server, tool,
};
use futures::StreamExt as _;
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let sessions: usize = env::var("AGENTWIRE_BENCH_SESSIONS")?.parse()?;
    let (mut cpu, mut first, mut kinds) = (0.0, Vec::new(), BTreeMap::new());
    for _ in 0..sessions {
        // Only the last session counts, as in the bench CLI.
        kinds.clear();
        cpu += session(&mut first, &mut kinds).await?;
    }
    let messages: u64 = kinds.iter().filter(|(kind, _)| **kind != UNREAD).map(|(_, count)| count).sum();
    println!(
        "{}",
        json!({"messages": messages, "kinds": kinds, "cpu": cpu, "first": first, "memory": memory()?})
    );
    Ok(())
}

async fn session(first: &mut Vec<f64>, kinds: &mut BTreeMap<&'static str, u64>) -> anyhow::Result<f64> {
    let prompts: usize = env::var("AGENTWIRE_BENCH_PROMPTS")?.parse()?;
    let stall_at: u64 = env::var("AGENTWIRE_BENCH_STALL_AT").map_or(Ok(0), |at| at.parse())?;
    let started = Instant::now();
    let mut client = ClaudeClient::new(options()?);
    client.connect().await?;
    let before = cpu_time()?;
    let mut messages = 0;
    for _ in 0..prompts {
        client.query("Go.").await?;
        let mut response = client.receive_response();
        while let Some(message) = response.next().await {
            if messages == 0 {
                first.push(started.elapsed().as_secs_f64());
            }
            messages += 1;
            let kind = match &message {
                Ok(Message::Assistant(_)) => "assistant",
                Ok(Message::Result(_)) => "result",
                Ok(Message::StreamEvent(_)) => "stream_event",
                Ok(Message::User(_)) => "user",
                Ok(_) => "other",
                Err(_) => UNREAD,
            };
            *kinds.entry(kind).or_default() += 1;
            if messages == stall_at {
                let stall = Duration::from_secs_f64(env::var("AGENTWIRE_BENCH_STALL")?.parse()?);
                let _: Result<(), _> = tokio::time::timeout(stall, std::future::pending()).await;
            }
        }
    }
    let used = cpu_time()? - before;
    client.disconnect().await?;
    Ok(used)
}

fn options() -> anyhow::Result<ClaudeAgentOptions> {
    let mut options = ClaudeAgentOptions::builder()
        .cli_path(env::var("AGENTWIRE_BENCH_CLI")?)
        .include_partial_messages(true)
        .build();
    options.max_buffer_size = Some(env::var("AGENTWIRE_BENCH_MAX_LINE")?.parse()?);
    if !["hook", "permission", "mcp"].contains(&&*env::var("AGENTWIRE_BENCH_WORKLOAD")?) {
        return Ok(options);
    }
    let mut hooks = Hooks::new();
    hooks.add_pre_tool_use_with_matcher("Bash", hook);
    options.hooks = Some(hooks.build());
    let read = tool!(
        "read",
        "Reads a row.",
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}),
        |arguments: Value| async move {
            let text = format!("row {}", arguments["n"]);
            Ok(ToolResult { content: vec![McpToolResultContent::Text { text }], is_error: false })
        }
    );
    let shelf = McpServerConfig::Sdk(create_sdk_mcp_server("shelf", "1.0.0", vec![read]));
    options.mcp_servers = McpServers::Dict(HashMap::from([("shelf".to_owned(), shelf)]));
    options.can_use_tool = Some(Arc::new(|_, input: Value, _| {
        Box::pin(async move {
            if input["command"].as_str().is_some_and(|command| command.starts_with("echo ")) {
                return PermissionResult::Allow(PermissionResultAllow {
                    updated_input: Some(input),
                    ..PermissionResultAllow::default()
                });
            }
            PermissionResult::Deny(PermissionResultDeny { message: "only echo".to_owned(), interrupt: false })
        })
    }));
    Ok(options)
}

async fn hook(input: HookInput, _: Option<String>, _: HookContext) -> HookJsonOutput {
    let mut output = PreToolUseHookSpecificOutput::default();
    if let HookInput::PreToolUse(input) = input {
        output.permission_decision = Some("allow".to_owned());
        output.permission_decision_reason = input.tool_input["command"].as_str().map(str::to_owned);
    }
    HookJsonOutput::Sync(SyncHookJsonOutput {
        hook_specific_output: Some(HookSpecificOutput::PreToolUse(output)),
        ..SyncHookJsonOutput::default()
    })
}

/// Returns the CPU time of this process, in seconds; the kernel's resolution is 10 ms.
fn cpu_time() -> anyhow::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = rest.split_whitespace().skip(11).take(2).map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / 100.0)
}

/// Returns the peak memory of this process in bytes.
fn memory() -> anyhow::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    Ok(line.trim().trim_end_matches(" kB").trim().parse::<u64>()? << 10)
}

/// The kind that counts lines of a type unknown to the SDK.
const UNREAD: &str = "error";
