//! A permission handler that asks a person at the terminal.

mod changes;
mod prompt;
#[cfg(test)]
mod tests;

use std::{
    io::{self, BufRead as _},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use agentwire_control::CallContext;
use agentwire_protocol::{control::CanUseTool, permission::Decision};
use tokio::sync::{
    Mutex,
    mpsc::{self, Receiver, Sender},
};

use self::prompt::Dialog;
use crate::PermissionHandler;

impl PermissionHandler {
    /// Returns a handler that asks a person at the terminal about permissions (for an edit with its changes), the
    /// model's questions and its plans.
    ///
    /// It writes to the standard error and reads lines from the standard input, on a thread of its own from the first
    /// question until the process ends: a blocking task of the runtime would keep the process from ending.
    /// The program must not read the standard input at the same time.
    ///
    /// One question is shown at a time. A line answers only the question that is open when it is read.
    /// Lines that arrive earlier are discarded, even those of a pipe: write each line after its prompt (`] `).
    /// On Windows, what is typed at a terminal before the first question is not discarded.
    /// A question that the CLI cancels, as after an interrupt, ends immediately. The CLI never cancels those of the
    /// sandbox (`SandboxNetworkAccess`).
    /// After the end of the input every question is denied.
    pub fn terminal() -> Self {
        Self::new(ask)
    }
}

async fn ask(request: CanUseTool, cx: CallContext) -> io::Result<Decision> {
    let mut input = tokio::select! {
        input = STANDARD_INPUT.lock() => input,
        () = cx.cancelled.cancelled() => return Err(cancelled()),
    };
    let question = input.open()?;
    let mut terminal = Terminal { input: &mut input, question };
    let decision = tokio::select! {
        decision = prompt::ask(&request, &mut terminal) => decision,
        () = cx.cancelled.cancelled() => {
            write("\n(cancelled)\n")?;
            Err(cancelled())
        }
    };
    input.close();
    decision
}

fn cancelled() -> io::Error {
    io::Error::other("the question was cancelled")
}

/// The terminal while one question is open.
struct Terminal<'a> {
    input: &'a mut Input,
    question: u64,
}

impl Dialog for Terminal<'_> {
    async fn read(&mut self) -> Option<String> {
        loop {
            let (question, line) = self.input.lines.recv().await?;
            if question == self.question {
                return Some(line);
            }
        }
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        write(text)
    }
}

fn write(text: &str) -> io::Result<()> {
    io::Write::write_all(&mut io::stderr().lock(), text.as_bytes())
}

/// The standard input, which all handlers of the process share. The question that is shown holds the lock.
static STANDARD_INPUT: LazyLock<Mutex<Input>> = LazyLock::new(|| Mutex::new(Input::start()));

struct Input {
    /// Lines with the question that was open when they were typed. Ends with the input.
    lines: Receiver<(u64, String)>,
    questions: u64,
    /// The open question, or 0.
    open: Arc<AtomicU64>,
}

impl Input {
    fn start() -> Self {
        // The thread must not take an older line for an answer; `open` reports a failure.
        let _ = discard_typed();
        let (sender, lines) = mpsc::channel(TYPED_AHEAD);
        let open = Arc::new(AtomicU64::new(0));
        let reads = Arc::clone(&open);
        // Without the thread the sender is dropped, and every question is denied.
        let started = thread::Builder::new().name("terminal".to_owned()).spawn(move || read(&sender, &reads));
        if let Err(error) = started {
            tracing::error!(%error, "the standard input can't be read: every question will be denied");
        }
        Self { lines, questions: 0, open }
    }

    /// Opens a question and returns its number.
    fn open(&mut self) -> io::Result<u64> {
        discard_typed()?;
        self.questions += 1;
        self.open.store(self.questions, Ordering::SeqCst);
        Ok(self.questions)
    }

    fn close(&mut self) {
        self.open.store(0, Ordering::SeqCst);
    }
}

/// Discards the unread input of the terminal.
fn discard_typed() -> io::Result<()> {
    #[cfg(unix)]
    if io::IsTerminal::is_terminal(&io::stdin()) {
        rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush)?;
    }
    Ok(())
}

fn read(lines: &Sender<(u64, String)>, open: &AtomicU64) {
    for line in io::stdin().lock().split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
        let question = open.load(Ordering::SeqCst);
        // A full channel contains more lines than a question needs.
        if question != 0
            && matches!(lines.try_send((question, line)), Err(mpsc::error::TrySendError::Closed(_)))
        {
            return;
        }
    }
}

/// The capacity for lines that are typed ahead.
const TYPED_AHEAD: usize = 64;
