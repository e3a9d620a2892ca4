//! The printed report of a file: one line, and a line for each failure.

use agentwire_judge::conformance::{Corruption, Report};
use serde_json::{Value, json};

use super::{File, Outcome, Told};

/// For a person.
pub(super) fn line(file: &File, outcome: &Outcome) {
    let verdict = match outcome {
        Outcome::NotPlayed(_) => "----",
        _ if outcome.is_passed() => "ok  ",
        _ => "FAIL",
    };
    println!("{verdict} {}  {}", file.name, summary(outcome));
    for failure in failures(outcome) {
        println!("       {}", failure.replace('\n', "\n         "));
    }
}

/// The last lines.
pub(super) fn end(told: &Told) {
    let not_played = match told.not_played {
        0 => String::new(),
        count => format!("{count} not played, "),
    };
    println!("{not_played}{} passed, {} failed", told.passed, told.failed);
}

/// For a program: one JSON object a line.
pub(super) fn json(file: &File, outcome: &Outcome) {
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
    println!("{object}");
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
