//! Calls of a store, with errors and skips as the outcome of a check.

use std::iter;

use agentwire_protocol::SessionId;

use super::canonical::canonical;
use crate::store::at_once;
use crate::{RawEntry, SessionKey, SessionStore, SessionSummary, StoreError, StoreFuture, StoredSession};

/// A store under test.
#[derive(Clone, Copy)]
pub(super) struct TestedStore<'a>(pub(super) &'a dyn SessionStore);

/// Why a check stopped.
#[derive(Debug)]
pub(super) enum Stop {
    Failed(String),
    Skipped(String),
}

/// The result of a check.
pub(super) type Verdict = Result<(), Stop>;

impl TestedStore<'_> {
    pub(super) async fn append(&self, key: &SessionKey, entries: &[RawEntry]) -> Verdict {
        self.0.append(key, entries).await.map_err(|error| failed(format!("`append` to {key}"), &error))
    }

    pub(super) async fn load(&self, key: &SessionKey) -> Result<Option<Vec<RawEntry>>, Stop> {
        self.0.load(key).await.map_err(|error| failed(format!("`load` of {key}"), &error))
    }

    pub(super) async fn list_sessions(&self, project: &str) -> Result<Vec<StoredSession>, Stop> {
        optional("list_sessions", self.0.list_sessions(project)).await
    }

    pub(super) async fn list_summaries(&self, project: &str) -> Result<Vec<SessionSummary>, Stop> {
        optional("list_summaries", self.0.list_summaries(project)).await
    }

    pub(super) async fn delete(&self, key: &SessionKey) -> Verdict {
        optional("delete", self.0.delete(key)).await
    }

    /// Returns the subkeys, sorted.
    pub(super) async fn list_subkeys(&self, key: &SessionKey) -> Result<Vec<String>, Stop> {
        let mut subkeys = optional("list_subkeys", self.0.list_subkeys(key)).await?;
        subkeys.sort();
        Ok(subkeys)
    }

    /// Returns the ids of the listed sessions, sorted.
    pub(super) async fn listed(&self, project: &str) -> Result<Vec<SessionId>, Stop> {
        let mut ids: Vec<_> =
            self.list_sessions(project).await?.into_iter().map(|session| session.session_id).collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns the summary of this session; fails unless there is exactly one.
    pub(super) async fn summary(&self, key: &SessionKey) -> Result<SessionSummary, Stop> {
        let mut summaries = self.list_summaries(key.project()).await?;
        summaries.retain(|summary| summary.session_id == *key.session_id());
        let count = summaries.len();
        summaries.pop().filter(|_| count == 1).ok_or_else(|| {
            Stop::Failed(format!("`list_summaries` lists session {} {count} times", key.session_id()))
        })
    }

    /// Requires that exactly these entries are stored under the key.
    pub(super) async fn keeps(&self, key: &SessionKey, expected: &[RawEntry]) -> Verdict {
        let Some(loaded) = self.load(key).await? else {
            return Err(Stop::Failed(format!(
                "`load` of {key} gives `None`, and not {} entries",
                expected.len()
            )));
        };
        if let Some((at, (is, should))) =
            loaded.iter().zip(expected).enumerate().find(|(_, (is, should))| !alike(is, should))
        {
            let (is, should) = (short(is.as_str()), short(should.as_str()));
            return Err(Stop::Failed(format!("entry {at} of {key} is {is}, and not {should}")));
        }
        same(format_args!("the number of entries of {key}"), &loaded.len(), &expected.len())
    }

    /// Requires that the key is unknown.
    pub(super) async fn keeps_nothing(&self, key: &SessionKey) -> Verdict {
        match self.load(key).await? {
            None => Ok(()),
            Some(entries) => {
                Err(Stop::Failed(format!("`load` of {key} gives {} entries, and not `None`", entries.len())))
            }
        }
    }

    /// Runs appends concurrently.
    pub(super) async fn append_all(&self, batches: &[(SessionKey, Vec<RawEntry>)]) -> Verdict {
        let appends = batches.iter().map(|(key, entries)| self.0.append(key, entries)).collect();
        let ended: Result<Vec<()>, _> = at_once(appends).await.into_iter().collect();
        ended.map(drop).map_err(|error| failed("one of several `append` at once", &error))
    }
}

/// Requires that two values are equal.
pub(super) fn same<T: PartialEq + std::fmt::Debug>(
    what: impl std::fmt::Display,
    is: &T,
    should: &T,
) -> Verdict {
    if is == should { Ok(()) } else { Err(Stop::Failed(format!("{what}: {is:?}, and not {should:?}"))) }
}

/// Returns whether two entries are the same JSON value.
pub(super) fn alike(one: &RawEntry, other: &RawEntry) -> bool {
    one == other || canonical(one.as_str()) == canonical(other.as_str())
}

/// Returns a failure with the error and its sources.
fn failed(doing: impl std::fmt::Display, error: &StoreError) -> Stop {
    Stop::Failed(format!("{doing} failed: {}", chain(error)))
}

/// Returns the messages of an error and its sources.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    iter::successors(error.source(), |cause| (*cause).source())
        .fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

async fn optional<T>(method: &str, future: Option<StoreFuture<'_, T>>) -> Result<T, Stop> {
    let Some(future) = future else { return Err(Stop::Skipped(format!("the store has no `{method}`"))) };
    future.await.map_err(|error| failed(format!("`{method}`"), &error))
}

/// Returns the start of a long text.
fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}... ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}

/// How many characters of an entry are shown.
const SHOWN: usize = 200;
