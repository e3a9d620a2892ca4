//! Checks that a transport keeps its contract: each check opens one link to a peer that plays a known part.
//!
//! The suite can't know how your transport reaches its peer, so you provide that: the suite passes a [`Part`], and you
//! return a transport to a peer that plays it. A part plays itself: [`Part::play`] on any [`Read`](std::io::Read) and
//! [`Write`](std::io::Write), [`Part::play_in_memory`] on a [`MemoryPeer`](agentwire_transport::MemoryPeer), [`peer`]
//! as the `main` of a program, and [`Part::transcript`] gives it to a [`Replay`](crate::Replay).
//!
//! ```
//! use agentwire_testkit::conformance;
//! use agentwire_transport::memory;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let report = conformance::transport(|part| {
//!     let (transport, peer) = memory(1024);
//!     tokio::spawn(part.clone().play_in_memory(peer));
//!     Some(transport)
//! })
//! .cancel_safe_reads()
//! .run()
//! .await;
//! assert!(report.is_clean(), "{report}");
//! # }
//! ```
//!
//! A check that was not run does not make a report unclean. For a CLI with a process, also assert that
//! [`TransportReport::skipped`] has only the checks that the peer can't play.

mod checks;
mod end;
mod opened;
mod part;
mod perform;
mod report;

use std::{fmt, time::Duration};

use agentwire_transport::{BoxTransport, Transport};

use self::opened::{Opened, Verdict, with_cause};
pub use self::{
    part::{Part, PartKind, Step},
    perform::{PEER_GAVE_UP, peer},
    report::{Outcome, TransportReport},
};

/// Creates the suite for a transport. `make` returns an unopened transport to a peer that plays the part.
///
/// `None` means that this kind of peer cannot play the part; the report lists the check as not played.
/// [`Part::kind`] separates the parts that every peer can play from those that need more.
pub fn transport<T, M>(make: M) -> TransportSuite<M>
where
    T: Transport + 'static,
    M: FnMut(&Part) -> Option<T>,
{
    TransportSuite { make, limit: LIMIT, cancel_safe_reads: false }
}

/// The suite of checks for a transport, before it runs.
#[must_use = "it does nothing until it is run"]
pub struct TransportSuite<M> {
    make: M,
    limit: Duration,
    cancel_safe_reads: bool,
}

impl<M> TransportSuite<M> {
    /// Sets the time limit of each wait in a check; 20 seconds by default.
    ///
    /// Must be longer than the grace periods of the transport: a peer that ignores all else is killed after them.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Also checks that a dropped `read` loses nothing.
    ///
    /// The contract does not require it: a driver polls a read to its end.
    pub fn cancel_safe_reads(mut self) -> Self {
        self.cancel_safe_reads = true;
        self
    }

    /// Runs all checks, one after another, each on a link of its own.
    ///
    /// Must be called in a tokio runtime with its timer.
    pub async fn run<T>(mut self) -> TransportReport
    where
        T: Transport + 'static,
        M: FnMut(&Part) -> Option<T>,
    {
        let mut report = TransportReport::default();
        for part in Part::all() {
            let name = part.name();
            let outcome = if name == checks::DROPPED_READS && !self.cancel_safe_reads {
                Outcome::NotAsked
            } else {
                match (self.make)(&part) {
                    None => Outcome::NotPlayed,
                    Some(transport) => check(BoxTransport::new(transport), &part, self.limit).await,
                }
            };
            report.outcomes.push((name, outcome));
        }
        report
    }
}

impl<M> fmt::Debug for TransportSuite<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportSuite")
            .field("limit", &self.limit)
            .field("cancel_safe_reads", &self.cancel_safe_reads)
            .finish_non_exhaustive()
    }
}

async fn check(transport: BoxTransport, part: &Part, limit: Duration) -> Outcome {
    let opened = async {
        match opened::within(limit, "opening it", transport.open()).await? {
            Ok(link) => checks::run(part, Opened::new(link, limit)).await,
            Err(error) => opened::wrong(format!("it can't be opened: {}", with_cause(&error))),
        }
    };
    match opened.await {
        Verdict::Ok(()) => Outcome::Passed,
        Err(opened::Fault::NoProcess) => Outcome::NoProcess,
        Err(opened::Fault::Wrong(why)) => Outcome::Failed(why),
    }
}

/// Far longer than anything takes on a busy machine, and than the default graces of a process.
const LIMIT: Duration = Duration::from_secs(20);
