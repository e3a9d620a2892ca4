//! Loads a session with its subagents from a store.

use std::{cmp::Reverse, time::Duration};

use agentwire_protocol::SessionId;
use agentwire_sessions::{KeyError, RawEntry, SessionKey, SessionStore, fold_summary};
use serde_json::Value;

use super::refuse_id;
use crate::{
    Error, ResumeError, StoreFault,
    mirror::{call, call_optional},
    options::refuse,
};

/// A session loaded from a store.
pub(super) struct Loaded {
    pub(super) key: SessionKey,
    pub(super) entries: Vec<RawEntry>,
    /// The conversations below it, such as those of its subagents, by subpath.
    pub(super) subpaths: Vec<(SessionKey, Vec<RawEntry>)>,
}

/// Refuses the id of a new session if the store has messages under it, which readers would no longer find.
pub(super) async fn refuse_stored(
    store: &dyn SessionStore,
    project: &str,
    id: &str,
    limit: Duration,
) -> Result<(), Error> {
    // The launch plan refuses an id that is not a UUID.
    let Ok(key) = SessionKey::new(project, SessionId::from(id)) else { return Ok(()) };
    // A session without messages can't be resumed, so its id may be used again.
    if !entries(store, &key, limit).await?.iter().any(is_message) {
        return Ok(());
    }
    refuse("sessionId", format!("the session store has {key}; continue it with `resume`, or use another id"))
}

/// Loads the session with this id.
pub(super) async fn by_id(
    store: &dyn SessionStore,
    project: &str,
    id: &str,
    limit: Duration,
) -> Result<Loaded, Error> {
    let key = match SessionKey::new(project, SessionId::from(id)) {
        Ok(key) => key,
        Err(error @ KeyError::Session(_)) => return refuse_id(&error.to_string()),
        Err(error) => return refuse("sessionStoreProject", error.to_string()),
    };
    let entries = entries(store, &key, limit).await?;
    if entries.is_empty() {
        return Err(ResumeError::NotStored { key }.into());
    }
    whole(store, key, entries, limit).await
}

/// Loads the most recently modified session that has messages and is not archived; `None` if there is none.
pub(super) async fn last(
    store: &dyn SessionStore,
    project: &str,
    limit: Duration,
) -> Result<Option<Loaded>, Error> {
    let doing = || format!("listing the sessions of {project} in the session store");
    let Some(listed) = call_optional(limit, || store.list_sessions(project)).await else {
        return refuse("continue", "the session store can't list its sessions; name one with `resume`");
    };
    let mut listed = listed.map_err(|source| failed(doing(), source))?;
    listed.sort_by_key(|session| Reverse(session.modified_ms));
    for session in listed {
        let key = SessionKey::new(project, session.session_id);
        // A store shared with other programs may contain other entries too.
        let Ok(key) = key else { continue };
        let entries = entries(store, &key, limit).await?;
        let is_of_its_own = entries.first().is_some_and(|first| !is_sidechain(first));
        if is_of_its_own && entries.iter().any(is_message) && !is_archived(&entries) {
            return whole(store, key, entries, limit).await.map(Some);
        }
    }
    Ok(None)
}

/// Loads the conversations below a session too, and checks that it can be resumed.
async fn whole(
    store: &dyn SessionStore,
    key: SessionKey,
    entries: Vec<RawEntry>,
    limit: Duration,
) -> Result<Loaded, Error> {
    if !entries.iter().any(is_message) {
        let why = "none of its entries is a message of its own".to_owned();
        return Err(ResumeError::Unusable { key, why }.into());
    }
    let doing = || format!("listing the subpaths of {key} in the session store");
    let listed = call_optional(limit, || store.list_subkeys(&key)).await;
    let listed = listed.transpose().map_err(|source| failed(doing(), source))?;
    let mut subpaths = listed.unwrap_or_default();
    subpaths.sort_unstable();
    subpaths.dedup();
    let mut loaded = Vec::with_capacity(subpaths.len());
    for subpath in subpaths {
        let at = match key.with_subpath(subpath) {
            // A colon would name a drive or an alternate data stream on Windows.
            Ok(at) if !at.subpath().is_some_and(|subpath| subpath.contains(':')) => at,
            Ok(at) => return Err(unusable(&key, format!("{at} is not a path"))),
            Err(error) => return Err(unusable(&key, error.to_string())),
        };
        let entries = self::entries(store, &at, limit).await?;
        loaded.push((at, entries));
    }
    Ok(Loaded { key, entries, subpaths: loaded })
}

fn unusable(key: &SessionKey, why: String) -> Error {
    ResumeError::Unusable { key: key.clone(), why }.into()
}

async fn entries(
    store: &dyn SessionStore,
    key: &SessionKey,
    limit: Duration,
) -> Result<Vec<RawEntry>, Error> {
    let doing = || format!("loading {key} from the session store");
    let loaded = call(limit, || store.load(key)).await.map_err(|source| failed(doing(), source))?;
    Ok(loaded.unwrap_or_default())
}

fn failed(doing: String, source: StoreFault) -> Error {
    ResumeError::Store { doing, source }.into()
}

/// Returns whether a session can continue from this entry: a message that is not a subagent's.
fn is_message(entry: &RawEntry) -> bool {
    matches!(entry.kind(), "user" | "assistant") && !is_sidechain(entry)
}

/// Returns whether the last mark sets the session to archived.
fn is_archived(entries: &[RawEntry]) -> bool {
    entries.iter().any(|entry| entry.kind() == ARCHIVED)
        && fold_summary(None, entries)
            .and_then(|data| data.decode::<Value>())
            .is_ok_and(|data| data[ARCHIVED] == true)
}

/// The kind of the entry that marks a session as archived or not.
pub(super) const ARCHIVED: &str = "archived";

/// Returns whether an entry is a subagent's: older CLI versions stored them among the others.
fn is_sidechain(entry: &RawEntry) -> bool {
    entry.decode::<Value>().is_ok_and(|entry| entry["isSidechain"] == true)
}
