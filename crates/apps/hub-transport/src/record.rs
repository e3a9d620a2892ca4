//! The last errors of a server, and the last lines of its stderr.

mod keeper;

use std::{sync::Arc, time::SystemTime};

pub use keeper::{Record, cut, with_stderr};

/// An error of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trouble {
    /// The time of the first occurrence.
    pub at: SystemTime,
    /// The description, in at most 1,000 characters.
    pub what: Arc<str>,
    /// The number of occurrences in a row.
    pub times: u64,
}

/// A line that a server wrote to its stderr.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StderrLine {
    /// The time at which it was read.
    pub at: SystemTime,
    /// The line, in at most 1,000 characters.
    pub text: Arc<str>,
}
