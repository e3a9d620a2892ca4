//! A test waits for a condition.

use super::{Hit, Source};

/// No `sleep(` in test code: it is too long on a fast machine and too short on a busy one.
pub(super) fn find(source: &Source) -> Vec<Hit> {
    let Some(first) = source.first_test_line() else { return Vec::new() };
    let lines = source.code.lines().enumerate().skip(first - 1);
    let sleeping = lines.filter(|(_, line)| {
        line.match_indices("sleep(")
            .any(|(at, _)| !line[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_'))
    });
    sleeping.map(|(number, _)| (number + 1, "sleeps in a test: wait for a condition".to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::{Source, find};

    #[test]
    fn a_sleep_in_a_test_is_found() {
        let text =
            "//! A.\nfn a() { thread::sleep(x); }\n#[cfg(test)]\nmod tests {\n    fn b() { sleep(x); }\n}\n";
        assert_eq!(find(&Source::new("src/a.rs", text)).iter().map(|hit| hit.0).collect::<Vec<_>>(), [5]);
        assert_eq!(find(&Source::new("crates/codec/tests/it/a.rs", text)).len(), 2);
    }
}
