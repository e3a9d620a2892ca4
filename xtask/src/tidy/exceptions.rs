//! The files that may break a rule, each with the reason.

use super::Finding;

/// One file that may break one rule.
struct Exception {
    rule: &'static str,
    path: &'static str,
    reason: &'static str,
}

/// Removes excepted findings; an unused exception is a finding itself.
pub(super) fn apply(findings: Vec<Finding>) -> Vec<Finding> {
    apply_these(EXCEPTIONS, findings)
}

fn apply_these(exceptions: &[Exception], mut findings: Vec<Finding>) -> Vec<Finding> {
    for exception in exceptions {
        let Exception { rule, path, reason } = exception;
        let before = findings.len();
        findings.retain(|finding| finding.rule != *rule || finding.path != *path);
        let what = if reason.is_empty() {
            format!("the exception for `{path}` gives no reason")
        } else if findings.len() == before {
            format!("nothing in `{path}` breaks that rule: remove its exception from tidy/exceptions.rs")
        } else {
            continue;
        };
        findings.push(Finding { rule, path: "xtask/src/tidy/exceptions.rs".to_owned(), line: 0, what });
    }
    findings
}

const EXCEPTIONS: &[Exception] = &[
    Exception {
        rule: "sleep",
        path: "crates/control/tests/it/clock.rs",
        reason: "the clock of those tests is paused: it moves only when all tasks wait, and then at once",
    },
    Exception {
        rule: "sleep",
        path: "crates/tools/judge/tests/it/live/durable.rs",
        reason: "it asks an engine for the state of a session, which has no notification",
    },
    Exception {
        rule: "sleep",
        path: "crates/tools/judge/tests/it/live/leaving.rs",
        reason: "it watches other processes, which report nothing, and looks for what must not happen meanwhile",
    },
    Exception {
        rule: "sleep",
        path: "crates/tools/judge/tests/it/live/leaving/host.rs",
        reason: "it waits for a file of another process",
    },
    Exception {
        rule: "sleep",
        path: "crates/tools/judge/tests/it/live/mirrored.rs",
        reason: "it watches another process, which reports nothing",
    },
];

#[cfg(test)]
mod tests {
    use super::{Exception, Finding, apply_these};

    fn finding(path: &str) -> Finding {
        Finding { rule: "budget", path: path.to_owned(), line: 0, what: String::new() }
    }

    #[test]
    fn excuses_one_file_and_reports_itself_when_it_is_no_longer_needed() {
        let exception = |reason| Exception { rule: "budget", path: "a.rs", reason };
        let left = apply_these(&[exception("a table")], vec![finding("a.rs"), finding("b.rs")]);
        assert_eq!(left.iter().map(|finding| finding.path.as_str()).collect::<Vec<_>>(), ["b.rs"]);
        assert_eq!(apply_these(&[exception("a table")], Vec::new()).len(), 1);
        assert_eq!(apply_these(&[exception("")], vec![finding("a.rs")]).len(), 1);
    }
}
