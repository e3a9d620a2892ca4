//! The bench CLI: plays the CLI's side of a session over stdin and stdout, checks every answer, and holds the watch.

use std::{
    env,
    error::Error,
    fs::{self, File},
    io::{self, Read, Write},
    os::fd::AsFd,
    time::{Duration, Instant},
};

use memchr::memmem;

use super::{
    lines::Lines,
    report::{Phase, Report},
    workload::{Workload, number_of},
};

/// Plays one session: the handshake where the client wants one, and the requests once the client has sent a prompt.
///
/// The environment says which ([`WORKLOAD`]), and where the report goes ([`REPORT`]).
///
/// # Errors
///
/// When an answer is wrong, or the client ends too early.
pub fn play() -> Result<(), Box<dyn Error>> {
    let name = env::var(WORKLOAD)?;
    let workload = Workload::named(&name).ok_or_else(|| format!("there is no workload `{name}`"))?;
    let mut wire = Wire::open()?;
    wire.wait_for_prompt()?;
    let mut next = 0;
    if workload == Workload::Mcp {
        next = wire.connect_server()?;
    }
    let mut report = Report::default();
    for (outstanding, requests) in PHASES {
        ask(&mut wire, workload, &mut next, *outstanding, *requests / 10)?;
        report.phases.push(ask(&mut wire, workload, &mut next, *outstanding, *requests)?);
    }
    fs::write(env::var(REPORT)?, serde_json::to_vec(&report)?)?;
    wire.say(RESULT)?;
    while wire.next_line()?.is_some() {}
    Ok(())
}

/// Keeps so many requests open until so many were answered.
fn ask(
    wire: &mut Wire,
    workload: Workload,
    next: &mut u64,
    outstanding: usize,
    requests: usize,
) -> Result<Phase, Box<dyn Error>> {
    let first = *next;
    let mut asked = Vec::with_capacity(requests);
    let mut times = vec![None; requests];
    let mut line = Vec::new();
    let mut send = |wire: &mut Wire, asked: &mut Vec<Instant>| {
        line.clear();
        workload.ask(*next, &mut line);
        *next += 1;
        // Each is a write of its own, as the CLI makes them.
        asked.push(Instant::now());
        wire.say(&line)
    };
    let started = Instant::now();
    for _ in 0..outstanding.min(requests) {
        send(wire, &mut asked)?;
    }
    let mut answered = 0;
    while answered < requests {
        let (arrived, answer) = wire.next_line()?.ok_or("the client ended in the middle")?;
        let Some(number) = number_of(answer) else { continue };
        let place = number.checked_sub(first).and_then(|place| usize::try_from(place).ok());
        let (Some(sent), Some(time)) =
            (place.and_then(|place| asked.get(place)), place.and_then(|place| times.get_mut(place)))
        else {
            return Err(format!("an answer to a request that was not made: {number}").into());
        };
        if time.is_some() || !workload.is_right(number, answer) {
            return Err(format!("a wrong answer: {}", String::from_utf8_lossy(answer)).into());
        }
        *time = Some(arrived.duration_since(*sent));
        answered += 1;
        if asked.len() < requests {
            send(wire, &mut asked)?;
        }
    }
    Ok(Phase::of(outstanding, started.elapsed(), times.into_iter().flatten().collect::<Vec<Duration>>()))
}

/// Our ends of the pipes, read and written without a buffer in between.
struct Wire {
    input: File,
    output: File,
    lines: Lines,
    /// When the block came that the lines are from.
    arrived: Instant,
}

impl Wire {
    fn open() -> io::Result<Self> {
        let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        Ok(Self { input, output, lines: Lines::new(), arrived: Instant::now() })
    }

    fn say(&mut self, line: &[u8]) -> io::Result<()> {
        self.output.write_all(line)
    }

    /// The next line and when it came; `None` at the end.
    fn next_line(&mut self) -> io::Result<Option<(Instant, &[u8])>> {
        while !self.lines.has_line() {
            let length = self.input.read(self.lines.room())?;
            self.arrived = Instant::now();
            if length == 0 {
                return Ok(None);
            }
            self.lines.filled(length);
        }
        Ok(self.lines.next().map(|line| (self.arrived, line)))
    }

    /// Answers the handshake, where there is one, and waits for the first prompt.
    fn wait_for_prompt(&mut self) -> Result<(), Box<dyn Error>> {
        loop {
            let (_, line) = self.next_line()?.ok_or("the client sent no prompt")?;
            if memmem::find(line, br#""type":"user""#).is_some() {
                return Ok(());
            }
            let request: serde_json::Value = serde_json::from_slice(line)?;
            let reply = serde_json::json!({"type": "control_response", "response": {
                "subtype": "success", "request_id": request["request_id"], "response": {
                    "commands": [], "agents": [], "output_style": "default", "available_output_styles": [],
                    "models": [], "account": {}, "pid": std::process::id(),
                },
            }});
            self.say(format!("{reply}\n").as_bytes())?;
        }
    }

    /// Connects to the in-process server as the real CLI does, and gives the number of the next request.
    fn connect_server(&mut self) -> Result<u64, Box<dyn Error>> {
        for (number, message) in (0..).zip(CONNECT) {
            let line = format!(
                r#"{{"type":"control_request","request_id":"00000000-0000-4000-8000-{number:012}","request":{{"subtype":"mcp_message","server_name":"shelf","message":{message}}}}}"#
            );
            self.say(format!("{line}\n").as_bytes())?;
            let (_, answer) = self.next_line()?.ok_or("the client ended in the handshake of its server")?;
            if number_of(answer) != Some(number) {
                return Err("another request than the last was answered".into());
            }
        }
        Ok(CONNECT.len() as u64)
    }
}

/// The variable that names the workload.
pub const WORKLOAD: &str = "AGENTWIRE_BENCH_WORKLOAD";
/// The variable that says where the report goes.
pub const REPORT: &str = "AGENTWIRE_BENCH_REPORT";

/// How many requests are open at once, and how many there are; a tenth of them goes before and does not count.
pub const PHASES: &[(usize, usize)] = &[(1, 3_000), (8, 6_000), (64, 6_000)];

const CONNECT: &[&str] = &[
    r#"{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1.330"}},"jsonrpc":"2.0","id":0}"#,
    r#"{"method":"notifications/initialized","jsonrpc":"2.0"}"#,
    r#"{"method":"tools/list","jsonrpc":"2.0","id":1}"#,
];

const RESULT: &[u8] = b"{\"duration_api_ms\":1,\"type\":\"result\",\"duration_ms\":2,\"subtype\":\"success\",\"is_error\":false,\"result\":\"done\",\"terminal_reason\":\"completed\",\"num_turns\":1,\"stop_reason\":\"end_turn\",\"total_cost_usd\":0.0,\"permission_denials\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1},\"modelUsage\":{},\"session_id\":\"00000000-0000-4000-8000-000000000002\",\"uuid\":\"00000000-0000-4000-8000-000000000003\"}\n";
