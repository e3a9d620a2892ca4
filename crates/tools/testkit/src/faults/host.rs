//! The connection to the host: reads its lines, and writes to it.

use std::{
    io::{self, BufRead, Write},
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread,
    time::Duration,
};

use serde_json::Value;

use super::stop::Stop;

/// The other side of stdin and stdout.
#[derive(Debug)]
pub(super) struct Host {
    /// Requests one more line from the thread that reads, so that nothing is read before it is wanted.
    want: SyncSender<()>,
    lines: Receiver<io::Result<Option<Vec<u8>>>>,
    wanted: bool,
}

/// The result of a wait for a line.
#[derive(Debug)]
pub(super) enum Received {
    Line(Value),
    /// The input has ended.
    End,
    /// Nothing came in time.
    Nothing,
}

impl Host {
    pub(super) fn new() -> Self {
        let (want, wanted) = sync_channel(1);
        let (give, lines) = sync_channel(1);
        thread::spawn(move || {
            let mut input = io::stdin().lock();
            while wanted.recv().is_ok() {
                let mut line = Vec::new();
                let read = input.read_until(b'\n', &mut line).map(|length| (length > 0).then_some(line));
                if give.send(read).is_err() {
                    return;
                }
            }
        });
        Self { want, lines, wanted: false }
    }

    /// Waits for a line, for no longer than this.
    pub(super) fn receive(&mut self, limit: Option<Duration>) -> Result<Received, Stop> {
        loop {
            if !self.wanted {
                self.wanted = self.want.send(()).is_ok();
            }
            let line = match limit {
                Some(limit) => self.lines.recv_timeout(limit),
                None => self.lines.recv().map_err(RecvTimeoutError::from),
            };
            let line = match line {
                Ok(line) => line?,
                Err(RecvTimeoutError::Timeout) => return Ok(Received::Nothing),
                Err(RecvTimeoutError::Disconnected) => None,
            };
            self.wanted = false;
            let Some(line) = line else { return Ok(Received::End) };
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            // Like the CLI, ends if its input is broken.
            return serde_json::from_slice(&line).map(Received::Line).map_err(|error| {
                super::life::complain(&format!("error: a line of the input is not JSON: {error}\n"));
                Stop::Exit(1)
            });
        }
    }

    /// Writes bytes to the host without changes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let mut output = io::stdout().lock();
        output.write_all(bytes)?;
        Ok(output.flush()?)
    }
}
