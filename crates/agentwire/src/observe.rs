//! Observation of a session: as a stream for programs, and as `tracing` spans.
//!
//! Both are derived from one tree of open activities, which is maintained only while an observer exists.

mod activity_tree;
mod call;
mod note;
mod observation;
mod outcome;
mod reply;
mod span;
mod stream;
mod watch;

pub(crate) use call::Call;
pub use observation::{Activity, Began, Ended, Observation, Totals};
pub use outcome::{ActivityOutcome, Verdict};
pub use stream::Observations;
pub(crate) use watch::Watch;

use crate::Session;

impl Session {
    /// Returns a stream of activities (turns, tool uses, callbacks), each with a start and an end event.
    ///
    /// It starts with the activities that are open now, the session first; its last observation is the end of the
    /// session.
    /// Events are emitted when the CLI's messages arrive, even if the session is not read, and in order: a callback
    /// starts after the messages before it, and ends before its answer is sent.
    /// Contents are included only with [`SessionBuilder::observe_contents`](crate::SessionBuilder::observe_contents).
    ///
    /// Several streams may exist, and each receives all events.
    /// A stream that is read too slowly loses its oldest events and receives their number; the session never waits.
    /// While no stream exists and the session's span is not recorded, turns and tool uses are not tracked: a stream
    /// created during a turn sees only the activities that begin later.
    ///
    /// The guide `docs/observing.md` describes the equivalent spans.
    pub fn observe(&self) -> Observations {
        self.watch().observe()
    }
}
