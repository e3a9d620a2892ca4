//! Tests of the conformance suite: a correct store passes, and each fault is detected by the expected checks.

use std::collections::BTreeSet;
use std::convert::Infallible;

use agentwire_sessions::conformance::{self, CHECKS, OptionalMethod, Outcome, Report};
use agentwire_sessions::{MemoryStore, SessionStore};

use crate::faulty::{Fault, Faulty};

#[tokio::test]
async fn the_store_in_memory_does_all() {
    let report = conformance::run(async || Ok::<_, Infallible>(MemoryStore::new())).await;
    assert!(report.is_conformant(), "{report}");
    assert_eq!((report.passed(), report.skipped()), (CHECKS.len(), 0), "{report}");
}

#[tokio::test]
async fn each_fault_is_detected_by_exactly_the_expected_checks() {
    let mut found = BTreeSet::new();
    for (fault, expected) in FAULTS {
        let report = conformance::run(async || Ok::<_, Infallible>(Faulty::new(*fault))).await;
        let failed = failed(&report);
        assert_eq!(failed, expected.iter().copied().collect(), "{fault:?}\n{report}");
        assert!(!report.is_conformant());
        found.extend(failed);
    }
    let all: BTreeSet<_> = CHECKS.iter().map(conformance::Check::name).collect();
    let unproved: Vec<_> = all.difference(&found).collect();
    assert!(unproved.is_empty(), "no fault makes these fail: {unproved:?}");
}

