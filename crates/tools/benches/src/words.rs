//! Command-line arguments after the name of a measurement.

use std::process::ExitCode;

/// Returns whether a flag is present.
pub fn has(words: &[String], name: &str) -> bool {
    words.iter().any(|word| word == name)
}

/// Returns the value after a name, if present.
pub fn value<'a>(words: &'a [String], name: &str) -> Option<&'a String> {
    words.iter().position(|word| word == name).and_then(|at| words.get(at + 1))
}

/// Returns the exit code for this number of missed bounds; with `--check` a missed bound is a failure.
pub fn ended(words: &[String], missed: usize) -> ExitCode {
    if missed > 0 && has(words, "--check") { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

#[cfg(test)]
mod tests {
    use std::process::ExitCode;

    use super::{ended, value};

    #[test]
    fn missed_marks_fail_where_they_are_checked() {
        let words = ["--rounds", "3", "--check"].map(str::to_owned);
        assert_eq!(value(&words, "--rounds").unwrap(), "3");
        assert_eq!(value(&words, "--check"), None);
        assert_eq!(ended(&words, 1), ExitCode::FAILURE);
        assert_eq!(ended(&words, 0), ExitCode::SUCCESS);
        assert_eq!(ended(&words[..2], 1), ExitCode::SUCCESS);
    }
}
