//! Messages as lines: what a server writes between two newlines is a message, or noise.

use std::{borrow::Cow, collections::VecDeque, future::ready, sync::Arc, time::Duration};

use agentwire_codec::{EncodeError, FrameError, Limits, Line, LineDecoder, encode};
use agentwire_transport::{ByteSink, ByteSource};
use bytes::Bytes;
use rmcp::{
    RoleClient,
    model::{ErrorData, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    task::JoinHandle,
    time::{Instant, timeout, timeout_at},
};

use super::{
    backlog::{Backlog, Full},
    refusal::{LONG, TooLong, answered},
};
use crate::{record::Record, transport::members::kept};

/// A transport of lines of JSON.
///
/// One task writes, in the order in which the messages were given, and ends with this.
/// What waits for it has a bound, past which a request fails at once; a server that takes nothing for
/// a while then, and one that would wait for an answer that found no room, is listened to no more.
pub(crate) struct Lines<So, Si> {
    source: So,
    decoder: LineDecoder,
    too_long: TooLong,
    /// What stands for answers that can't be had: of lines that were too long.
    refused: VecDeque<RxJsonRpcMessage<RoleClient>>,
    /// Nothing more will be read.
    is_over: bool,
    /// `None` once it is closed.
    outgoing: Option<UnboundedSender<Bytes>>,
    backlog: Arc<Backlog>,
    writer: JoinHandle<()>,
    /// From when on nothing is read any more of a server that takes no more.
    broken: Option<Instant>,
    record: Arc<Record>,
    sink: std::marker::PhantomData<fn(Si)>,
}

/// Why a message could not be sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    #[error("the server takes no more input")]
    Closed,
    #[error(transparent)]
    Full(#[from] Full),
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl<So: ByteSource, Si: ByteSink + 'static> Lines<So, Si> {
    /// Must be called in a tokio runtime.
    pub(super) fn new(source: So, sink: Si, backlog: Arc<Backlog>, record: Arc<Record>) -> Self {
        // The backlog is its bound.
        let (outgoing, lines) = mpsc::unbounded_channel();
        Self {
            source,
            decoder: LineDecoder::new(Limits::max_line(MAX_LINE)),
            too_long: TooLong::default(),
            refused: VecDeque::new(),
            is_over: false,
            outgoing: Some(outgoing),
            writer: tokio::spawn(write(sink, lines, Arc::clone(&backlog))),
            backlog,
            broken: None,
            record,
            sink: std::marker::PhantomData,
        }
    }

    /// Reads on until there is more to be decoded.
    async fn read_on(&mut self) {
        let read = tokio::select! {
            read = self.source.read() => read,
            () = broken(&mut self.writer, &mut self.broken) => Ok(None),
        };
        match read {
            Ok(Some(block)) => {
                let answered =
                    self.too_long.see(&block, self.decoder.is_dropping() || self.decoder.buffered() > LONG);
                self.refused.extend(answered.map(too_long));
                self.decoder.push(block);
            }
            Ok(None) => self.is_over = true,
            Err(error) => {
                self.record.note(&format!("reading from the server failed: {error}"));
                self.is_over = true;
            }
        }
    }

    fn queue(&mut self, item: TxJsonRpcMessage<RoleClient>) -> Result<(), SendError> {
        let outgoing = self.outgoing.as_ref().filter(|outgoing| !outgoing.is_closed());
        let outgoing = outgoing.ok_or(SendError::Closed)?;
        let line = encode(&item)?;
        match self.backlog.add(line.len()) {
            Ok(()) => outgoing.send(line).map_err(|_| SendError::Closed),
            Err(full) => self.find_no_room(item, full),
        }
    }

    fn find_no_room(&mut self, item: TxJsonRpcMessage<RoleClient>, full: Full) -> Result<(), SendError> {
        // Not the number, so that it is told once.
        self.record.note("a message found no room, since the server takes too little input");
        if matches!(item, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) {
            self.backlog.give_up();
        }
        Err(full.into())
    }

    fn message(&self, line: &Line) -> Option<RxJsonRpcMessage<RoleClient>> {
        if line.is_blank() {
            return None;
        }
        if let Ok(message) = serde_json::from_slice(&kept(line.as_bytes())) {
            return Some(message);
        }
        let Some(id) = answered(line.as_bytes()) else {
            self.record.noise(&line.excerpt());
            return None;
        };
        self.record.note(&format!("an answer on its stdout that is no message: {}", line.excerpt()));
        Some(failed("the server's answer can't be read", id))
    }

    /// Returns the message in a line, or the error that stands for it.
    fn taken(&mut self, line: Result<Line, FrameError>) -> Option<RxJsonRpcMessage<RoleClient>> {
        match line {
            Ok(line) => self.message(&line),
            Err(error) => self.refusal(&error),
        }
    }

    /// What stands for a line that is too long: an error, where it can be told what it answers.
    fn refusal(&mut self, error: &FrameError) -> Option<RxJsonRpcMessage<RoleClient>> {
        let FrameError::TooLong { excerpt, .. } = error else { return None };
        self.record.note(&format!("{TOO_LONG}; it begins with {excerpt}"));
        self.too_long.begins(excerpt).map(too_long)
    }
}

impl<So: ByteSource, Si: ByteSink + 'static> Transport<RoleClient> for Lines<So, Si> {
    type Error = SendError;

    /// Done at once: what is given waits in the backlog.
    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        ready(self.queue(item))
    }

    /// Cancel-safe, as the sources of processes are.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if let Some(refused) = self.refused.pop_front() {
                return Some(refused);
            }
            while let Some(line) = self.decoder.next() {
                let message = self.taken(line);
                if message.is_some() {
                    return message;
                }
            }
            if self.is_over {
                return self.decoder.finish().and_then(|line| self.taken(line));
            }
            self.read_on().await;
        }
    }

    async fn close(&mut self) -> Result<(), SendError> {
        self.outgoing = None;
        // What is queued is written as far as the server takes it; its end is up to whoever owns the process.
        if self.broken.is_none() {
            let _ = timeout(LAST_WORDS, &mut self.writer).await;
        }
        Ok(())
    }
}

