//! The bare echo: a task of the same runtime, on the same kind of pipes, that answers callbacks without reading them.
//!
//! It reads blocks of up to 64 KiB into one buffer, finds what differs from one request to the next and copies it into an
//! answer that is written beforehand, one write an answer.
//! Nothing is parsed, and nothing is allocated.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use agentwire_testkit::bench::{Callback, Lines, Plan, Workload};
use memchr::memmem;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::unix::pipe::{Receiver, Sender},
};

use super::{PROMPT, answers::Failure};
use crate::outcome::{Notes, Outcome};

/// Answers everything until the turn's result, in a task of its own.
///
/// # Errors
///
/// When the bench CLI can't be started, or ends too early.
pub(super) async fn run(cli: &Path, plan: Plan) -> Result<Outcome, Failure> {
    let Workload::Callback(callback, _) = plan.workload else {
        return Err("it answers, and does not read".into());
    };
    let notes = Notes::start();
    let mut child = Command::new(cli).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let input = Sender::from_owned_fd(child.stdin.take().ok_or("no stdin")?.into())?;
    let output = Receiver::from_owned_fd(child.stdout.take().ok_or("no stdout")?.into())?;
    let outcome = tokio::spawn(echo(input, output, callback, notes)).await??;
    child.wait()?;
    Ok(outcome)
}

async fn echo(
    mut input: Sender,
    mut output: Receiver,
    callback: Callback,
    mut notes: Notes,
) -> Result<Outcome, Failure> {
    let (mut lines, mut reply) = (Lines::new(), Vec::new());
    notes.prompt();
    input.write_all(PROMPT).await?;
    loop {
        let length = output.read(lines.room()).await?;
        if length == 0 {
            return Err("the bench CLI ended in the middle".into());
        }
        lines.filled(length);
        while let Some(line) = lines.next_line() {
            if answer(callback, line, &mut reply) {
                input.write_all(&reply).await?;
                continue;
            }
            notes.message(line.len());
            if memmem::find(line, br#""type":"result""#).is_some() {
                let mut outcome = notes.end();
                // It does not read what is said.
                outcome.told.checksum = None;
                return Ok(outcome);
            }
        }
    }
}

/// Writes the right answer to a request without reading more of it than what differs from one to the next.
///
/// A request of another kind is acknowledged; `false` where the line is none at all, and nothing is written.
fn answer(callback: Callback, request: &[u8], line: &mut Vec<u8>) -> bool {
    line.clear();
    let Some(id) = after(request, br#""request_id":""#).and_then(|rest| until(rest, b'"')) else {
        return false;
    };
    line.extend_from_slice(br#"{"type":"control_response","response":{"subtype":"success","request_id":""#);
    line.extend_from_slice(id);
    line.extend_from_slice(br#"","response":"#);
    let parts: Option<[&[u8]; 5]> = match callback {
        Callback::Hook => after(request, br#""command":""#).and_then(|rest| until(rest, b'"')).map(|command| {
            let start = br#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":""#;
            [&start[..], command, br#""}}"#, b"", b""]
        }),
        Callback::Permission => after(request, br#""input":"#)
            .and_then(|rest| until(rest, b'}'))
            .map(|input| [&br#"{"behavior":"allow","updatedInput":"#[..], input, b"}}", b"", b""]),
        Callback::Mcp => after(request, br#"{"n":"#).and_then(|rest| until(rest, b'}')).map(|n| {
            let text = br#","result":{"content":[{"type":"text","text":"row "#;
            let end = br#""}],"isError":false}}}"#;
            [&br#"{"mcp_response":{"jsonrpc":"2.0","id":"#[..], n, text, n, end]
        }),
    };
    for part in parts.unwrap_or([b"{}", b"", b"", b"", b""]) {
        line.extend_from_slice(part);
    }
    line.extend_from_slice(b"}}\n");
    true
}

fn after<'a>(line: &'a [u8], needle: &[u8]) -> Option<&'a [u8]> {
    let at = memmem::find(line, needle)?;
    line.get(at + needle.len()..)
}

fn until(line: &[u8], end: u8) -> Option<&[u8]> {
    line.get(..memchr::memchr(end, line)?)
}
