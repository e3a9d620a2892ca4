//! Tests of the conformance suite: a correct store passes, and each fault is detected by the expected checks.

use std::collections::BTreeSet;
use std::convert::Infallible;

use agentwire_sessions::conformance::{self, CHECKS, Outcome, Report};
use agentwire_sessions::{MemoryStore, SessionStore};

use crate::faulty::{Fault, Faulty};

#[tokio::test]
async fn memory_store_passes_all_checks() {
    let report = conformance::run(async || Ok::<_, Infallible>(MemoryStore::new())).await;
    assert!(report.is_conformant(), "{report}");
    assert_eq!((report.passed(), report.skipped()), (CHECKS.len(), 0), "{report}");
}

#[tokio::test]
async fn each_fault_is_detected_by_exactly_the_expected_checks() {
    let (mut found, mut table) = (BTreeSet::new(), String::new());
    for fault in Fault::ALL.iter().filter(|fault| !fault.is_permitted()) {
        let report = conformance::run(async || Ok::<_, Infallible>(Faulty::new(*fault))).await;
        let failed = failed(&report);
        assert!(!failed.is_empty() && !report.is_conformant(), "{fault:?}\n{report}");
        table += &format!("{fault:?}\n");
        failed.iter().for_each(|check| table += &format!("    {check}\n"));
        found.extend(failed);
    }
    insta::assert_snapshot!("faults", table);
    let all: BTreeSet<_> = CHECKS.iter().map(conformance::Check::name).collect();
    let unproved: Vec<_> = all.difference(&found).collect();
    assert!(unproved.is_empty(), "no fault makes these fail: {unproved:?}");
}

#[tokio::test]
async fn missing_methods_are_reported_as_skipped() {
    let report = conformance::run(async || Ok::<_, Infallible>(Faulty::new(Fault::OnlyWhatIsNeeded))).await;
    assert!(report.is_conformant(), "{report}");
    // A check that calls an optional method is skipped, and each other check passes.
    assert!(report.to_string().ends_with("32 passed, 0 failed, 25 skipped"), "{report}");
    assert_eq!((report.passed(), report.skipped()), (32, 25));
    let methods = ["list_sessions", "list_summaries", "delete", "list_subkeys"];
    let reasons = methods.map(|method| format!("the store has no `{method}`"));
    for checked in report.checked() {
        if let Outcome::Skipped(why) = &checked.outcome {
            assert!(reasons.contains(why), "{checked:?}");
        }
    }
    assert!(
        report.to_string().contains("skipped  deletes_a_session (the store has no `delete`)"),
        "{report}"
    );
}

#[tokio::test]
async fn a_refused_lone_surrogate_is_reported_and_not_a_fault() {
    let report =
        conformance::run(async || Ok::<_, Infallible>(Faulty::new(Fault::RefusesLoneSurrogates))).await;
    assert!(report.is_conformant(), "{report}");
    assert_eq!(report.skipped(), 1);
    assert!(report.to_string().contains("refuses them: `append` failed: appending: not that"), "{report}");
}

#[tokio::test]
async fn all_checks_fail_without_a_store() {
    let report = conformance::run(async || Err::<MemoryStore, _>("the server is down")).await;
    assert_eq!(report.failed(), CHECKS.len());
    assert!(report.to_string().contains("there is no store: the server is down"), "{report}");
}

#[tokio::test]
async fn a_check_can_be_run_alone_on_a_store_of_any_kind() {
    let store: Box<dyn SessionStore> = Box::new(Faulty::new(Fault::FailsToAppend));
    let outcome = CHECKS[0].run(&*store).await;
    let Outcome::Failed(why) = outcome else { panic!("{outcome:?}") };
    assert!(why.ends_with("failed: appending: not that"), "{why}");
}

#[test]
fn checks_have_unique_names_and_requirements() {
    let names: BTreeSet<_> = CHECKS.iter().map(conformance::Check::name).collect();
    assert_eq!(names.len(), CHECKS.len());
    for check in CHECKS {
        assert!(check.demands().ends_with('.'), "{check:?}");
    }
}

fn failed(report: &Report) -> BTreeSet<&'static str> {
    let failed = report.checked().iter().filter(|checked| matches!(checked.outcome, Outcome::Failed(_)));
    failed.map(|checked| checked.check.name()).collect()
}
