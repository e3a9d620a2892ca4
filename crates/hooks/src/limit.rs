//! Our own limit of a handler: behind the CLI's where that refuses by itself, and shortly before it where it does not.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
    time::{Duration, Instant},
};

use agentwire_control::CancellationToken;
use tokio::{select, time};

/// When a handler is told to end, and when it is answered for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limit {
    /// The CLI's limit, from when the request came.
    pub(crate) whole: Duration,
    /// When the handler's token fires.
    told: Duration,
    /// When its future is dropped, and its failure answered.
    ended: Duration,
    /// What the CLI is told.
    pub(crate) declared: Duration,
}

impl Limit {
    /// The limit of a handler that must be done before the CLI's runs out, since the CLI would then let pass what the
    /// handler guards.
    ///
    /// A fifth of a short limit is no time for an answer to get there: the CLI is told a longer one.
    pub(crate) fn ahead_of(whole: Duration) -> Self {
        let margin = (whole / 5).min(MOST_AHEAD);
        let ended = whole - margin;
        let declared = whole.max(ended.saturating_add(LEAST_AHEAD));
        Self { whole, told: ended - margin, ended, declared }
    }

    /// The limit of a handler that the CLI gives up by itself: it only cleans up, should that not happen.
    pub(crate) fn behind(whole: Duration) -> Self {
        let told = whole.saturating_add(BEHIND);
        Self { whole, told, ended: told.saturating_add(BEHIND), declared: whole }
    }

    /// Until when an answer of a handler counts that was started then; `None` where that is too far away to be told.
    pub(crate) fn deadline(&self, start: time::Instant) -> Option<Instant> {
        start.checked_add(self.whole.min(self.ended)).map(time::Instant::into_std)
    }

    /// Lets `work` run to its end or to its limit, and fires `told` some time before that; `None` at the limit.
    pub(crate) async fn bound<T>(
        self,
        start: time::Instant,
        told: CancellationToken,
        mut work: impl Future<Output = T> + Unpin,
    ) -> Option<T> {
        // Most handlers answer at once, and need no timer.
        if let Poll::Ready(output) = poll_fn(|context| Poll::Ready(Pin::new(&mut work).poll(context))).await {
            return Some(output);
        }
        // In a box, since most futures of this are moved and dropped without its timers.
        Box::pin(self.wait(start, told, work)).await
    }

    async fn wait<T>(
        self,
        start: time::Instant,
        told: CancellationToken,
        mut work: impl Future<Output = T> + Unpin,
    ) -> Option<T> {
        let (Some(tell), Some(end)) = (start.checked_add(self.told), start.checked_add(self.ended)) else {
            return Some(work.await);
        };
        select! {
            biased;
            output = &mut work => return Some(output),
            () = time::sleep_until(tell) => told.cancel(),
        }
        select! {
            biased;
            output = work => Some(output),
            () = time::sleep_until(end) => None,
        }
    }
}

/// The most that an answer comes ahead of the limit.
const MOST_AHEAD: Duration = Duration::from_secs(2);
/// The least that it comes ahead of the CLI's: the way to the CLI takes no second even on a busy machine.
const LEAST_AHEAD: Duration = Duration::from_secs(1);
/// How far behind the CLI's limit ours is, and how long a handler may then clean up, as where the CLI cancels it.
const BEHIND: Duration = Duration::from_secs(5);
