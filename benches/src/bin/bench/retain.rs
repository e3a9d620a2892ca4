//! What it costs to keep every message of a stream, without its line and with it: the process starts itself again and looks at what
//! the child holds of the machine's memory.

use std::{
    env,
    error::Error,
    io::{self, Read, Write},
    process::{Command, ExitCode, Stdio},
};

use agentwire_benches::{
    marks::{RETAINED, median},
    memory::resident,
    words::ended,
};
use agentwire_codec::{Frame, Incoming, Limits, LineDecoder};
use agentwire_protocol::Message;
use agentwire_testkit::bench::stream::{Tags, generate};
use bytes::Bytes;

pub(crate) fn run(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    if let [first, what] = words
        && first == CHILD
    {
        return child(what).map(|()| ExitCode::SUCCESS);
    }
    if resident().is_none() {
        println!(
            "\nmemory of kept messages: not measured, since this system does not tell a process its memory"
        );
        return Ok(ended(words, 1));
    }
    let stream = generate(Tags::First, 1);
    println!("\n| kept | MB | times the lines' bytes |\n|---|---:|---:|");
    let lines = stream.len() - memchr::memchr_iter(b'\n', &stream).count();
    println!("| the lines' bytes | {:.1} | 1.00 |", lines as f64 / 1e6);
    let mut messages = f64::NAN;
    for what in [LINES, MESSAGES, BOTH] {
        let sizes = (0..RUNS).map(|_| held(what, &stream)).collect::<Result<Vec<_>, _>>()?;
        let size = median(sizes);
        let times = size / lines as f64;
        println!("| {what} | {:.1} | {times:.2} |", size / 1e6);
        if what == MESSAGES {
            messages = times;
        }
    }
    let holds = RETAINED.holds(messages);
    println!("\nmark, for {MESSAGES}: {RETAINED}, {}", if holds { "kept" } else { "MISSED" });
    Ok(ended(words, usize::from(!holds)))
}

/// Starts the child, and gives the bytes that it came to hold.
fn held(what: &str, stream: &[u8]) -> Result<f64, Box<dyn Error>> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["retain", CHILD, what]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    child.stdin.take().ok_or("no pipe")?.write_all(stream)?;
    let output = child.wait_with_output()?;
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Keeps all that comes, and prints by how much it grew.
fn child(what: &str) -> Result<(), Box<dyn Error>> {
    let before = resident().ok_or("no memory told")?;
    let mut decoder = LineDecoder::new(Limits::default());
    let (mut lines, mut messages, mut both) = (Vec::new(), Vec::new(), Vec::new());
    let mut input = io::stdin().lock();
    loop {
        let mut block = Vec::with_capacity(BLOCK);
        if input.by_ref().take(BLOCK as u64).read_to_end(&mut block)? == 0 {
            break;
        }
        decoder.push(Bytes::from(block));
        while let Some(line) = decoder.next() {
            let line = line?;
            match what {
                LINES => lines.push(line),
                MESSAGES => messages.push(Message::from_bytes(line.as_bytes())?),
                _ => both.push(Incoming::decode(Frame::new(line))),
            }
        }
    }
    let after = resident().ok_or("no memory told")?;
    println!("{}", after.saturating_sub(before));
    drop((lines, messages, both));
    Ok(())
}

const CHILD: &str = "--child";
const LINES: &str = "lines alone";
const MESSAGES: &str = "messages alone";
const BOTH: &str = "messages with their lines";
const BLOCK: usize = 64 << 10;
const RUNS: usize = 3;