#[tokio::test]
async fn missing_methods_are_reported_as_skipped() {
    let report = conformance::run(async || Ok::<_, Infallible>(Faulty::new(Fault::OnlyWhatIsNeeded))).await;
    assert!(report.is_conformant(), "{report}");
    for checked in report.checked() {
        let needed: Vec<String> = checked.check.needs().iter().map(OptionalMethod::to_string).collect();
        match &checked.outcome {
            Outcome::Passed => assert!(needed.is_empty(), "{checked:?}"),
            Outcome::Skipped(why) => assert!(needed.iter().any(|method| why.contains(method)), "{checked:?}"),
            other => panic!("{other:?}"),
        }
    }
    let (passed, skipped) = (report.passed(), report.skipped());
    assert!(passed > 25 && skipped > 20, "{report}");
    assert!(
        report.to_string().contains("skipped  deletes_a_session (the store has no `delete`)"),
        "{report}"
    );
    assert!(
        report.to_string().ends_with(&format!("{passed} passed, 0 failed, {skipped} skipped")),
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
async fn where_no_store_can_be_made_all_fails() {
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

/// Each fault, and all checks that must fail for it.
const FAULTS: &[(Fault, &[&str])] = &[
    (
        Fault::ReversesBatches,
        &[
            "a_large_entry_is_kept",
            "a_repeated_id_is_told_once",
            "a_retry_that_overlaps_is_completed",
            "an_id_repeated_in_a_batch_is_told_once",
            "an_id_that_is_no_text_is_none",
            "appends_at_once_stay_together_each",
            "appends_at_once_to_many_keys_stay_apart",
            "escapes_are_kept",
            "ids_are_told_apart_exactly",
            "lone_surrogates_are_kept_or_refused",
            "many_entries_are_kept",
            "numbers_keep_their_value",
            "order_across_appends",
            "order_within_an_append",
            "shapes_are_kept",
            "the_same_batch_at_once_is_told_once",
            "unicode_is_kept",
            "zero_characters_are_kept",
        ],
    ),
    (
        Fault::PutsAppendsInFront,
        &["a_retry_that_overlaps_is_completed", "many_entries_are_kept", "order_across_appends"],
    ),
    (
        Fault::LoadsUnknownKeysAsEmpty,
        &[
            "an_empty_append_makes_no_key_known",
            "an_unknown_key_is_none",
            "deletes_a_session",
            "deletes_a_session_of_subpaths_alone",
            "deletes_all_beneath_a_session",
            "deletes_one_subpath_alone",
        ],
    ),
    (Fault::ForgetsOnEmptyAppends, &["an_empty_append_changes_nothing"]),
    (
        Fault::MakesKeysKnownByEmptyAppends,
        &[
            "an_empty_append_makes_no_key_known",
            "lists_no_session_of_an_empty_append",
            "lists_no_subkeys_where_there_are_none",
        ],
    ),
    (
        Fault::KeepsRepeatedIds,
        &[
            "a_repeated_id_is_told_once",
            "a_retry_that_overlaps_is_completed",
            "an_id_repeated_in_a_batch_is_told_once",
            "the_same_batch_at_once_is_told_once",
        ],
    ),
    (Fault::KeepsIdsRepeatedInABatch, &["an_id_repeated_in_a_batch_is_told_once"]),
    (
        Fault::DropsARetryOfWhatItHas,
        &["a_retry_leaves_the_summary_as_it_is", "a_retry_that_overlaps_is_completed"],
    ),
    (
        Fault::SharesIdsAmongKeys,
        &[
            "deletes_by_no_pattern",
            "deletes_no_other_session",
            "deletes_one_subpath_alone",
            "the_same_id_elsewhere_is_another_entry",
            "what_is_deleted_begins_anew",
        ],
    ),
    (Fault::ComparesIdsWithoutCase, &["ids_are_told_apart_exactly"]),
    (
        Fault::DropsRepeatedEntriesWithoutId,
        &["an_id_that_is_no_text_is_none", "entries_without_an_id_are_always_added"],
    ),
    (Fault::TakesAnyUuidForAnId, &["an_id_that_is_no_text_is_none"]),
    (Fault::LosesAppendsAtOnce, &["appends_at_once_lose_nothing"]),
    (Fault::MixesAppendsAtOnce, &["appends_at_once_stay_together_each"]),
    (Fault::MixesKeysAtOnce, &["appends_at_once_to_many_keys_stay_apart"]),
    (Fault::KeepsRetriesAtOnce, &["the_same_batch_at_once_is_told_once"]),
    (Fault::CutsLargeEntries, &["a_large_entry_is_kept"]),
    (Fault::KeepsAThousandEntries, &["many_entries_are_kept"]),
    (Fault::RoundsNumbers, &["numbers_keep_their_value"]),
    (
        Fault::ComposesText,
        &[
            "ids_are_told_apart_exactly",
            "odd_project_names_are_apart",
            "odd_subpaths_are_apart",
            "unicode_is_kept",
        ],
    ),
    (Fault::DropsControlCharacters, &["escapes_are_kept"]),
    (Fault::DropsZeroCharacters, &["zero_characters_are_kept"]),
    (Fault::ReplacesLoneSurrogates, &["lone_surrogates_are_kept_or_refused"]),
    (Fault::DropsEmptyValues, &["shapes_are_kept"]),
    (Fault::TrimsDashes, &["projects_are_apart"]),
    (Fault::CutsProjectNames, &["odd_project_names_are_apart"]),
    (Fault::TrimsSubpaths, &["lists_odd_subkeys_as_they_were", "odd_subpaths_are_apart"]),
    (
        Fault::IgnoresSubpaths,
        &[
            "a_subpath_is_apart_from_those_beneath_it",
            "an_unknown_key_is_none",
            "appends_at_once_to_many_keys_stay_apart",
            "case_tells_keys_apart",
            "deletes_one_subpath_alone",
            "deletes_what_is_not_there",
            "lists_no_session_of_subpaths_alone",
            "lists_odd_subkeys_as_they_were",
            "lists_the_subkeys_of_a_session",
            "odd_subpaths_are_apart",
            "sessions_and_subpaths_are_apart",
            "subpaths_do_not_change_a_summary",
            "the_parts_of_a_key_do_not_run_together",
            "what_is_deleted_is_no_subkey",
        ],
    ),
    (Fault::DropsExtensions, &["a_subpath_is_apart_from_those_beneath_it"]),
    (
        Fault::IgnoresCase,
        &[
            "case_tells_keys_apart",
            "deletes_one_subpath_alone",
            "lists_no_sessions_of_like_named_projects",
            "lists_odd_subkeys_as_they_were",
        ],
    ),
    (
        Fault::JoinsKeysWithColons,
        &["lists_no_sessions_of_like_named_projects", "the_parts_of_a_key_do_not_run_together"],
    ),
    (
        Fault::ListsAllProjects,
        &["lists_no_sessions_of_like_named_projects", "lists_the_sessions_of_a_project"],
    ),
    (Fault::ListsByPattern, &["lists_no_sessions_of_like_named_projects"]),
    (Fault::ListsSubpathsAsSessions, &["lists_no_session_of_subpaths_alone"]),
    (Fault::TellsSeconds, &["summaries_and_sessions_have_one_clock", "times_are_in_milliseconds"]),
    (
        Fault::TellsTheFirstTime,
        &[
            "an_append_moves_the_time_on",
            "summaries_and_sessions_have_one_clock",
            "times_are_in_milliseconds",
        ],
    ),
    (Fault::ListsSubkeysOfAll, &["lists_the_subkeys_of_a_session"]),
    (
        Fault::ListsTheSessionAsSubkey,
        &[
            "lists_no_subkeys_where_there_are_none",
            "lists_the_subkeys_of_a_session",
            "what_is_deleted_is_no_subkey",
        ],
    ),
    (Fault::EscapesListedSubkeys, &["lists_odd_subkeys_as_they_were"]),
    (
        Fault::DeletesNothing,
        &[
            "deletes_a_session",
            "deletes_a_session_of_subpaths_alone",
            "deletes_all_beneath_a_session",
            "deletes_one_subpath_alone",
            "what_is_deleted_has_no_summary",
            "what_is_deleted_is_no_subkey",
            "what_is_deleted_is_not_listed",
        ],
    ),
    (Fault::FailsToDeleteWhatIsNotThere, &["deletes_what_is_not_there"]),
    (
        Fault::LeavesWhatIsBeneath,
        &[
            "deletes_a_session_of_subpaths_alone",
            "deletes_all_beneath_a_session",
            "what_is_deleted_is_no_subkey",
        ],
    ),
    (Fault::LeavesWhatIsBeneathNothing, &["deletes_a_session_of_subpaths_alone"]),
    (Fault::DeletesInAllProjects, &["deletes_by_no_pattern", "deletes_no_other_session"]),
    (Fault::DeletesByPattern, &["deletes_by_no_pattern"]),
    (Fault::DeletesBeneathSubpaths, &["deletes_one_subpath_alone"]),
    (Fault::RemembersDeletedIds, &["what_is_deleted_begins_anew"]),
    (Fault::ListsDeletedSessions, &["what_is_deleted_is_not_listed"]),
    (Fault::ListsDeletedSubkeys, &["what_is_deleted_is_no_subkey"]),
    (Fault::SummarisesDeletedSessions, &["what_is_deleted_has_no_summary"]),
    (Fault::SummarisesTheLastAppend, &["a_summary_is_folded_from_all_appends"]),
    (Fault::FoldsTheFirstLast, &["a_retry_leaves_the_summary_as_it_is"]),
    (Fault::SummarisesAllProjects, &["summaries_are_of_their_own_session"]),
    (Fault::SummarisesSubpaths, &["subpaths_do_not_change_a_summary"]),
    (Fault::SummarisesByTheEntriesClock, &["summaries_and_sessions_have_one_clock"]),
    (Fault::HasDeleteOnlyOnce, &["optional_methods_are_there_always_or_never"]),
];
