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
        if let Ok(message) = serde_json::from_slice(&kept(line.as_bytes())) {
            return Some(message);
        }
        let Some(id) = answered(line.as_bytes()) else {
            self.record.noise(&line.excerpt());
            return None;
        };
        self.record.note(&format!("an answer on its stdout that is no message: {}", line.excerpt()));
        Some(failed(UNREADABLE, id))
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
#[cfg(feature = "http")]
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
const UNREADABLE: &str = "the server's answer is no message of MCP";
/// How long output is read after the server has stopped reading.
const LAST_WORDS: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use std::future::pending;

    use agentwire_transport::TransportError;
    use bytes::Bytes;
    use rmcp::model::{ClientResult, EmptyResult, PingRequest};
    use serde_json::json;

    use super::*;

    /// A server that writes nothing and reads nothing.
    struct Silent;

    impl ByteSource for Silent {
        async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
            pending().await
        }
    }

    impl ByteSink for Silent {
        async fn write(&mut self, _: Bytes) -> Result<(), TransportError> {
            pending().await
        }

        async fn finish(&mut self) -> Result<(), TransportError> {
            pending().await
        }
    }

    /// A server that reads everything.
    struct Reader;

    impl ByteSink for Reader {
        async fn write(&mut self, _: Bytes) -> Result<(), TransportError> {
            Ok(())
        }

        async fn finish(&mut self) -> Result<(), TransportError> {
            Ok(())
        }
    }

    fn lines() -> (Lines<Silent>, Arc<Backlog>) {
        let backlog = Arc::new(Backlog::new());
        (Lines::new(Silent, Silent, Arc::clone(&backlog), Arc::default()), backlog)
    }

    fn ping(id: i64) -> TxJsonRpcMessage<RoleClient> {
        JsonRpcMessage::request(PingRequest::default().into(), RequestId::Number(id))
    }

    fn id(number: i64) -> Option<RequestId> {
        Some(RequestId::Number(number))
    }

    #[tokio::test(start_paused = true)]
    async fn requests_past_the_bound_are_refused_and_a_stalled_server_is_disconnected() {
        let (mut lines, backlog) = lines();
        let mut sent = 0;
        let error = loop {
            match lines.send(ping(sent)).await {
                Ok(()) => sent += 1,
                Err(error) => break error,
            }
            assert!(sent < 1_000_000, "there is no bound");
        };
        assert!(matches!(error, SendError::Full(_)), "{error}");
        assert!(error.to_string().starts_with("the server takes no input: "), "{error}");
        assert!(lines.receive().await.is_none(), "the connection has ended");
        assert!(backlog.broken().is_some());
        assert!(matches!(lines.send(ping(0)).await, Err(SendError::Closed)));
    }

    #[tokio::test(start_paused = true)]
    async fn server_that_reads_no_answers_is_disconnected_at_once() {
        let (mut lines, backlog) = lines();
        let start = Instant::now();
        let answer =
            || JsonRpcMessage::response(ClientResult::EmptyResult(EmptyResult {}), RequestId::Number(1));
        let mut sent = 0;
        while lines.send(answer()).await.is_ok() {
            sent += 1;
            assert!(sent < 1_000_000, "there is no bound");
        }
        assert!(lines.receive().await.is_none());
        assert!(start.elapsed() <= LAST_WORDS);
        assert!(backlog.broken().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn answer_that_arrived_is_received_before_the_end() {
        let (mut lines, backlog) = lines();
        let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
        lines.decoder.push(format!("{answer}\n").into_bytes().into());
        lines.send(ping(0)).await.unwrap();
        backlog.give_up();
        assert!(matches!(lines.receive().await, Some(JsonRpcMessage::Response(_))));
        assert!(lines.receive().await.is_none());
    }

    #[tokio::test]
    async fn answer_with_a_lone_surrogate_is_received() {
        let (mut lines, _) = lines();
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a\ud83d"}]}}"#;
        lines.decoder.push(format!("{answer}\n").into_bytes().into());
        let Some(JsonRpcMessage::Response(answer)) = lines.receive().await else { panic!("no response") };
        let answer = serde_json::to_value(answer.result).unwrap();
        assert_eq!(answer["content"][0]["text"], "a\u{fffd}");
    }

    #[tokio::test]
    async fn closed_connection_can_be_closed_again_and_receives_nothing() {
        let mut lines = Lines::new(Silent, Reader, Arc::new(Backlog::new()), Arc::default());
        lines.close().await.unwrap();
        lines.close().await.unwrap();
        assert!(lines.receive().await.is_none());
    }

    #[tokio::test]
    async fn long_answer_fails_its_request_and_any_other_long_line_ends_the_connection() {
        let long = "x".repeat(MAX_LINE);
        let (mut lines, backlog) = lines();
        let mut receive = async |line: String| {
            lines.decoder.push(format!("{line}\n").into_bytes().into());
            lines.receive().await
        };
        let first = receive(format!("{{\"id\":7,\"result\":\"{long}\"}}")).await;
        assert!(matches!(first, Some(JsonRpcMessage::Error(error)) if error.id == id(7)));
        assert_eq!(backlog.broken(), None);
        assert!(receive(format!("{{\"result\":\"{long}\",\"id\":7}}")).await.is_none());
        assert_eq!(backlog.broken(), Some(TOO_LONG));
    }

    #[test]
    fn id_of_a_long_answer_is_found_before_its_result() {
        assert_eq!(answered_first(r#"{"jsonrpc":"2.0","id":5,"result":{"x"#), id(5));
        assert_eq!(answered_first(r#" { "id" : 5 , "error" : {"result": 1"#), id(5));
        assert_eq!(answered_first(r#"{"id":5,"jsonrpc":"2.0","result":"#), id(5));
        for other in [
            r#"{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","result":1"#,
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"id":5,"result":"#,
            r#"{"result":{"id":5,"result":"#,
            r#"{"jsonrpc":"2.0","id":5"#,
            "",
        ] {
            assert_eq!(answered_first(other), None, "{other}");
        }
    }

    #[test]
    fn invalid_answer_has_the_id_of_its_request() {
        assert_eq!(answered(br#"{"jsonrpc":"2.0","id":3,"error":"boom"}"#), id(3));
        assert_eq!(answered(br#"{"id":3,"method":"x","error":"boom"}"#), None);
        assert_eq!(answered(br#"{"level":"info"}"#), None);
    }
}
