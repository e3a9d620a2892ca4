//! The printed report of a file: one line, and a line for each failure.

use agentwire_judge::conformance::{Corruption, Report};
use serde_json::{Value, json};

use super::{Counts, File, Outcome};
use crate::failure::Failure;
use crate::output::{self, plain};

/// Writes a line for a person.
pub(super) fn line(file: &File, outcome: &Outcome) -> Result<(), Failure> {
    let verdict = match outcome {
        Outcome::NotPlayed(_) => "----",
        _ if outcome.is_passed() => "ok  ",
        _ => "FAIL",
    };
    output::line(format_args!("{verdict} {}  {}", plain(&file.name), plain(&summary(outcome))))?;
    for failure in failures(outcome) {
        output::line(format_args!("       {}", plain(&failure).replace('\n', "\n         ")))?;
    }
    Ok(())
}

/// Writes the last lines.
pub(super) fn end(counts: &Counts) -> Result<(), Failure> {
    let not_played = match counts.not_played {
        0 => String::new(),
        count => format!("{count} not played, "),
    };
    output::line(format_args!("{not_played}{} passed, {} failed", counts.passed, counts.failed))
}

/// Writes a JSON object per line for a program.
pub(super) fn json(file: &File, outcome: &Outcome) -> Result<(), Failure> {
    let mut object = json!({
        "file": file.name,
        "passed": outcome.is_passed(),
        "failures": failures(outcome),
    });
    let more = match outcome {
        Outcome::Unreadable(_) => json!({}),
        Outcome::Checked(Report { inbound, outbound, .. }) => {
            json!({"inbound": inbound, "outbound": outbound})
        }
        Outcome::NotPlayed(Report { inbound, .. }) => json!({"inbound": inbound, "played": false}),
        Outcome::Tested(test) => json!({"found": names(&test.found), "missed": names(&test.missed)}),
    };
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
    output::line(object)
}

/// Returns a JUnit report, with a test case for each file.
pub(super) fn junit<'a>(files: impl Iterator<Item = (&'a File, &'a Outcome)> + Clone) -> String {
    let failed = files.clone().filter(|(_, outcome)| !failures(outcome).is_empty()).count();
    let skipped = files.clone().filter(|(_, outcome)| matches!(outcome, Outcome::NotPlayed(_))).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuite name=\"agentwire check\" tests=\"{}\" failures=\"{failed}\" skipped=\"{skipped}\">\n",
        files.clone().count()
    );
    for (file, outcome) in files {
        let failures = failures(outcome);
        text.push_str(&format!("  <testcase name=\"{}\">", escaped(&file.name)));
        if !failures.is_empty() {
            text.push_str(&format!("<failure>{}</failure>", escaped(&failures.join("\n"))));
        } else if matches!(outcome, Outcome::NotPlayed(_)) {
            text.push_str("<skipped/>");
        }
        text.push_str("</testcase>\n");
    }
    text + "</testsuite>\n"
}

fn escaped(text: &str) -> String {
    let is_allowed = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let text: String = text.chars().filter(is_allowed).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn summary(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Unreadable(_) => "can't be read".to_owned(),
        Outcome::Checked(report) => format!("{} lines in, {} out", report.inbound, report.outbound),
        Outcome::NotPlayed(report) => {
            format!("{} lines in, not played: it has no line of ours", report.inbound)
        }
        Outcome::Tested(test) => format!("{} kinds of corruption found", test.found.len()),
    }
}

fn failures(outcome: &Outcome) -> Vec<String> {
    match outcome {
        Outcome::Unreadable(why) => vec![why.clone()],
        Outcome::Checked(report) | Outcome::NotPlayed(report) => {
            report.findings.iter().map(ToString::to_string).collect()
        }
        Outcome::Tested(test) => {
            let splits = test.splits.iter().map(|(splits, report)| format!("with {splits}: {report}"));
            splits.chain(test.missed.iter().map(|kind| format!("{kind} was found at no place"))).collect()
        }
    }
}

fn names(corruptions: &[Corruption]) -> Vec<String> {
    corruptions.iter().map(ToString::to_string).collect()
}
