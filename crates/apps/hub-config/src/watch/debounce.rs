//! When a change is told: after a while of quiet, and in any case after a longer one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The changes that are not told yet.
pub(super) struct Debounce {
    quiet: Duration,
    at_most: Duration,
    touched: BTreeMap<PathBuf, Touch>,
}

struct Touch {
    first: Instant,
    last: Instant,
    is_certain: bool,
}

impl Debounce {
    pub(super) fn new(quiet: Duration, at_most: Duration) -> Self {
        Self { quiet, at_most, touched: BTreeMap::new() }
    }

    /// A file was changed, or may have been.
    pub(super) fn touch(&mut self, path: PathBuf, is_certain: bool, now: Instant) {
        let touch = self.touched.entry(path).or_insert(Touch { first: now, last: now, is_certain });
        touch.last = now;
        touch.is_certain |= is_certain;
    }

    pub(super) fn retain(&mut self, still: &BTreeSet<PathBuf>) {
        self.touched.retain(|path, _| still.contains(path));
    }

    /// Those to be told now, and whether it is certain.
    pub(super) fn due(&mut self, now: Instant) -> Vec<(PathBuf, bool)> {
        let is_due = |touch: &Touch| touch.due(self.quiet, self.at_most) <= now;
        let due = self.touched.iter().filter(|(_, touch)| is_due(touch));
        let due: Vec<_> = due.map(|(path, touch)| (path.clone(), touch.is_certain)).collect();
        for (path, _) in &due {
            self.touched.remove(path);
        }
        due
    }

    /// When the next one is to be told.
    pub(super) fn next(&self) -> Option<Instant> {
        self.touched.values().map(|touch| touch.due(self.quiet, self.at_most)).min()
    }
}

impl Touch {
    fn due(&self, quiet: Duration, at_most: Duration) -> Instant {
        (self.last + quiet).min(self.first + at_most)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Debounce;

    #[test]
    fn a_change_waits_for_quiet_but_not_for_ever() {
        let start = Instant::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        let mut debounce = Debounce::new(Duration::from_millis(500), Duration::from_millis(2000));
        assert_eq!(debounce.next(), None);
        for millis in (0..=1900).step_by(100) {
            debounce.touch("busy".into(), millis == 300, at(millis));
            assert_eq!(debounce.due(at(millis)), []);
        }
        debounce.touch("calm".into(), false, at(1200));
        assert_eq!(debounce.next(), Some(at(1700)));
        assert_eq!(debounce.due(at(1700)), [("calm".into(), false)]);
        assert_eq!(debounce.next(), Some(at(2000)));
        assert_eq!(debounce.due(at(2000)), [("busy".into(), true)]);
        assert_eq!(debounce.next(), None);
    }
}
