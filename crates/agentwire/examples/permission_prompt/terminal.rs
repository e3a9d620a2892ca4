//! The terminal that all questions share: one is asked at a time, and one that is taken back waits no longer.

use std::{
    error::Error,
    io::{self, BufRead, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use agentwire::{Decision, control::CallContext, protocol::control::CanUseTool};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::prompt;

/// The terminal.
#[derive(Clone)]
pub(crate) struct Terminal {
    events: Arc<Mutex<Receiver<Event>>>,
    sender: Sender<Event>,
    questions: Arc<AtomicU64>,
    /// Whether a question is open.
    open: Arc<AtomicBool>,
}

enum Event {
    Line(String),
    /// The question of this number waits no longer.
    TakenBack(u64),
    End,
}

impl Terminal {
    /// Begins to read the standard input, on a thread of its own: reading can't be given up half-way.
    pub(crate) fn open() -> Self {
        let (sender, events) = mpsc::channel();
        let (lines, open) = (sender.clone(), Arc::<AtomicBool>::default());
        let listens = Arc::clone(&open);
        thread::spawn(move || {
            for line in io::stdin().lines().map_while(Result::ok) {
                // What is typed before a question can be read is no answer to it.
                if listens.load(Ordering::SeqCst) && lines.send(Event::Line(line)).is_err() {
                    return;
                }
            }
            drop(lines.send(Event::End));
        });
        Self { events: Arc::new(Mutex::new(events)), sender, questions: Arc::default(), open }
    }

    /// Asks the person, without holding up the runtime.
    pub(crate) async fn ask(
        &self,
        request: CanUseTool,
        cx: CallContext,
    ) -> Result<Decision, Box<dyn Error + Send + Sync>> {
        let events = tokio::select! {
            events = Arc::clone(&self.events).lock_owned() => events,
            () = cx.cancelled.cancelled() => return Err(TAKEN_BACK.into()),
        };
        let number = self.questions.fetch_add(1, Ordering::Relaxed);
        // However this future ends, the thread that waits for a line stops waiting.
        let _ended = Ended { number, sender: self.sender.clone() };
        let (open, sender) = (Arc::clone(&self.open), self.sender.clone());
        let asking = tokio::task::spawn_blocking(move || {
            open.store(true, Ordering::SeqCst);
            let mut lines = Lines { events, sender, number, open, line: Vec::new(), ended: false };
            prompt::ask(&request, &mut lines, &mut io::stdout().lock())
        });
        tokio::select! {
            decision = asking => Ok(decision??),
            () = cx.cancelled.cancelled() => Err(TAKEN_BACK.into()),
        }
    }
}

struct Ended {
    number: u64,
    sender: Sender<Event>,
}

impl Drop for Ended {
    fn drop(&mut self) {
        drop(self.sender.send(Event::TakenBack(self.number)));
    }
}

/// What the person types while one question is open.
struct Lines {
    events: OwnedMutexGuard<Receiver<Event>>,
    sender: Sender<Event>,
    number: u64,
    open: Arc<AtomicBool>,
    line: Vec<u8>,
    ended: bool,
}

/// What is left is no answer to the next question; the end of the input is for all of them.
impl Drop for Lines {
    fn drop(&mut self) {
        self.open.store(false, Ordering::SeqCst);
        let over = self.events.try_iter().any(|event| matches!(event, Event::End));
        if over || self.ended {
            drop(self.sender.send(Event::End));
        }
    }
}

impl BufRead for Lines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.line.is_empty() && !self.ended {
            match self.events.recv() {
                Ok(Event::Line(line)) => self.line = (line + "\n").into_bytes(),
                Ok(Event::TakenBack(number)) if number == self.number => {
                    return Err(io::Error::other(TAKEN_BACK));
                }
                Ok(Event::TakenBack(_)) => {}
                Ok(Event::End) | Err(_) => self.ended = true,
            }
        }
        Ok(&self.line)
    }

    fn consume(&mut self, bytes: usize) {
        self.line.drain(..bytes);
    }
}

impl Read for Lines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

const TAKEN_BACK: &str = "the question was taken back";
