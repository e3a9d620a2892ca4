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
