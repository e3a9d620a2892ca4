//! A test waits for a condition.

use super::{Hit, Source};

/// No `sleep(` in test code: it is too long on a fast machine and too short on a busy one.
pub(super) fn find(source: &Source) -> Vec<Hit> {
    let first = source.first_test_line().unwrap_or(usize::MAX);
    let lines = source.code.lines().enumerate().skip(first.saturating_sub(1));
    let sleeping = lines.filter(|(_, line)| {
        line.match_indices("sleep(")
            .any(|(at, _)| !line[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_'))
    });
    let hits = sleeping.map(|(number, _)| (number + 1, "sleeps in a test: wait for a condition".to_owned()));
    let hits: Vec<Hit> = hits.collect();
    match (MAY_SLEEP.iter().any(|(path, _)| *path == source.path), hits.is_empty()) {
        (true, true) => vec![(0, "does not sleep: remove it from tidy/sleep.rs".to_owned())],
        (true, false) => Vec::new(),
        (false, _) => hits,
    }
}

/// The tests that may sleep, with the reasons.
const MAY_SLEEP: &[(&str, &str)] = &[
    ("crates/apps/hub/tests/it/stateless.rs", "a person answers late there, since the time limit is tested"),
    (
        "crates/control/tests/it/clock.rs",
        "the clock of those tests is paused: it moves only when all tasks wait, and then at once",
    ),
    (
        "crates/tools/judge/tests/it/live/durable.rs",
        "it asks an engine for the state of a session, which has no notification",
    ),
    (
        "crates/tools/judge/tests/it/live/leaving.rs",
        "it watches other processes, which report nothing, and looks for what must not happen meanwhile",
    ),
    ("crates/tools/judge/tests/it/live/leaving/host.rs", "it waits for a file of another process"),
    ("crates/tools/judge/tests/it/live/mirrored.rs", "it watches another process, which reports nothing"),
];

#[cfg(test)]
mod tests {
    use super::{Source, find};

    #[test]
    fn files_that_may_sleep_exist() {
        let root = crate::workspace::root().unwrap();
        for (path, _) in super::MAY_SLEEP {
            assert!(root.join(path).exists(), "{path}");
        }
    }

    #[test]
    fn a_sleep_in_a_test_is_found() {
        let text =
            "//! A.\nfn a() { thread::sleep(x); }\n#[cfg(test)]\nmod tests {\n    fn b() { sleep(x); }\n}\n";
        assert_eq!(find(&Source::new("src/a.rs", text)).iter().map(|hit| hit.0).collect::<Vec<_>>(), [5]);
        assert_eq!(find(&Source::new("crates/codec/tests/it/a.rs", text)).len(), 2);
        let excepted = super::MAY_SLEEP[0].0;
        assert!(find(&Source::new(excepted, text)).is_empty());
        assert_eq!(find(&Source::new(excepted, "//! A.\n")).len(), 1, "an exception that is not needed");
    }
}
