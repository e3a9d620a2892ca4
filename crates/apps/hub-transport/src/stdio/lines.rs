//! Messages as lines of JSON.

use std::borrow::Cow;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use agentwire_codec::{EncodeError, FrameError, Limits, Line, LineDecoder, encode};
use agentwire_transport::{ByteSink, ByteSource};
use rmcp::{
    RoleClient,
    model::{ErrorData, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde::{Deserialize, de::IgnoredAny};
use tokio::{
    sync::mpsc::{UnboundedSender, unbounded_channel},
    task::JoinHandle,
    time::{Instant, timeout, timeout_at},
};

use super::outgoing::{Backlog, Full, Queued, write};
use crate::{members::kept, record::Record};

/// A transport of lines of JSON.
///
/// A task writes the messages in order, and ends with this value. Its queue is bounded: a request that finds no room fails
/// at once. If the server then reads nothing for a while, or an answer finds no room, the connection ends.
///
/// A line of more than 64 MiB is dropped. If it is an answer that starts with its id, only its request fails. Any other such
/// line ends the connection, because a request would wait for it in vain.
pub struct Lines<So> {
    source: So,
    decoder: LineDecoder,
    /// Whether the source has ended.
    is_over: bool,
    /// The queue, which the backlog bounds; `None` after `close`.
    outgoing: Option<UnboundedSender<Queued>>,
    backlog: Arc<Backlog>,
    writer: JoinHandle<()>,
    /// When reading ends, after the writer has ended.
    deadline: Option<Instant>,
    record: Arc<Record>,
}

/// The error of sending a message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The connection has ended.
    #[error("the server takes no more input")]
    Closed,
    /// The queue of messages is full.
    #[error(transparent)]
    Full(#[from] Full),
    /// The message can't be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl<So: ByteSource> Lines<So> {
    /// Starts the writer. Must be called in a tokio runtime.
    pub(super) fn new(
        source: So,
        sink: impl ByteSink + 'static,
        backlog: Arc<Backlog>,
        record: Arc<Record>,
    ) -> Self {
        let (outgoing, lines) = unbounded_channel();
        Self {
            source,
            decoder: LineDecoder::new(Limits::max_line(MAX_LINE)),
            is_over: false,
            outgoing: Some(outgoing),
            writer: tokio::spawn(write(sink, lines, Arc::clone(&backlog))),
            backlog,
            deadline: None,
            record,
        }
    }

    /// Reads a block of bytes into the decoder.
    async fn read(&mut self) {
        let read = tokio::select! {
            read = self.source.read() => read,
            () = written(&mut self.writer, &mut self.deadline) => Ok(None),
        };
        match read {
            Ok(Some(block)) => self.decoder.push(block),
            Ok(None) => self.is_over = true,
            Err(error) => {
                self.record.note(&format!("reading from the server failed: {error}"));
                self.is_over = true;
            }
        }
    }

    fn queue(&self, item: &TxJsonRpcMessage<RoleClient>) -> Result<(), SendError> {
        let outgoing = self.outgoing.as_ref().filter(|outgoing| !outgoing.is_closed());
        let outgoing = outgoing.ok_or(SendError::Closed)?;
        let line = encode(item)?;
        let room = self.backlog.reserve(line.len()).inspect_err(|_| {
            // Without the number, so that repetitions are counted as one trouble.
            self.record.note("a message found no room, since the server takes too little input");
            if matches!(item, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) {
                self.backlog.give_up();
            }
        })?;
        // If the writer ended meanwhile, the connection ends too.
        _ = outgoing.send((line, room));
        Ok(())
    }

    /// Returns the message in a line, or the error that replaces it.
    fn message(&mut self, line: Result<Line, FrameError>) -> Option<RxJsonRpcMessage<RoleClient>> {
        let line = match line {
            Ok(line) if line.is_blank() => return None,
            Ok(line) => line,
            Err(FrameError::TooLong { excerpt, .. }) => return self.too_long(&excerpt),
            Err(_) => return None,
        };
        let error = match serde_json::from_slice(&kept(line.as_bytes())) {
            Ok(message) => return Some(message),
            Err(error) => error,
        };
        let Some(failed) = unreadable(line.as_bytes(), &error) else {
            self.record.noise(&line.excerpt());
            return None;
        };
        let what = format!("an answer on its stdout that is not a message ({error}): {}", line.excerpt());
        self.record.note(&what);
        Some(failed)
    }

    fn too_long(&mut self, excerpt: &str) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.record.note(&format!("{TOO_LONG}; it begins with {excerpt}"));
        let id = answered_first(excerpt);
        if id.is_none() {
            self.backlog.set_broken(TOO_LONG);
            self.is_over = true;
        }
        id.map(|id| failed(TOO_LONG, id))
    }
}

impl<So: ByteSource> Transport<RoleClient> for Lines<So> {
    type Error = SendError;

    /// Queues the message, without waiting.
    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        ready(self.queue(&item))
    }

    /// Receives the next message. Cancel-safe, as the sources of processes are.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            while let Some(line) = self.decoder.next() {
                let message = self.message(line);
                if message.is_some() {
                    return message;
                }
                if self.backlog.broken() == Some(TOO_LONG) {
                    return None;
                }
            }
            if self.is_over {
                return self.decoder.finish().and_then(|line| self.message(line));
            }
            self.read().await;
        }
    }

    async fn close(&mut self) -> Result<(), SendError> {
        self.outgoing = None;
        // Queued messages are written if the server reads them in time. The owner of the process ends it.
        if self.deadline.is_none() && timeout(LAST_WORDS, &mut self.writer).await.is_ok() {
            self.deadline = Some(Instant::now());
        }
        Ok(())
    }
}

