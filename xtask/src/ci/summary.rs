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

/// How a step ended; what is not plain success says why.
#[derive(Debug)]
pub(super) enum Outcome {
    Passed,
    /// It failed so, and passed when it was run again.
    Unsteady(String),
    Failed(String),
    NotRun(String),
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, reason) = match &self.outcome {
            Outcome::Passed => ("ok", None),
            Outcome::Unsteady(reason) => ("UNSTEADY", Some(reason)),
            Outcome::Failed(reason) => ("FAILED", Some(reason)),
            Outcome::NotRun(reason) => ("not run", Some(reason)),
        };
        write!(f, "{word:<8} {:<18} {:>7.1} s", self.name, self.seconds)?;
        // What was run, and the last that it said.
        let mut said = reason.map(|reason| reason.lines()).into_iter().flatten();
        match (said.next(), said.next_back()) {
            (None, _) => Ok(()),
            (Some(reason), None) => write!(f, "  ({reason})"),
            (Some(reason), Some(last)) => write!(f, "  ({reason}: {last:.300})"),
        }
    }
}

/// Prints what steps that failed, or failed once, said last, a line for each step, and the count; a failure where a step failed.
pub(super) fn end(lines: &[Line]) -> Result<(), Failure> {
    for line in lines {
        if let Outcome::Failed(reason) | Outcome::Unsteady(reason) = &line.outcome
            && let Some((_, last)) = reason.split_once('\n')
        {
            println!("\nThe end of what {} printed:\n{last}", line.name);
        }
    }
    println!("\nSummary");
    for line in lines {
        println!("{line}");
    }
    println!("{:<27} {:>7.1} s", "together", lines.iter().map(|line| line.seconds).sum::<f32>());
    println!("{}", count(lines));
    if lines.iter().any(|line| matches!(line.outcome, Outcome::Failed(_))) {
        // The count stays the last line.
        return Err(Failure::already_told());
    }
    Ok(())
}

fn count(lines: &[Line]) -> String {
    let [mut passed, mut unsteady, mut failed, mut skipped] = [0; 4];
    for line in lines {
        match line.outcome {
            Outcome::Passed => passed += 1,
            Outcome::Unsteady(_) => unsteady += 1,
            Outcome::Failed(_) => failed += 1,
            Outcome::NotRun(_) => skipped += 1,
        }
    }
    let unsteady = if unsteady == 0 { String::new() } else { format!("{unsteady} unsteady, ") };
    format!("{passed} passed, {unsteady}{failed} failed, {skipped} skipped")
}

#[cfg(test)]
mod tests {
    use super::{Line, Outcome, count, end};

    fn line(outcome: Outcome) -> Line {
        Line { name: "tidy", seconds: 1.25, outcome }
    }

    #[test]
    fn one_failed_step_fails_the_run() {
        let mut lines = vec![line(Outcome::Passed), line(Outcome::NotRun("no npm".to_owned()))];
        assert!(end(&lines).is_ok());
        assert_eq!(count(&lines), "1 passed, 0 failed, 1 skipped");
        lines.push(line(Outcome::Unsteady("cargo test ended with 1\na race".to_owned())));
        assert!(end(&lines).is_ok());
        assert_eq!(count(&lines), "1 passed, 1 unsteady, 0 failed, 1 skipped");
        assert!(lines[2].to_string().starts_with("UNSTEADY tidy"));
        assert!(lines[2].to_string().ends_with("(cargo test ended with 1: a race)"));
        lines.push(line(Outcome::Failed("cargo fmt ended with 1\nmore".to_owned())));
        assert!(end(&lines).is_err());
        assert_eq!(count(&lines), "1 passed, 1 unsteady, 1 failed, 1 skipped");
        assert!(lines[3].to_string().starts_with("FAILED   tidy"));
        assert!(lines[3].to_string().ends_with("(cargo fmt ended with 1: more)"));
    }
}
