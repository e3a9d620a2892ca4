//! The fake CLI: a script restarts this test program, which speaks the real wire format and plays one fault.

use std::{
    fs::{File, OpenOptions, Permissions},
    io::{BufRead, Write, stdin},
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use agentwire::{Options, Session, SessionBuilder};
use serde_json::{Value, json};

use crate::peer::{assistant, result};

/// The environment variable that names the part to play.
const PART: &str = "AGENTWIRE_TEST_PART";

/// A folder with the script that starts the fake.
pub(crate) struct Fake(tempfile::TempDir);

impl Fake {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("claude");
        let program = std::env::current_exe().unwrap();
        // The test harness prints to stdout, so the wire is the third descriptor.
        // An ignored signal stays ignored in the program that replaces the script.
        let text = format!(
            "#!/bin/sh\ncase \"${PART}\" in stubborn|brood) trap '' TERM;; esac\nexec 3>&1 1>/dev/null\n\
             exec '{}' fake::cli --exact --ignored --nocapture\n",
            program.display()
        );
        std::fs::write(&script, text).unwrap();
        std::fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
        Self(dir)
    }

    pub(crate) fn options(&self, part: &str) -> Options {
        Options::new().path_to_claude_code_executable(self.0.path().join("claude")).env(PART, part)
    }

    /// Returns a session with short grace periods, for parts that do not exit on their own.
    pub(crate) fn hasty(&self, part: &str) -> SessionBuilder {
        Session::builder().options(self.options(part)).grace(SHORT, SHORT)
    }

    /// As [`hasty`](Self::hasty), for a part that exits on its own and leaves a process behind.
    pub(crate) fn hasty_afterwards(&self, part: &str) -> SessionBuilder {
        Session::builder().options(self.options(part)).grace(LONG, SHORT)
    }

    /// As [`hasty`](Self::hasty), for a part that exits after a signal.
    pub(crate) fn hasty_at_first(&self, part: &str) -> SessionBuilder {
        Session::builder().options(self.options(part)).grace(SHORT, LONG)
    }
}

/// Not a test: the script runs it.
#[test]
#[ignore = "the fake CLI, started by other tests"]
fn cli() {
    let part = std::env::var(PART).expect("a part to play");
    let mut wire = OpenOptions::new().write(true).open("/proc/self/fd/3").unwrap();
    let mut input = stdin().lock().lines().map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    if part == "refuse" {
        std::io::stderr().write_all(b"error: unknown option '--nope'\n").unwrap();
        std::process::exit(1);
    }
    let request = input.next().unwrap();
    let grandchild = match part.as_str() {
        "grandchild" => Some(Command::new("sleep").arg("600").spawn().unwrap()),
        // It holds none of our pipes.
        "brood" => Some(
            Command::new("sh").args(["-c", "exec sleep 600 3>&-"]).stderr(Stdio::null()).spawn().unwrap(),
        ),
        _ => None,
    };
    let pids =
        json!({"pid": std::process::id(), "capabilities": grandchild.map(|child| [child.id().to_string()])});
    say(
        &mut wire,
        &json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": request["request_id"], "response": pids,
        }}),
    );
    for line in input.by_ref() {
        if line["type"] != "user" {
            continue;
        }
        if part == "tell" {
            let text = line["message"]["content"].as_str().unwrap().split(' ').next().unwrap();
            std::io::stderr().write_all(format!("heard {text}\n").as_bytes()).unwrap();
            continue;
        }
        say(&mut wire, &assistant("hello"));
        if part == "crash" {
            std::io::stderr().write_all(b"fatal: out of memory\n").unwrap();
            std::process::exit(3);
        }
        if part == "grandchild" {
            std::process::exit(0);
        }
        wire.write_all(format!("{}\n", result("hello")).as_bytes()).unwrap();
    }
    if matches!(part.as_str(), "deaf" | "stubborn") {
        // Longer than any test waits, and short enough for a leftover process.
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(60) {
            thread::park_timeout(Duration::from_secs(60));
        }
    }
    std::process::exit(0);
}

fn say(wire: &mut File, line: &Value) {
    wire.write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// A grace period that expires, and another that does not.
const SHORT: Duration = Duration::from_millis(200);
const LONG: Duration = Duration::from_secs(30);
