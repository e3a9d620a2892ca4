//! The bare echo: a task of the same runtime, on the same kind of pipes, that answers without an SDK.
//!
//! It is no straw man: it reads blocks of up to 64 KiB into one buffer, finds what differs from one request to the next
//! and copies it into an answer that is written beforehand, one write an answer.
//! Nothing is parsed, and nothing is allocated.

use std::{
    error::Error,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::unix::pipe::{Receiver, Sender},
};

use super::{PROMPT, lines::Lines, measure::cpu_time, workload::Workload};

/// Answers everything until the turn's result, in a task of its own; gives the CPU time from the prompt on.
///
/// # Errors
///
/// When the bench CLI can't be started, or ends too early.
pub async fn run(cli: &Path, workload: Workload) -> Result<Duration, Box<dyn Error + Send + Sync>> {
    let mut child = Command::new(cli).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let input = Sender::from_owned_fd(child.stdin.take().ok_or("no stdin")?.into())?;
    let output = Receiver::from_owned_fd(child.stdout.take().ok_or("no stdout")?.into())?;
    let taken = tokio::spawn(answer(input, output, workload)).await??;
    child.wait()?;
    Ok(taken)
}

async fn answer(
    mut input: Sender,
    mut output: Receiver,
    workload: Workload,
) -> Result<Duration, Box<dyn Error + Send + Sync>> {
    let (mut lines, mut answer) = (Lines::new(), Vec::new());
    let before = cpu_time();
    input.write_all(PROMPT).await?;
    loop {
        let length = output.read(lines.room()).await?;
        if length == 0 {
            return Err("the bench CLI ended in the middle".into());
        }
        lines.filled(length);
        while let Some(line) = lines.next() {
            if !workload.answer(line, &mut answer) {
                return Ok(cpu_time() - before);
            }
            input.write_all(&answer).await?;
        }
    }
}
