//! The time limit of a handler: shortly before the CLI's limit if the CLI would let a late event pass that the hook can
//! refuse, otherwise after it.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
    time::{Duration, Instant},
};

use agentwire_control::CancellationToken;
use tokio::{select, time};

/// The time limit of a handler, as durations from the start of the request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limit {
    /// The limit that the matcher or the event sets.
    pub(crate) whole: Duration,
    /// When the handler's token is cancelled.
    cancelled: Duration,
    /// When its future is dropped and the failure is sent.
    ended: Duration,
    /// The limit in the handshake.
    pub(crate) declared: Duration,
}

impl Limit {
    /// Creates a limit that ends before the CLI's, since the CLI would let a late event pass.
    ///
    /// A fifth of a short limit is too little time for the answer to arrive, so the handshake declares a longer one.
    pub(crate) fn ahead_of(whole: Duration) -> Self {
        let margin = (whole / 5).min(MAX_AHEAD);
        let ended = whole - margin;
        let declared = whole.max(ended.saturating_add(MIN_AHEAD));
        Self { whole, cancelled: ended - margin, ended, declared }
    }

    /// Creates a limit that ends after the CLI's, in case the CLI does not cancel the request at its own limit.
    pub(crate) fn behind(whole: Duration) -> Self {
        let cancelled = whole.saturating_add(BEHIND);
        Self { whole, cancelled, ended: cancelled.saturating_add(BEHIND), declared: whole }
    }

    /// Returns the deadline of a handler that starts now, or `None` if an `Instant` can't represent it.
    pub(crate) fn deadline(&self, start: time::Instant) -> Option<Instant> {
        start.checked_add(self.whole.min(self.ended)).map(time::Instant::into_std)
    }

    /// Runs `work` to its end; returns `None` if the limit is reached first. Cancels `cancelled` some time before the
    /// limit.
    pub(crate) async fn bound<T>(
        self,
        start: time::Instant,
        cancelled: CancellationToken,
        mut work: impl Future<Output = T> + Unpin,
    ) -> Option<T> {
        // Most handlers are ready at the first poll and need no timer.
        if let Poll::Ready(output) = poll_fn(|context| Poll::Ready(Pin::new(&mut work).poll(context))).await {
            return Some(output);
        }
        // Boxed, so that a future without timers stays small.
        Box::pin(self.wait(start, cancelled, work)).await
    }

    async fn wait<T>(
        self,
        start: time::Instant,
        cancelled: CancellationToken,
        mut work: impl Future<Output = T> + Unpin,
    ) -> Option<T> {
        let (Some(cancel), Some(end)) = (start.checked_add(self.cancelled), start.checked_add(self.ended))
        else {
            return Some(work.await);
        };
        // One of several handlers may start after the time at which the token of an earlier one was cancelled.
        let cancel = if time::Instant::now() < cancel { cancel } else { end };
        select! {
            biased;
            output = &mut work => return Some(output),
            () = time::sleep_until(cancel) => cancelled.cancel(),
        }
        select! {
            biased;
            output = work => Some(output),
            () = time::sleep_until(end) => None,
        }
    }
}

/// The maximum margin before the limit.
const MAX_AHEAD: Duration = Duration::from_secs(2);
/// The minimum margin before the CLI's limit: an answer reaches the CLI within a second even on a busy machine.
const MIN_AHEAD: Duration = Duration::from_secs(1);
/// How long after the CLI's limit the token is cancelled, and how long a handler may then clean up.
const BEHIND: Duration = Duration::from_secs(5);
