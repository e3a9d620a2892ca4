//! The last lines of what a step prints: whoever sees only the end of a CI run's output must see why it failed.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::failure::{Failure, While as _};
use crate::program;

/// Runs it as [`program::run`] does, and keeps the end of what it prints: the failure's further lines.
pub(super) fn run(command: &mut Command) -> Result<(), Failure> {
    let shown = program::show(command);
    let running = || format!("running `{shown}`");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().while_doing(running)?;
    let last = Mutex::new(VecDeque::new());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        scope.spawn(|| stderr.map(|from| copy(from, std::io::stderr(), &last)));
        scope.spawn(|| stdout.map(|from| copy(from, std::io::stdout(), &last)));
    });
    let status = child.wait().while_doing(running)?;
    if status.success() {
        return Ok(());
    }
    let mut text = format!("`{shown}` ended with {status}");
    for line in last.into_inner().unwrap_or_else(PoisonError::into_inner) {
        text.push('\n');
        text.push_str(&line);
    }
    Err(Failure::new(text))
}

/// Copies line by line to the end, also where nobody takes it any more.
fn copy(from: impl Read, mut to: impl Write, last: &Mutex<VecDeque<String>>) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while matches!(from.read_until(b'\n', &mut line), Ok(1..)) {
        let _ = to.write_all(&line).and_then(|()| to.flush());
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() == KEPT {
            last.pop_front();
        }
        last.push_back(String::from_utf8_lossy(&line).trim_end().to_owned());
        line.clear();
    }
}

const KEPT: usize = 25;

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{KEPT, run};

    #[test]
    fn a_failure_says_what_was_printed_last() {
        let mut command = Command::new("sh");
        let failure = run(command.args(["-c", "seq 100; exit 3"])).unwrap_err().to_string();
        let lines: Vec<&str> = failure.lines().collect();
        assert!(lines[0].ends_with("exit status: 3"), "{failure}");
        assert_eq!((lines[1], lines[KEPT]), ("76", "100"));
        assert!(run(&mut Command::new("true")).is_ok());
    }
}
