//! The lines to and from the client, with a limit of updates that the client has not read.

use std::{
    collections::HashSet,
    future::ready,
    io,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
};

use agent_client_protocol::{
    Client, Error, JsonRpcMessage as _, Lines, UntypedMessage,
    v1::{
        ConnectionTo,
        schema::{SessionNotification, SessionUpdate},
    },
};
use agentwire::{Warning, protocol::decode::decode};
use futures_util::{Sink, SinkExt, Stream, StreamExt as _, TryStreamExt as _, stream::poll_fn};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Semaphore,
};
use tokio_util::{
    codec::{AnyDelimiterCodec, AnyDelimiterCodecError, FramedRead, FramedWrite, LinesCodec},
    sync::CancellationToken,
};

/// Sends updates to the client, and waits while it reads too slowly.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    client: ConnectionTo<Client>,
    room: Room,
    warned: Warned,
}

/// The texts of the warnings that the sessions of a connection have shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warned(Arc<Mutex<HashSet<String>>>);

/// The room for updates between a session and the client.
///
/// The connection's queue has no bound, so a session takes a permit for each update, and the writer returns it.
#[derive(Clone, Debug)]
pub(crate) struct Room(Arc<Semaphore>);

impl Room {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(UPDATES)))
    }

    /// Makes all waiting senders fail, after the connection has ended.
    pub(crate) fn close(&self) {
        self.0.close();
    }
}

impl Outbox {
    pub(crate) fn new(client: ConnectionTo<Client>, room: Room, warned: Warned) -> Self {
        Self { client, room, warned }
    }

    /// Returns whether the connection has this warning for the first time.
    pub(crate) fn is_first(&self, warning: &Warning) -> bool {
        self.warned.0.lock().unwrap_or_else(PoisonError::into_inner).insert(warning.to_string())
    }

    /// Returns the connection, for requests.
    pub(crate) fn client(&self) -> &ConnectionTo<Client> {
        &self.client
    }

    /// Sends updates of a session in order, until the connection has ended.
    pub(crate) async fn show(&self, session: &str, updates: Vec<SessionUpdate>) {
        for update in updates {
            let Ok(permit) = self.room.0.acquire().await else { return };
            permit.forget();
            let sent = notification(session, update).and_then(|update| self.client.send_notification(update));
            if sent.is_err() {
                return;
            }
        }
    }
}

/// Returns the notification of an update.
///
/// It has the kind and the status of a tool call even if they are the defaults, which the types of the protocol omit:
/// its schema names none, and some clients show a call without them as if it had ended.
fn notification(session: &str, update: SessionUpdate) -> Result<UntypedMessage, Error> {
    let mut message = SessionNotification::new(session.to_owned(), update).to_untyped_message()?;
    if let Some(update) = message.params["update"].as_object_mut()
        && update["sessionUpdate"] == "tool_call"
    {
        update.entry("kind").or_insert_with(|| "other".into());
        update.entry("status").or_insert_with(|| "pending".into());
    }
    Ok(message)
}

/// Returns the transport over these streams. A line of the client may have [`LONGEST_LINE`] bytes; a longer one ends
/// the connection. The end of the input cancels `ended`.
pub(crate) fn lines(
    input: impl AsyncRead + Send + 'static,
    output: impl AsyncWrite + Send + 'static,
    room: &Room,
    ended: CancellationToken,
) -> Lines<
    impl Sink<String, Error = io::Error> + Send + 'static,
    impl Stream<Item = io::Result<String>> + Send + 'static,
> {
    let room = room.clone();
    // `LinesCodec` fails on invalid UTF-8. The empty list is for written lines, and this codec writes none.
    let lines = AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), Vec::new(), LONGEST_LINE);
    let incoming = FramedRead::new(input, lines).map_ok(|line| text(&line)).map_err(unread);
    let incoming = incoming.try_filter(|line| ready(!line.trim().is_empty())).chain(poll_fn(move |_| {
        ended.cancel();
        Poll::Ready(None)
    }));
    let lines = FramedWrite::new(output, LinesCodec::new());
    let lines = SinkExt::<String>::sink_map_err(lines, io::Error::other);
    let outgoing = SinkExt::<String>::with(lines, move |line: String| {
        if is_update(&line) {
            room.0.add_permits(1);
        }
        ready(Ok::<_, io::Error>(line))
    });
    Lines::new(outgoing, incoming)
}

/// Returns whether a line is an update. The parameters of another message may contain the same text.
fn is_update(line: &str) -> bool {
    line.split(r#""params""#).next().is_some_and(|start| start.contains(r#""method":"session/update""#))
}

/// Replaces invalid UTF-8 and lone surrogates: an editor may cut a text within a character. JSON allows the surrogates,
/// and the protocol's own reader does not. Removes a byte order mark, which is not JSON.
fn text(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line).trim_start_matches('\u{feff}').to_owned();
    if !(line.contains(r"\ud") || line.contains(r"\uD")) {
        return line;
    }
    decode::<serde_json::Value>(&line).map_or(line, |message| message.to_string())
}

fn unread(error: AnyDelimiterCodecError) -> io::Error {
    match error {
        AnyDelimiterCodecError::Io(error) => error,
        AnyDelimiterCodecError::MaxChunkLengthExceeded => io::Error::new(
            io::ErrorKind::InvalidData,
            format!("a line of the client is longer than {LONGEST_LINE} bytes"),
        ),
    }
}

/// How many updates may wait for the client.
const UPDATES: usize = 256;
/// The longest line of the client, in bytes: a prompt may contain images.
const LONGEST_LINE: usize = 64 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::is_update;

    #[test]
    fn request_that_contains_an_update_is_not_one() {
        let update = r#"{"jsonrpc":"2.0","method":"session/update","params":{}}"#;
        assert!(is_update(update));
        let asking = r#"{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":"#;
        assert!(!is_update(&format!("{asking}{update}}}")));
    }
}
