//! The floor on tokio: efficient code without an SDK.
//!
//! A task reads blocks, splits them into lines, decodes each line into an owned message, and sends the messages of one
//! read in a batch over a bounded channel to the main task.
//! Each control request is handled by its own task, which decodes the tool's input, encodes the reply, and writes it
//! while it holds the lock of the input.

use std::{path::Path, process::Stdio, sync::Arc, vec};

use crate::cli::{Lines, Plan};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{ChildStdin, ChildStdout, Command},
    sync::{Mutex, mpsc},
    task::JoinHandle,
};

use super::{
    HELLO, PROMPT,
    answers::{Failure, answer},
    typed::Message,
};
use crate::outcome::{Notes, Outcome};

/// Runs the client.
pub(super) async fn run(cli: &Path, plan: Plan) -> Result<Outcome, Failure> {
    let mut notes = Notes::start();
    let mut session = Session::start(cli)?;
    session.write(HELLO).await?;
    while !matches!(session.next().await?, (Message::ControlResponse(_), _)) {}
    notes.prompt();
    for _ in 0..plan.prompts() {
        session.write(PROMPT).await?;
        loop {
            let (message, bytes) = session.next().await?;
            notes.message(bytes);
            message.add_to(&mut notes.tally);
            if let Some(stall) = plan.stall(notes.tally.messages) {
                super::stop_reading(stall).await;
            }
            if matches!(message, Message::Result(_)) {
                break;
            }
        }
    }
    let outcome = notes.end();
    session.close().await?;
    Ok(outcome)
}

/// A message with the length of its line.
type Read = (Message, usize);

struct Session {
    child: tokio::process::Child,
    input: Arc<Mutex<Option<ChildStdin>>>,
    reader: JoinHandle<Result<(), Failure>>,
    batches: mpsc::Receiver<Vec<Read>>,
    batch: vec::IntoIter<Read>,
}

impl Session {
    fn start(cli: &Path) -> Result<Self, Failure> {
        let mut child =
            Command::new(cli).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let input = Arc::new(Mutex::new(child.stdin.take()));
        let output = child.stdout.take().ok_or("no stdout")?;
        let (sender, batches) = mpsc::channel(BATCHES);
        let reader = tokio::spawn(read(output, Arc::clone(&input), sender));
        Ok(Self { child, input, reader, batches, batch: Vec::new().into_iter() })
    }

    async fn write(&self, line: &[u8]) -> Result<(), Failure> {
        write(&self.input, line).await
    }

    async fn next(&mut self) -> Result<Read, Failure> {
        loop {
            if let Some(message) = self.batch.next() {
                return Ok(message);
            }
            match self.batches.recv().await {
                Some(batch) => self.batch = batch.into_iter(),
                None => {
                    (&mut self.reader).await??;
                    return Err("the bench CLI ended in the middle".into());
                }
            }
        }
    }

    async fn close(mut self) -> Result<(), Failure> {
        self.input.lock().await.take();
        self.child.wait().await?;
        self.reader.await?
    }
}

async fn read(
    mut output: ChildStdout,
    input: Arc<Mutex<Option<ChildStdin>>>,
    sender: mpsc::Sender<Vec<Read>>,
) -> Result<(), Failure> {
    let mut lines = Lines::default();
    loop {
        let length = output.read(lines.room()).await?;
        if length == 0 {
            return Ok(());
        }
        lines.filled(length);
        let mut batch = Vec::new();
        while let Some(line) = lines.next_line() {
            match Message::read(line)? {
                Message::ControlRequest(request) => {
                    let input = Arc::clone(&input);
                    tokio::spawn(async move {
                        let mut reply = Vec::new();
                        // Without a reply the bench CLI would wait forever.
                        if let Err(error) = answer(&request, &mut reply) {
                            super::fail(&error);
                        }
                        if let Err(error) = write(&input, &reply).await {
                            super::fail(&error);
                        }
                    });
                }
                message => batch.push((message, line.len())),
            }
        }
        if !batch.is_empty() && sender.send(batch).await.is_err() {
            return Ok(());
        }
    }
}

async fn write(input: &Mutex<Option<ChildStdin>>, line: &[u8]) -> Result<(), Failure> {
    let mut input = input.lock().await;
    input.as_mut().ok_or("the input has ended")?.write_all(line).await?;
    Ok(())
}

/// The maximum number of queued batches, each of 64 KiB of lines.
const BATCHES: usize = 16;
