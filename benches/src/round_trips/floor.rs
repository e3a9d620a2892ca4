//! The floor: one blocking thread, no SDK, no runtime.

use std::{
    error::Error,
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use super::{PROMPT, lines::Lines, measure::cpu_time, workload::Workload};

/// Answers everything until the turn's result; gives the CPU time from the prompt on.
///
/// # Errors
///
/// When the bench CLI can't be started, or ends too early.
pub fn run(cli: &Path, workload: Workload) -> Result<Duration, Box<dyn Error>> {
    let mut child = Command::new(cli).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().ok_or("no stdin")?;
    let mut output = child.stdout.take().ok_or("no stdout")?;
    let (mut lines, mut answer) = (Lines::new(), Vec::new());
    let before = cpu_time();
    input.write_all(PROMPT)?;
    loop {
        let length = output.read(lines.room())?;
        if length == 0 {
            return Err("the bench CLI ended in the middle".into());
        }
        lines.filled(length);
        while let Some(line) = lines.next() {
            if !workload.answer(line, &mut answer) {
                let taken = cpu_time() - before;
                drop(input);
                child.wait()?;
                return Ok(taken);
            }
            input.write_all(&answer)?;
        }
    }
}
