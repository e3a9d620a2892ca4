//! Recipe `call-log`: logs every tool call without delaying it.

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

/// Writes a JSON line for each requested tool call and one for its end. A call without an end was denied, deferred or
/// interrupted.
///
/// Lines pass through a bounded queue to a thread of their own, so a slow disk delays no tool; lines that do not fit
/// are dropped and counted.
/// Inputs and outputs may contain secrets, so only their size is logged.
///
/// Not covered: side effects of tools, and calls that the CLI denies before it calls its hooks.
/// The log is for people: it never denies a call, so it proves nothing to an auditor.
pub(crate) fn write_to(hooks: Hooks, to: impl Write + Send + 'static) -> io::Result<(Hooks, CallLog)> {
    let (queue, lines) = sync_channel(QUEUE);
    let thread = thread::Builder::new().name("call-log".to_owned()).spawn(move || write(&lines, to))?;
    let log = Arc::new(Log { queue, dropped: AtomicU64::new(0) });
    let (asked, used, failed) = (Arc::clone(&log), Arc::clone(&log), Arc::clone(&log));
    // The log guards nothing: if it fails, the tool runs anyway.
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

/// The owner of the writing thread. Dropping it writes the queued lines and waits for that.
#[derive(Debug)]
pub(crate) struct CallLog {
    log: Arc<Log>,
    thread: Option<thread::JoinHandle<io::Result<()>>>,
}

impl CallLog {
    /// Writes the queued lines and returns the number of dropped ones; fails if a write has failed.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        self.end()?;
        Ok(self.log.dropped.load(Ordering::Relaxed))
    }

    fn end(&mut self) -> io::Result<()> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        // Blocks until there is room; fails only if the thread has already ended.
        drop(self.log.queue.send(None));
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the writer panicked")))
    }
}

impl Drop for CallLog {
    fn drop(&mut self) {
        // Call `finish` to receive errors.
        drop(self.end());
    }
}

#[derive(Debug)]
struct Log {
    /// `None` ends the log.
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

/// The capacity of the queue, in lines.
const QUEUE: usize = 1_024;
