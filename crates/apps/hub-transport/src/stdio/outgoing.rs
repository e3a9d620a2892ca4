//! The bounded queue of messages to a server.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use agentwire_transport::ByteSink;
use bytes::Bytes;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;

/// Counts the bytes that wait for a server to read them, and decides when the server is stalled.
#[derive(Debug)]
pub(super) struct Backlog {
    room: Arc<Semaphore>,
    pressure: watch::Sender<Pressure>,
    /// The reason why this side ended the connection, if it did.
    broken: OnceLock<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pressure {
    /// The last message found room.
    Low,
    /// The last message found no room.
    Full,
    /// A message found no room, and the server can't go on without it.
    Lost,
}

/// A queued line, with its share of the room.
pub(super) type Queued = (Bytes, OwnedSemaphorePermit);

/// A message found no room in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server takes no input: {0} bytes wait")]
pub struct Full(usize);

impl Backlog {
    pub(super) fn new() -> Self {
        let room = Arc::new(Semaphore::new(ROOM));
        Self { room, pressure: watch::Sender::new(Pressure::Low), broken: OnceLock::new() }
    }

    /// Reserves room for a message. A message that is larger than the whole room needs an empty queue.
    pub(super) fn reserve(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Full> {
        let bytes = u32::try_from(bytes.saturating_add(OVERHEAD).min(ROOM)).unwrap_or(u32::MAX);
        let permit = Arc::clone(&self.room).try_acquire_many_owned(bytes);
        let pressure = if permit.is_ok() { Pressure::Low } else { Pressure::Full };
        self.pressure.send_if_modified(|now| {
            let changes = *now != Pressure::Lost && *now != pressure;
            if changes {
                *now = pressure;
            }
            changes
        });
        permit.map_err(|_| self.full())
    }

    /// Ends the connection without further waiting: the server waits for a message that found no room.
    pub(super) fn give_up(&self) {
        self.pressure.send_replace(Pressure::Lost);
    }

    /// Waits until a message finds no room, and then for the time that the server has to read something.
    async fn stalled(&self) {
        let mut pressure = self.pressure.subscribe();
        // The sender is in `self`.
        _ = pressure.wait_for(|now| *now != Pressure::Low).await;
        _ = timeout(PATIENCE, pressure.wait_for(|now| *now == Pressure::Lost)).await;
    }

    /// Notes why the connection ends.
    pub(super) fn set_broken(&self, why: impl Into<String>) {
        _ = self.broken.set(why.into());
    }

    /// Returns why this side ended the connection, if it did.
    pub(super) fn broken(&self) -> Option<&str> {
        self.broken.get().map(String::as_str)
    }

    fn full(&self) -> Full {
        Full(ROOM - self.room.available_permits())
    }
}

/// Writes the queued lines in order, until the queue is closed, the server reads no more, or it is stalled.
pub(super) async fn write(
    mut sink: impl ByteSink,
    mut lines: UnboundedReceiver<Queued>,
    backlog: Arc<Backlog>,
) {
    while let Some((mut line, _room)) = lines.recv().await {
        // In pieces: a server that reads a long line slowly is not stalled.
        while !line.is_empty() {
            let piece = line.split_to(line.len().min(PIECE));
            tokio::select! {
                biased;
                // The end of the server's output gives the reason.
                written = sink.write(piece) => if written.is_err() { return },
                () = backlog.stalled() => {
                    backlog.set_broken(backlog.full().to_string());
                    return;
                }
            }
        }
    }
    // An error means that the server has ended.
    _ = sink.finish().await;
}

/// The size of the queue in bytes: several large messages, or a single one of any size.
const ROOM: usize = 64 << 20;
/// Counted for each message in addition to its bytes, so that the number of small messages is bounded too.
const OVERHEAD: usize = 1 << 10;
/// How long a server may read nothing while messages find no room.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most that is written at once: the capacity of a pipe on most systems.
const PIECE: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn queue_is_bounded_and_takes_one_message_of_any_size() {
        let backlog = Backlog::new();
        let large = backlog.reserve(2 * ROOM).unwrap();
        assert_eq!(backlog.reserve(1).unwrap_err(), Full(ROOM));
        drop(large);
        let small: Vec<_> = std::iter::from_fn(|| backlog.reserve(0).ok()).collect();
        assert_eq!(small.len(), ROOM / OVERHEAD, "the number of small messages is bounded");
    }

    #[tokio::test(start_paused = true)]
    async fn server_stalls_only_after_a_message_found_no_room() {
        let backlog = Backlog::new();
        let mut stalled = pin!(backlog.stalled());
        let all = backlog.reserve(ROOM).unwrap();
        tokio::time::advance(10 * PATIENCE).await;
        assert_eq!(stalled.as_mut().now_or_never(), None, "all messages found room");
        backlog.reserve(1).unwrap_err();
        tokio::time::advance(PATIENCE / 2).await;
        assert_eq!(stalled.as_mut().now_or_never(), None, "the server still has time to read");
        stalled.await;
        // After the next message that finds room, only a new refusal counts.
        drop(all);
        drop(backlog.reserve(1).unwrap());
        assert_eq!(backlog.stalled().now_or_never(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn lost_answer_ends_the_connection_at_once() {
        let backlog = Backlog::new();
        backlog.give_up();
        _ = backlog.reserve(1);
        assert_eq!(backlog.stalled().now_or_never(), Some(()));
    }
}
