//! Limits on what the hub costs, as ratios within one run: `cargo xtask hub-marks`.
//!
//! Fifty servers start as fast as the slowest of them, none of ten thousand calls is lost, and a call takes little longer
//! than a call by `rmcp` alone.
//! The servers are child processes of this program, started with a flag.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program that measures, and fails loudly")]

use std::{
    env,
    process::{ExitCode, Stdio as Pipe},
    time::{Duration, Instant},
};

use agentwire_hub::{
    Approval, CallRequest, Hub, ServerState,
    config::{ServerConfig, Sources, Stdio},
};
use agentwire_testkit::fault_mcp;
use rmcp::{
    ServiceExt as _,
    model::{CallToolRequestParams, ContentBlock},
};
use serde_json::json;
use tokio::task::JoinSet;

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1).peekable();
    if arguments.next_if(|first| first == fault_mcp::FLAG).is_some() {
        return fault_mcp::run(arguments);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    if runtime.block_on(async { many().await && one().await }) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Returns whether fifty servers start as fast as the slowest of them, and lose no call.
async fn many() -> bool {
    let (hub, alone) = started(1).await;
    hub.close().await;
    let (hub, together) = started(SERVERS).await;
    let is_kept = tell(&format!("{SERVERS} servers, of the slowest alone"), together, alone, 1.5);
    let began = Instant::now();
    let mut calls = JoinSet::new();
    for number in 0..CALLS {
        let hub = hub.clone();
        calls.spawn(async move {
            let text = format!("call {number}");
            let request = CallRequest::new(name(number % SERVERS), "echo").arguments(json!({"text": text}));
            let outcome = hub.call(request).await;
            outcome.is_ok_and(|outcome| first_text(&outcome.content) == Some(&text))
        });
    }
    let answered = calls.join_all().await.into_iter().filter(|is_right| *is_right).count();
    println!("{CALLS} calls over {SERVERS} servers: {answered} answered rightly, {:?}", began.elapsed());
    hub.close().await;
    is_kept && answered == CALLS
}

/// Returns whether a call takes little longer than without the hub.
async fn one() -> bool {
    let (hub, _) = started(1).await;
    let mut child = tokio::process::Command::new(env::current_exe().unwrap())
        .arg(fault_mcp::FLAG)
        .stdin(Pipe::piped())
        .stdout(Pipe::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let pipes = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let bare = ().serve(pipes).await.unwrap();
    let (mut by_hub, mut by_rmcp) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let began = Instant::now();
        for _ in 0..ROUND {
            let request = CallRequest::new(name(0), "echo").arguments(json!({"text": "hello"}));
            assert_eq!(first_text(&hub.call(request).await.unwrap().content), Some("hello"));
        }
        by_hub.push(began.elapsed());
        let began = Instant::now();
        for _ in 0..ROUND {
            let arguments = json!({"text": "hello"}).as_object().cloned().unwrap();
            let request = CallToolRequestParams::new("echo").with_arguments(arguments);
            assert_eq!(first_text(&bare.call_tool(request).await.unwrap().content), Some("hello"));
        }
        by_rmcp.push(began.elapsed());
    }
    hub.close().await;
    drop(bare.cancel().await);
    tell(&format!("{ROUND} calls, of rmcp alone"), median(by_hub), median(by_rmcp), 1.3)
}

/// Starts a hub with this number of servers. Returns it with the time until all were connected.
///
/// The first server takes two seconds to start, and each further one less.
async fn started(servers: usize) -> (Hub, Duration) {
    let program = env::current_exe().unwrap();
    let sources = (0..servers).fold(Sources::new(), |sources, number| {
        let mut stdio = Stdio::new(program.to_str().unwrap());
        let wait = SLOWEST.as_millis() * (servers - number) as u128 / servers as u128;
        stdio.args = vec![fault_mcp::FLAG.to_owned(), format!("--fault-slow-start={wait}")];
        sources.server(name(number), ServerConfig::new(stdio))
    });
    let began = Instant::now();
    let hub = Hub::builder().sources(sources).approval(Approval::allowed()).build();
    assert!(hub.wait_until_ready(Duration::from_secs(60)).await);
    let took = began.elapsed();
    for server in hub.snapshot() {
        assert!(matches!(server.state, ServerState::Connected { .. }), "{:?}", server.state);
    }
    (hub, took)
}

/// Prints a ratio, and returns whether it is within its limit.
fn tell(what: &str, ours: Duration, theirs: Duration, mark: f64) -> bool {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let is_kept = ratio <= mark;
    let verdict = if is_kept { "kept" } else { "MISSED" };
    println!("{what}: {ours:?} / {theirs:?} = {ratio:.2} (mark {mark}: {verdict})");
    is_kept
}

fn name(number: usize) -> String {
    format!("server{number}")
}

fn first_text(content: &[ContentBlock]) -> Option<&str> {
    Some(&content.first()?.as_text()?.text)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

const SERVERS: usize = 50;
const CALLS: usize = 10_000;
const SLOWEST: Duration = Duration::from_secs(2);
const ROUNDS: usize = 15;
const ROUND: usize = 200;