impl<So> Drop for Lines<So> {
    fn drop(&mut self) {
        self.writer.abort();
    }
}

/// Resolves a moment after the writer has ended, so that the last output of the server is still read.
async fn written(writer: &mut JoinHandle<()>, deadline: &mut Option<Instant>) {
    let deadline = match *deadline {
        Some(deadline) => deadline,
        None => {
            // Only `drop` cancels the task.
            _ = writer.await;
            *deadline.insert(Instant::now() + LAST_WORDS)
        }
    };
    _ = timeout_at(deadline, std::future::pending::<()>()).await;
}

/// Returns the id of an answer that is JSON and not a valid message.
fn answered(line: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Answer {
        id: RequestId,
        method: Option<IgnoredAny>,
        result: Option<IgnoredAny>,
        error: Option<IgnoredAny>,
    }
    let Answer { id, method, result, error } = serde_json::from_slice(line).ok()?;
    (method.is_none() && (result.is_some() || error.is_some())).then_some(id)
}

/// Returns the id of an answer from the start of its line, if the id comes before the result.
fn answered_first(start: &str) -> Option<RequestId> {
    let end = ["\"result\"", "\"error\""].iter().filter_map(|key| start.find(key)).min()?;
    answered(format!("{}\"result\":0}}", &start[..end]).as_bytes())
}

/// Returns the error for the request of an invalid message, if the message is its answer.
pub(crate) fn unreadable(message: &[u8], error: &serde_json::Error) -> Option<RxJsonRpcMessage<RoleClient>> {
    answered(message).map(|id| failed(format!("{UNREADABLE}: {error}"), id))
}

/// Returns whether an error stands in for an answer of the server that could not be read.
pub fn is_unreadable(error: &ErrorData) -> bool {
    error.message.starts_with(UNREADABLE) || error.message == TOO_LONG
}

fn failed(why: impl Into<Cow<'static, str>>, id: RequestId) -> RxJsonRpcMessage<RoleClient> {
    JsonRpcMessage::error(ErrorData::internal_error(why, None), Some(id))
}

/// The longest line, in bytes.
const MAX_LINE: usize = 64 << 20;
const TOO_LONG: &str = "the server sent a line of more than 64 MiB, which was dropped";
/// The start of the error for any other answer that can't be read.
const UNREADABLE: &str = "the server's answer is not an MCP message";
/// How long output is read after the server has stopped reading.
const LAST_WORDS: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests;
