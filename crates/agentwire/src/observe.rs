//! Seeing what happens in a session: as a stream for programs, and as spans of `tracing`.
//!
//! Both are made of the same: a ledger of what is open, which is kept while somebody wants to know.

mod call;
mod ledger;
mod note;
mod observation;
mod outcome;
mod reply;
mod span;
mod stream;
mod watch;

pub(crate) use call::Call;
pub use observation::{Activity, Began, Ended, Observation, Totals};
pub use outcome::{Outcome, Verdict};
pub use stream::Observations;
pub(crate) use watch::Watch;

use crate::Session;

impl Session {
    /// What happens in the session from now on: turns, tool uses, and callbacks, each with its beginning and its end.
    ///
    /// It begins with what is open now, the session first, and ends with the end of the session, which
    /// is its last observation.
    /// Things are told when they come from the CLI, also while nobody reads the session, and in the order in which they
    /// happen: a callback after what was said before it, and its end before its answer is sent.
    /// What was said is not told, unless [`SessionBuilder::observe_contents`](crate::SessionBuilder::observe_contents)
    /// is set.
    ///
    /// There may be several, each with all that happens.
    /// One that is not read in time loses the oldest, and is told how many; the session waits for none.
    /// While there is none, and the session's span is not recorded, turns and tool uses are not followed: one that comes
    /// in the middle of a turn sees what begins after it.
    ///
    /// See the guide `docs/observing.md` for the spans, which tell the same.
    pub fn observe(&self) -> Observations {
        self.watch().observe()
    }
}
