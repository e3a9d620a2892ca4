//! Plays the CLI's side of a transcript, and checks ours.
//!
//! [`Replay`] is a [`Transport`]: a session over it sees what the recorded session saw.
//! A line of the CLI is played when all our lines before it have come. Each of our lines must equal the recorded one:
//! the same JSON, with the same text of numbers.
//!
//! Ids that we make up differ between runs, so they are bound by position: the first request of ours stands for the
//! first recorded one, and output that is played later uses our ids. The same goes for the `uuid` of a prompt.
//! A stand-in in a recorded text, as `agentwire record` makes them, such as `<redacted-1>` or `<cwd>`, matches any
//! text, and the stand-in of an id alone any UUID; a stand-in that looks like ordinary text, such as a time, does so
//! only if the header has `redacted`.
//!
//! The order counts where the protocol defines it: prompts, requests and cancellations of ours come in their order;
//! answers to requests that are open at the same time may come in any order, before or after them.
//! A prompt may also come before the handshake of an MCP server of ours has ended.
//!
//! A mismatch ends the replay: reading fails with a text that names the expected line and the actual line, and
//! the [`ReplayHandle`] gives a [`ReplayReport`]. A wait for a line of ours is bounded, so that a replay never hangs.
//!
//! ```
//! use agentwire_testkit::{Replay, Transcript};
//! use agentwire_transport::{ByteSink, ByteSource, Transport};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let session = Transcript::parse(concat!(
//!     "# agentwire-transcript 1\n",
//!     "> {\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n",
//!     "< {\"type\":\"result\"}\n",
//!     "| end of input\n",
//!     "= exit 0\n",
//! ))?;
//! let replay = Replay::new(&session);
//! let handle = replay.handle();
//! let mut link = replay.open().await?;
//! link.sink.write("{\"message\":{\"content\":\"hi\",\"role\":\"user\"},\"type\":\"user\"}\n".into()).await?;
//! assert_eq!(link.source.read().await?.as_deref(), Some(&b"{\"type\":\"result\"}\n"[..]));
//! link.sink.finish().await?;
//! assert_eq!(link.source.read().await?, None);
//! assert!(handle.report().is_complete(), "{}", handle.report());
//! # Ok(())
//! # }
//! ```

mod compare;
mod initialize;
mod link;
mod player;
mod report;
mod stand_ins;
mod steps;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use agentwire_transport::{Connected, Transport, TransportError};
use tokio::sync::Notify;

pub use link::{ReplayPeer, ReplaySink, ReplaySource};
pub use report::{Mismatch, Missing, ReplayReport};

use crate::{Splits, Transcript, splits::Cutter, transcript::Entry};
#[doc(hidden)]
pub use player::Due;
use player::Player;
use steps::ReplaySteps;
#[doc(hidden)]
pub use steps::exit_report;

/// Plays the CLI's side of a transcript.
#[derive(Debug)]
pub struct Replay {
    shared: Arc<Shared>,
}

/// Reports the progress of a replay, while it runs and afterwards; clones share it.
#[derive(Clone, Debug)]
pub struct ReplayHandle {
    shared: Arc<Shared>,
}

impl Replay {
    /// Plays this session. Recorded delays are not kept.
    pub fn new(transcript: &Transcript) -> Self {
        let replay = Self::of(ReplaySteps::new(transcript));
        // `redacted no` also comes from a redactor: it has replaced texts, and left private ones.
        replay.shared.player().leniency.redacted = transcript.header.redacted.is_some();
        replay
    }

    /// Plays these entries, each with its line number in the file.
    #[doc(hidden)]
    pub fn of_entries(entries: impl IntoIterator<Item = (usize, Entry)>) -> Self {
        Self::of(ReplaySteps::of(entries))
    }

    fn of(steps: ReplaySteps) -> Self {
        Self { shared: Arc::new(Shared { player: Mutex::new(Player::new(steps)), moved: Notify::new() }) }
    }

    /// Sets how the output is cut into reads.
    #[must_use]
    pub fn splits(self, splits: Splits) -> Self {
        self.shared.player().cutter = Cutter::new(splits);
        self
    }

    /// Sets the limit of a wait for a line of ours; 10 seconds by default.
    ///
    /// Measured by tokio's clock, so that a test with a paused one does not wait.
    #[must_use]
    pub fn limit(self, limit: Duration) -> Self {
        self.shared.player().limit = limit;
        self
    }

    /// Treats the transcript as one of another host, from which our host may differ.
    ///
    /// Of its `initialize` only the hooks are compared, because we must answer them: each event needs the same number
    /// of callbacks, which are bound by position and not by id. Of a prompt only the text is compared.
    /// An error may have another text, an acknowledgement of an MCP notification may have any content, and a signal is
    /// not awaited.
    #[must_use]
    pub fn foreign(self) -> Self {
        self.shared.player().leniency.foreign = true;
        self
    }

    /// Returns a handle that reports the progress.
    pub fn handle(&self) -> ReplayHandle {
        ReplayHandle { shared: Arc::clone(&self.shared) }
    }
}

impl Transport for Replay {
    type Source = ReplaySource;
    type Sink = ReplaySink;
    type Handle = ReplayPeer;

    async fn open(self) -> Result<Connected<ReplaySource, ReplaySink, ReplayPeer>, TransportError> {
        self.shared.change(Player::advance);
        Ok(link::open(self.shared))
    }
}

impl ReplayHandle {
    /// Returns the report up to now.
    pub fn report(&self) -> ReplayReport {
        self.shared.player().report()
    }

    /// Waits until a line is due that only the host can decide to send, or until nothing more is.
    #[doc(hidden)]
    pub async fn due(&self) -> Due {
        self.shared.wait(Player::due).await
    }
}

/// The state that the three parts of the link and the handle share.
struct Shared {
    player: Mutex<Player>,
    /// Notified when something was played, came, or ended.
    moved: Notify,
}

// The player has the whole recording.
agentwire_transport::debug_by_name!(Shared);

impl Shared {
    /// Locks the player. Its methods keep it consistent, so a panic elsewhere does no harm.
    fn player(&self) -> MutexGuard<'_, Player> {
        self.player.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the player, and wakes all waiting tasks.
    fn change<T>(&self, change: impl FnOnce(&mut Player) -> T) -> T {
        let changed = change(&mut self.player());
        self.moved.notify_waiters();
        changed
    }

    /// Waits until the player returns a value; `ready` runs again after each change.
    async fn wait<T>(&self, mut ready: impl FnMut(&mut Player) -> Option<T>) -> T {
        loop {
            let mut moved = std::pin::pin!(self.moved.notified());
            // Registered before asking, so that no change falls between.
            moved.as_mut().enable();
            if let Some(ready) = ready(&mut self.player()) {
                return ready;
            }
            moved.await;
        }
    }
}
