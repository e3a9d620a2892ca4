//! The marks: how much one way may cost, as a ratio of times within one run.

use std::fmt;

use crate::ways::{IGNORED, PLAIN, RAW, TYPED, VALUE, Way};

/// A bound on the ratio of two ways' times.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Mark {
    /// The way above the line.
    pub of: Way,
    /// The way below the line.
    pub to: Way,
    /// What the ratio must keep.
    pub bound: Bound,
}

/// What a ratio must keep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Bound {
    /// No more than this.
    Most(f64),
    /// No less than this.
    Least(f64),
}

impl Bound {
    /// Whether the ratio keeps it.
    pub fn holds(self, ratio: f64) -> bool {
        match self {
            Self::Most(most) => ratio <= most,
            Self::Least(least) => ratio >= least,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Most(most) => write!(f, "≤ {most}"),
            Self::Least(least) => write!(f, "≥ {least}"),
        }
    }
}

/// The marks for a stream of partial messages.
pub const MARKS: &[Mark] = &[
    Mark { of: RAW, to: IGNORED, bound: Bound::Most(2.2) },
    Mark { of: TYPED, to: IGNORED, bound: Bound::Most(2.8) },
    Mark { of: PLAIN, to: RAW, bound: Bound::Least(1.8) },
    Mark { of: VALUE, to: RAW, bound: Bound::Least(2.5) },
];

/// The mark for the memory of all messages that are kept, as times the bytes of their lines.
pub const RETAINED: Bound = Bound::Most(2.0);

/// What `floor` must reach where it reads the stream in process, as times the bytes a second of `IgnoredAny`: less is a
/// straw man.
pub const FLOOR: Bound = Bound::Least(0.45);

/// What `floor-tokio` must reach on the stream, as times `floor`.
pub const FLOOR_TOKIO: Bound = Bound::Least(0.5);

/// What the bare echo may take at p50, as times `floor`: one that is slow by itself flatters whoever is compared with it.
pub const ECHO: Bound = Bound::Most(2.0);

/// The mark for the round trip of a callback, one at a time: ours as times that of `floor-tokio`, at p50.
pub const ROUND_TRIP: Bound = Bound::Most(1.2);

/// The older mark for it: as times the bare echo's.
pub const ROUND_TRIP_ECHO: Bound = Bound::Most(1.5);

/// The mark for 32 hooks at once: requests a second, as times those of `floor-tokio`.
pub const MANY: Bound = Bound::Least(0.7);

/// The mark for many callbacks at once: requests a second with 64 open, as times those one at a time.
pub const AT_ONCE: Bound = Bound::Least(1.0);

/// The mark for linear growth: the time that a request takes with 64 open, as times that with 8 open.
///
/// Were it the number of open requests that each of them costs, it would be eight times.
pub const LINEAR: Bound = Bound::Most(1.25);

/// The mark for the stream: messages a second, as times those of `floor-tokio`.
pub const STREAM: Bound = Bound::Least(1.0);

/// The mark for a huge line: the time, as times that of `floor-tokio`.
pub const HUGE: Bound = Bound::Most(1.3);

/// The mark for the start: the time to the first message, as times that of `floor-tokio`.
pub const START: Bound = Bound::Most(1.2);

/// The mark for the memory of a client that reads the stream, or stops reading it, in MB.
pub const MEMORY: Bound = Bound::Most(12.0);

/// The mark for the memory of a session that is idle, in kilobytes.
pub const SESSION_MEMORY: Bound = Bound::Most(60.0);

/// The mark for growth with the number of sessions: the time of one among 1,000, as times that of one among 250.
pub const SESSIONS_LINEAR: Bound = Bound::Most(1.25);

/// The mark for one long line: the most bytes that are allocated while it passes, as times the line.
pub const HUGE_ALLOC: Bound = Bound::Most(2.2);

/// The mark for a list of 10,000 stored sessions: the time, as times that of a bare loop that stats each file and reads
/// its first and last 64 KiB.
pub const LIST: Bound = Bound::Most(1.5);

/// The mark for a list of the newest ten of them: the time, as times that of a bare loop that stats each file.
pub const LIST_FEW: Bound = Bound::Most(1.5);

/// The mark for the memory that listing takes beside the list itself, in MB.
pub const LIST_HEAP: Bound = Bound::Most(4.0);

/// The middle one.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::{Bound, median};

    #[test]
    fn a_bound_can_be_missed() {
        assert!(Bound::Most(2.0).holds(2.0) && !Bound::Most(2.0).holds(2.1));
        assert!(Bound::Least(2.0).holds(2.0) && !Bound::Least(2.0).holds(1.9));
        assert!(!Bound::Most(2.0).holds(f64::NAN));
    }

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert!(median(Vec::new()).is_nan());
    }
}
