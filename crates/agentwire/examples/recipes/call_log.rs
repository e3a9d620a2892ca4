//! Recipe `call-log`: every tool call is written down, and none waits for it.

use std::{
    future::ready,
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::{
        control::HookFailure,
        hook::{PostToolUse, PostToolUseFailure, PreToolUse},
    },
};
use serde_json::{Value, json};

/// Writes a line of JSON for each tool call that is asked for, and one for its end; what has no end was refused, put
/// off or cut short.
///
/// Lines go through a bounded queue to a thread of their own, so a slow disk holds up no tool; what does not fit is
/// dropped and counted.
/// Inputs and outputs may hold secrets: of them only the size is told.
///
/// Not covered: what a tool does besides, and calls that the CLI refuses before it asks its hooks.
/// It is a log for people: it never refuses, so it proves nothing to an auditor.
///
/// # Errors
///
/// When there is no thread to be had.
pub(crate) fn write_to(hooks: Hooks, to: impl Write + Send + 'static) -> io::Result<(Hooks, CallLog)> {
    let (queue, lines) = sync_channel(QUEUE);
    let thread = thread::Builder::new().name("call-log".to_owned()).spawn(move || write(&lines, to))?;
    let log = Arc::new(Log { queue, dropped: AtomicU64::new(0) });
    let (asked, used, failed) = (Arc::clone(&log), Arc::clone(&log), Arc::clone(&log));
    // It watches and guards nothing: should it fail, the tool is used all the same.
    let any = || Matcher::any().on_failure(HookFailure::Continue);
    let hooks = hooks
        .on_matching(PreToolUse, any(), move |input, _cx| {
            let bytes = input.tool_input.as_str().len();
            asked.line(&json!({
                "asked": input.tool_name, "id": input.tool_use_id, "agent": input.agent_id, "bytes": bytes,
            }));
            ready(())
        })
        .on_matching(PostToolUse, any(), move |input, _cx| {
            let bytes = input.tool_response.as_str().len();
            used.line(&json!({
                "used": input.tool_name, "id": input.tool_use_id, "ms": input.duration_ms, "bytes": bytes,
            }));
            ready(())
        })
        .on_matching(PostToolUseFailure, any(), move |input, _cx| {
            failed.line(&json!({
                "failed": input.tool_name, "id": input.tool_use_id, "ms": input.duration_ms,
            }));
            ready(())
        });
    Ok((hooks, CallLog { log, thread: Some(thread) }))
}

/// The owner of the thread that writes; dropping it writes what is queued, and waits for that.
#[derive(Debug)]
pub(crate) struct CallLog {
    log: Arc<Log>,
    thread: Option<thread::JoinHandle<io::Result<()>>>,
}

impl CallLog {
    /// Writes what is queued, and tells how many lines were dropped.
    ///
    /// # Errors
    ///
    /// When something could not be written.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        self.end()?;
        Ok(self.log.dropped.load(Ordering::Relaxed))
    }

    fn end(&mut self) -> io::Result<()> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        // It waits for room, and fails only where the thread has ended already.
        drop(self.log.queue.send(None));
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the writer panicked")))
    }
}

impl Drop for CallLog {
    fn drop(&mut self) {
        // Who wants to know of errors calls `finish`.
        drop(self.end());
    }
}

#[derive(Debug)]
struct Log {
    /// `None` is the last line.
    queue: SyncSender<Option<String>>,
    dropped: AtomicU64,
}

impl Log {
    fn line(&self, call: &Value) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        if self.queue.try_send(Some(format!("{now} {call}\n"))).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn write(lines: &Receiver<Option<String>>, mut to: impl Write) -> io::Result<()> {
    while let Ok(Some(line)) = lines.recv() {
        to.write_all(line.as_bytes())?;
    }
    to.flush()
}

/// The most lines that wait to be written.
const QUEUE: usize = 1_024;
