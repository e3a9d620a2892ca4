//! The floor: one blocking thread, no SDK, no runtime; messages borrow from the block that was read.

use std::{
    io::{Read, Write},
    path::Path,
    process::{ChildStdin, ChildStdout, Command, Stdio},
    thread,
};

use agentwire_testkit::bench::{Lines, Plan};

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
    /// Reads and answers until this message.
    fn until(&mut self, is_last: fn(&Borrowed<'_>) -> bool) -> Result<(), Failure> {
        let mut reply = Vec::new();
        loop {
            while let Some(line) = self.lines.next_line() {
                let message = Borrowed::read(line)?;
                match &message {
                    Message::ControlRequest(request) => {
                        reply.clear();
                        answer::<Text<'_>, _, _>(request, &mut reply)?;
                        self.input.write_all(&reply)?;
                    }
                    Message::ControlResponse(_) => {}
                    _ => {
                        self.notes.message(line.len());
                        message.add_to(&mut self.notes.told);
                        if let Some(stall) = self.plan.stall(self.notes.told.messages) {
                            thread::park_timeout(stall);
                        }
                    }
                }
                if is_last(&message) {
                    return Ok(());
                }
            }
            match self.output.read(self.lines.room())? {
                0 => return Err("the bench CLI ended in the middle".into()),
                length => self.lines.filled(length),
            }
        }
    }
}
