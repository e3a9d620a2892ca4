//! Checks that a summary is the fold of all appended entries.

use super::canonical::canonical;
use super::parts::{PROJECT, beneath, entries, key, key_of, session};
use super::tested_store::{Stop, TestedStore, Verdict, same};
use crate::{RawEntry, SessionKey, fold_summary};

pub(super) async fn a_summary_is_folded_from_all_appends(store: TestedStore<'_>) -> Verdict {
    let all = summarized_entries()?;
    for batch in all.chunks(2) {
        store.append(&key(1)?, batch).await?;
    }
    folded(store, &key(1)?, &all).await
}

pub(super) async fn a_retry_leaves_the_summary_as_it_is(store: TestedStore<'_>) -> Verdict {
    let all = summarized_entries()?;
    store.append(&key(1)?, &all[..4]).await?;
    store.append(&key(1)?, &all).await?;
    store.append(&key(1)?, &all).await?;
    folded(store, &key(1)?, &all).await
}

pub(super) async fn summaries_are_of_their_own_session(store: TestedStore<'_>) -> Verdict {
    let all = summarized_entries()?;
    let batches = [(key(1)?, &all[..1]), (key(2)?, &all[..3]), (key_of("another", 1)?, &all[3..])];
    for (key, batch) in &batches {
        store.append(key, batch).await?;
    }
    for (key, batch) in &batches {
        folded(store, key, batch).await?;
    }
    let mut ids: Vec<_> =
        store.list_summaries(PROJECT).await?.into_iter().map(|summary| summary.session_id).collect();
    ids.sort();
    same("the sessions with a summary", &ids, &vec![session(1), session(2)])?;
    let unknown = store.list_summaries("unknown").await?;
    same("the summaries of an unknown project", &unknown, &Vec::new())
}

pub(super) async fn subpaths_do_not_change_a_summary(store: TestedStore<'_>) -> Verdict {
    let all = summarized_entries()?;
    store.append(&key(1)?, &all[..3]).await?;
    store.append(&beneath(&key(1)?, "subagents/agent-1")?, &all[3..]).await?;
    store.append(&beneath(&key(2)?, "subagents/agent-1")?, &all).await?;
    folded(store, &key(1)?, &all[..3]).await?;
    same("the number of summaries", &store.list_summaries(PROJECT).await?.len(), &1)
}

pub(super) async fn summaries_and_sessions_have_one_clock(store: TestedStore<'_>) -> Verdict {
    let all = summarized_entries()?;
    for batch in all.chunks(3) {
        store.append(&key(1)?, batch).await?;
    }
    let [summary] = &store.list_summaries(PROJECT).await?[..] else {
        return Err(Stop::Failed("`list_summaries` does not give one summary".to_owned()));
    };
    for session in store.list_sessions(PROJECT).await? {
        if summary.modified_ms < session.modified_ms {
            return Err(Stop::Failed(format!(
                "the summary is of {}, and looks older than its session, of {}",
                summary.modified_ms, session.modified_ms
            )));
        }
        if summary.modified_ms - session.modified_ms > HOUR_MS {
            return Err(Stop::Failed(format!(
                "the summary is of {}, and its session of {}",
                summary.modified_ms, session.modified_ms
            )));
        }
    }
    Ok(())
}

/// Requires that the summary of a session is the fold of these entries.
async fn folded(store: TestedStore<'_>, key: &SessionKey, entries: &[RawEntry]) -> Verdict {
    let summary = store.summary(key).await?;
    let should = fold_summary(None, entries).map_err(|error| Stop::Failed(error.to_string()))?;
    let (found, expected) = (canonical(summary.data.as_str()), canonical(should.as_str()));
    same(format_args!("the summary of {key}"), &found, &expected)
}

/// Returns entries that each change the summary.
fn summarized_entries() -> Result<Vec<RawEntry>, Stop> {
    entries(&[
        r#"{"type":"user","uuid":"a","timestamp":"2024-01-01T00:00:00.250Z","cwd":"/project","message":{"content":"Hi\u0021"}}"#,
        r#"{"type":"custom-title","customTitle":"first"}"#,
        r#"{"type":"tag","tag":"red"}"#,
        r#"{"type":"assistant","uuid":"b","timestamp":"2024-01-01T00:00:01.000Z","gitBranch":"main"}"#,
        r#"{"type":"custom-title","customTitle":"sécond \ud83d\ude00"}"#,
        r#"{"type":"tag","tag":""}"#,
        r#"{"type":"last-prompt","lastPrompt":"and on"}"#,
    ])
}

const HOUR_MS: u64 = 60 * 60 * 1_000;
