//! How the steps ended.

use std::fmt;

use crate::failure::Failure;

/// One line of the summary.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) name: &'static str,
    pub(super) seconds: f32,
    pub(super) outcome: Outcome,
}

/// How a step ended, with the reason if it did not pass.
#[derive(Debug)]
pub(super) enum Outcome {
    Passed,
    Failed(String),
    NotRun(String),
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, reason) = match &self.outcome {
            Outcome::Passed => ("ok", None),
            Outcome::Failed(reason) => ("FAILED", reason.lines().next()),
            Outcome::NotRun(reason) => ("not run", reason.lines().next()),
        };
        write!(f, "{word:<8} {:<18} {:>7.1} s", self.name, self.seconds)?;
        reason.map_or(Ok(()), |reason| write!(f, "  ({reason})"))
    }
}

/// Prints the end of each failed step's output, a line for each step, and the counts.
pub(super) fn end(lines: &[Line]) -> Result<(), Failure> {
    for line in lines {
        if let Outcome::Failed(reason) = &line.outcome {
            println!("\n{} failed: {reason}", line.name);
        }
    }
    println!("\nSummary");
    for line in lines {
        println!("{line}");
    }
    println!("{:<27} {:>7.1} s", "together", lines.iter().map(|line| line.seconds).sum::<f32>());
    let count = |is: fn(&Outcome) -> bool| lines.iter().filter(|line| is(&line.outcome)).count();
    let failed = count(|outcome| matches!(outcome, Outcome::Failed(_)));
    let not_run = count(|outcome| matches!(outcome, Outcome::NotRun(_)));
    println!("{} passed, {failed} failed, {not_run} not run", lines.len() - failed - not_run);
    if failed == 0 { Ok(()) } else { Err(Failure::already_reported()) }
}

#[cfg(test)]
mod tests {
    use super::{Line, Outcome, end};

    #[test]
    fn one_failed_step_fails_the_run() {
        let line = |outcome| Line { name: "tidy", seconds: 1.25, outcome };
        let mut lines = vec![line(Outcome::Passed), line(Outcome::NotRun("no npm".to_owned()))];
        assert!(end(&lines).is_ok());
        lines.push(line(Outcome::Failed("cargo fmt ended with 1\nmore".to_owned())));
        assert!(end(&lines).is_err());
        assert!(lines[2].to_string().ends_with("(cargo fmt ended with 1)"));
    }
}