impl<So, Si> Drop for Lines<So, Si> {
    fn drop(&mut self) {
        self.writer.abort();
    }
}

/// Writes until nothing more is to come, the server takes no more, or it has taken nothing for too long.
async fn write(mut sink: impl ByteSink, mut lines: UnboundedReceiver<Bytes>, backlog: Arc<Backlog>) {
    let all = async {
        while let Some(mut line) = lines.recv().await {
            // In pieces, so that a server that takes a long line slowly is seen to take it.
            while !line.is_empty() {
                let piece = line.split_to(line.len().min(PIECE));
                let length = piece.len();
                if sink.write(piece).await.is_err() {
                    // The end of its output, or a limit, tells why.
                    return;
                }
                backlog.taken(length);
            }
            backlog.taken_whole();
        }
        // Failing means that it is ended already.
        let _ = sink.finish().await;
    };
    tokio::select! {
        () = all => {}
        () = backlog.stalled() => {}
    }
}

/// Resolves a moment after the server has ceased to take input: what it still has to say is read until then.
async fn broken(writer: &mut JoinHandle<()>, since: &mut Option<Instant>) {
    let until = match *since {
        Some(until) => until,
        None => {
            // It can't be cancelled while this waits, and it does not panic.
            let _ = writer.await;
            *since.insert(Instant::now() + LAST_WORDS)
        }
    };
    let _ = timeout_at(until, std::future::pending::<()>()).await;
}

fn too_long(id: RequestId) -> RxJsonRpcMessage<RoleClient> {
    failed(TOO_LONG, id)
}

fn failed(why: impl Into<Cow<'static, str>>, id: RequestId) -> RxJsonRpcMessage<RoleClient> {
    JsonRpcMessage::error(ErrorData::internal_error(why, None), Some(id))
}

/// The longest line, in bytes.
const MAX_LINE: usize = 64 << 20;
const TOO_LONG: &str = "the server sent a line of more than 64 MiB, which was dropped";
/// How much is written at once: as much as the pipe of most systems holds.
const PIECE: usize = 64 << 10;
/// How long a connection that ends is listened to.
const LAST_WORDS: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use std::future::pending;

    use agentwire_transport::TransportError;
    use rmcp::model::{ClientResult, EmptyResult, PingRequest};
    use serde_json::json;

    use super::*;

    /// A server that says nothing and takes nothing.
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

    fn lines() -> (Lines<Silent, Silent>, Arc<Backlog>) {
        let backlog = Arc::new(Backlog::new());
        (Lines::new(Silent, Silent, Arc::clone(&backlog), Arc::default()), backlog)
    }

    fn ping(id: i64) -> TxJsonRpcMessage<RoleClient> {
        JsonRpcMessage::request(PingRequest::default().into(), RequestId::Number(id))
    }

    #[tokio::test(start_paused = true)]
    async fn requests_past_the_bound_are_refused_and_a_server_that_takes_nothing_is_given_up() {
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
        assert!(lines.receive().await.is_none(), "nothing more is waited for");
        assert!(backlog.why().is_some());
        assert!(matches!(lines.send(ping(0)).await, Err(SendError::Closed)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_asks_without_end_and_reads_no_answer_is_given_up_at_once() {
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
        assert!(backlog.why().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn the_answer_that_was_there_is_taken_before_the_end() {
        let (mut lines, _) = lines();
        let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
        lines.decoder.push(format!("{answer}\n").into_bytes().into());
        lines.backlog.give_up();
        assert!(matches!(lines.receive().await, Some(JsonRpcMessage::Response(_))));
        assert!(lines.receive().await.is_none());
    }
}
