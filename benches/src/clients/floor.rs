//! The floor: one blocking thread, no SDK, no runtime; messages borrow from the block that was read.

use std::{
    hint::black_box,
    io::{Read, Write},
    path::Path,
    process::{ChildStdin, ChildStdout, Command, Stdio},
    thread,
};

use agentwire_testkit::bench::{Lines, Plan};
use serde_json::Deserializer;

use super::{
    HELLO, PROMPT,
    answers::{Failure, answer},
    typed::{Borrowed, Message, Text},
};
use crate::outcome::{Notes, Outcome};

/// Plays one client.
///
/// # Errors
///
/// When the bench CLI can't be started, ends too early, or says what can't be read.
pub(super) fn run(cli: &Path, plan: Plan) -> Result<Outcome, Failure> {
    let notes = Notes::start();
    let mut child = Command::new(cli).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut pipes = Pipes {
        input: child.stdin.take().ok_or("no stdin")?,
        output: child.stdout.take().ok_or("no stdout")?,
        lines: Lines::new(),
        notes,
        plan,
    };
    pipes.input.write_all(HELLO)?;
    pipes.until(|message| matches!(message, Message::ControlResponse(_)))?;
    pipes.notes.prompt();
    for _ in 0..plan.prompts() {
        pipes.input.write_all(PROMPT)?;
        pipes.until(|message| matches!(message, Message::Result(_)))?;
    }
    let Pipes { input, output, notes, .. } = pipes;
    let outcome = notes.end();
    drop((input, output));
    child.wait()?;
    Ok(outcome)
}

struct Pipes {
    input: ChildStdin,
    output: ChildStdout,
    lines: Lines,
    notes: Notes,
    plan: Plan,
}

impl Pipes {
    /// Reads and answers until this message, behind which nothing more comes.
    fn until(&mut self, is_last: fn(&Borrowed<'_>) -> bool) -> Result<(), Failure> {
        let mut reply = Vec::new();
        let mut over = false;
        while !over {
            match self.output.read(self.lines.room())? {
                0 => return Err("the bench CLI ended in the middle".into()),
                length => self.lines.filled(length),
            }
            let Self { input, lines, notes, plan, .. } = self;
            read_lines(lines.whole_lines(), |message, line| {
                match &message {
                    Message::ControlRequest(request) => {
                        reply.clear();
                        answer::<Text<'_>, _, _>(request, &mut reply)?;
                        input.write_all(&reply)?;
                    }
                    Message::ControlResponse(_) => {}
                    _ => {
                        notes.message(line);
                        message.add_to(&mut notes.told);
                        if let Some(stall) = plan.stall(notes.told.messages) {
                            thread::park_timeout(stall);
                        }
                    }
                }
                over |= is_last(&message);
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Reads whole lines, and gives each message with the length of its line.
fn read_lines<'a>(
    lines: &'a [u8],
    mut take: impl FnMut(Borrowed<'a>, usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // Once for all of them: cheaper than once for each text.
    let mut reader = Deserializer::from_str(str::from_utf8(lines)?);
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', lines) {
        let line = &lines[start..end];
        start = end + 1;
        take(Borrowed::read_next(line, &mut reader)?, line.len())?;
    }
    // Each line was one value, and no more.
    reader.end()?;
    Ok(())
}

/// How the floor reads, without its pipes: in blocks that are as long as a pipe's, where they lie.
///
/// It gives the number of messages, none where a line can't be read.
pub fn in_process(mut stream: &[u8]) -> usize {
    let mut read = 0;
    while !stream.is_empty() {
        let block = &stream[..stream.len().min(BLOCK)];
        let end = memchr::memrchr(b'\n', block).or_else(|| memchr::memchr(b'\n', stream));
        let (lines, rest) = stream.split_at(end.map_or(stream.len(), |end| end + 1));
        stream = rest;
        let taken = read_lines(lines, |message, _| {
            read += usize::from(!matches!(black_box(message), Message::Other(_)));
            Ok(())
        });
        if taken.is_err() {
            return 0;
        }
    }
    read
}

/// What a pipe holds by default on Linux.
const BLOCK: usize = 64 << 10;
