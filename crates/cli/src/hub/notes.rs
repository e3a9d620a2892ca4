//! Notes of `agentwire hub serve` on the standard error. A reader that stops reading delays or loses only them.

use std::fmt::Display;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::output;

/// The thread that writes the notes, in their order.
pub(super) struct NoteWriter {
    lines: mpsc::Sender<String>,
    thread: JoinHandle<()>,
}

/// A handle for adding notes, until the writer ends.
#[derive(Clone)]
pub(super) struct Notes(mpsc::WeakSender<String>);

impl NoteWriter {
    /// Starts the thread. Must be called in a runtime.
    pub(super) fn start() -> Self {
        let (lines, mut waiting) = mpsc::channel::<String>(WAITING);
        let thread = spawn_blocking(move || {
            while let Some(line) = waiting.blocking_recv() {
                output::note(line);
            }
        });
        Self { lines, thread }
    }

    pub(super) fn notes(&self) -> Notes {
        Notes(self.lines.downgrade())
    }

    /// Waits until all notes are written, up to a limit.
    pub(super) async fn end(self) {
        drop(self.lines);
        let _ = timeout(LIMIT, self.thread).await;
    }
}

impl Notes {
    /// Adds a line. It is lost if too many lines wait.
    pub(super) fn add(&self, line: impl Display) {
        if let Some(lines) = self.0.upgrade() {
            let _ = lines.try_send(line.to_string());
        }
    }
}

/// How many lines wait for the reader.
const WAITING: usize = 1000;
/// How long the end of the program waits for the reader. A client kills the gateway two seconds after SIGTERM.
const LIMIT: Duration = Duration::from_millis(250);
