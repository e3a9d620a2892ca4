//! Names of objects, which sort in the order of appending.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// A time in microseconds since the Unix epoch, unique within this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stamp(u64);

impl Stamp {
    /// Returns the next stamp, later than all before it even if the clock goes back.
    pub(crate) fn next() -> Self {
        Self::after(Self(0))
    }

    /// Returns the next stamp, which is also later than `other`.
    pub(crate) fn after(other: Self) -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let least = now.map_or(0, |since| since.as_micros() as u64).max(other.0.saturating_add(1));
        let next = |last: u64| least.max(last.saturating_add(1));
        let update = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        Self(update.map_or(least, next))
    }

    /// Returns whether this time can come from a clock. Continuing from a later time could exhaust the names.
    pub(crate) fn is_credible(self) -> bool {
        self.0 < INCREDIBLE
    }

    /// Returns the time in milliseconds.
    pub(crate) fn milliseconds(self) -> u64 {
        self.0 / 1000
    }

    /// Returns the name of an object with this stamp, unique across processes.
    pub(crate) fn name(self) -> String {
        format!("{:016}-{:016x}{EXTENSION}", self.0, process())
    }

    /// Parses the name of an object; returns `None` for names of other programs.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let (moment, process) = name.strip_suffix(EXTENSION)?.split_once('-')?;
        let digits = moment.len() == 16 && moment.bytes().all(|byte| byte.is_ascii_digit());
        (digits && process.len() == 16).then(|| moment.parse().ok().map(Self))?
    }
}

/// Returns whether this process wrote the object of this name.
pub(crate) fn is_own(name: &str) -> bool {
    name.ends_with(&format!("-{:016x}{EXTENSION}", process()))
}

/// Returns a number that identifies this process across machines.
fn process() -> u64 {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    // The keys of a hash map are random.
    *PROCESS.get_or_init(|| RandomState::new().build_hasher().finish())
}

static LAST: AtomicU64 = AtomicU64::new(0);
/// In the year 2255, 31 years before the names' limit.
const INCREDIBLE: u64 = 9_000_000_000_000_000;
const EXTENSION: &str = ".jsonl";

#[cfg(test)]
mod tests {
    use super::{Stamp, is_own};

    #[test]
    fn names_sort_in_the_order_of_their_creation() {
        let stamps = [Stamp::next(), Stamp::next(), Stamp::after(Stamp::next())];
        assert!(stamps.is_sorted());
        assert!(stamps.map(Stamp::name).is_sorted());
        assert_eq!(stamps.map(|stamp| Stamp::of(&stamp.name())), stamps.map(Some));
    }

    #[test]
    fn new_stamps_follow_existing_objects() {
        let ahead = Stamp(Stamp::next().0 + 3_600_000_000);
        assert!(Stamp::after(ahead) > ahead);
        assert!(Stamp::next() > ahead, "also for whoever does not look");
    }

    #[test]
    fn implausible_stamps_are_not_credible() {
        assert!(Stamp::next().is_credible());
        let of = |moment: u64| Stamp::of(&Stamp(moment).name()).unwrap();
        assert!(of(8_999_999_999_999_999).is_credible());
        assert!(!of(9_000_000_000_000_000).is_credible());
    }

    #[test]
    fn names_of_other_writers_are_recognized() {
        for name in
            ["", "1.jsonl", "0000000000000001-x.jsonl", "00000000000000a1-0000000000000000.jsonl", "folder"]
        {
            assert_eq!(Stamp::of(name), None, "{name}");
        }
        assert!(is_own(&Stamp::next().name()));
        assert!(!is_own("0000000000000001-0000000000000001.jsonl"));
    }
}
