//! Loads a session with its subagents from a store.

use std::{cmp::Reverse, time::Duration};

use agentwire_protocol::SessionId;
use agentwire_sessions::{KeyError, RawEntry, SessionKey, SessionStore, fold_summary};
use serde_json::Value;

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

/// Loads sessions of one project from a store.
pub(super) struct Loader<'a> {
    pub(super) store: &'a dyn SessionStore,
    pub(super) project: &'a str,
    /// The time limit of each call of the store.
    pub(super) limit: Duration,
}

impl Loader<'_> {
    /// Refuses the id of a new session if the store has messages under it, which readers would no longer find.
    pub(super) async fn refuse_stored(&self, id: &str) -> Result<(), Error> {
        // The launch plan refuses an id that is not a UUID.
        let Ok(key) = SessionKey::new(self.project, SessionId::from(id)) else { return Ok(()) };
        // A session without messages can't be resumed, so its id may be used again.
        if !self.entries(&key).await?.iter().any(is_message) {
            return Ok(());
        }
        refuse(
            "sessionId",
            format!("the session store has {key}; continue it with `resume`, or use another id"),
        )
    }

    /// Loads the session with this id.
    pub(super) async fn by_id(&self, id: &str) -> Result<Loaded, Error> {
        let key = match SessionKey::new(self.project, SessionId::from(id)) {
            Ok(key) => key,
            Err(error @ KeyError::Session(_)) => {
                return refuse(
                    "resume",
                    format!("{error}; with a session store it is a session's id, a UUID"),
                );
            }
            Err(error) => return refuse("sessionStoreProject", error.to_string()),
        };
        let entries = self.entries(&key).await?;
        if entries.is_empty() {
            return Err(ResumeError::NotStored { key }.into());
        }
        self.whole(key, entries).await
    }

    /// Loads the most recently modified session that has messages and is not archived; `None` if there is none.
    pub(super) async fn last(&self) -> Result<Option<Loaded>, Error> {
        let doing = || format!("listing the sessions of {} in the session store", self.project);
        let Some(listed) = call_optional(self.limit, || self.store.list_sessions(self.project)).await else {
            return refuse("continue", "the session store can't list its sessions; name one with `resume`");
        };
        let mut listed = listed.map_err(|source| failed(doing(), source))?;
        listed.sort_by_key(|session| Reverse(session.modified_ms));
        for session in listed {
            let key = SessionKey::new(self.project, session.session_id);
            // A store shared with other programs may contain other entries too.
            let Ok(key) = key else { continue };
            let entries = self.entries(&key).await?;
            let is_of_its_own = entries.first().is_some_and(|first| !is_sidechain(first));
            if is_of_its_own && entries.iter().any(is_message) && !is_archived(&entries) {
                return self.whole(key, entries).await.map(Some);
            }
        }
        Ok(None)
    }

    /// Loads the conversations below a session too, and checks that it can be resumed.
    async fn whole(&self, key: SessionKey, entries: Vec<RawEntry>) -> Result<Loaded, Error> {
        if !entries.iter().any(is_message) {
            return Err(unusable(&key, "none of its entries is a message of its own".to_owned()));
        }
        let doing = || format!("listing the subpaths of {key} in the session store");
        let listed = call_optional(self.limit, || self.store.list_subkeys(&key)).await;
        let listed = listed.transpose().map_err(|source| failed(doing(), source))?;
        let mut listed = listed.unwrap_or_default();
        listed.sort_unstable();
        listed.dedup();
        let mut subpaths = Vec::with_capacity(listed.len());
        for subpath in listed {
            let at = match key.with_subpath(subpath) {
                // A colon would name a drive or an alternate data stream on Windows.
                Ok(at) if !at.subpath().is_some_and(|subpath| subpath.contains(':')) => at,
                Ok(at) => return Err(unusable(&key, format!("{at} is not a path"))),
                Err(error) => return Err(unusable(&key, error.to_string())),
            };
            let entries = self.entries(&at).await?;
            subpaths.push((at, entries));
        }
        Ok(Loaded { key, entries, subpaths })
    }

    async fn entries(&self, key: &SessionKey) -> Result<Vec<RawEntry>, Error> {
        let doing = || format!("loading {key} from the session store");
        let loaded = call(self.limit, || self.store.load(key)).await;
        Ok(loaded.map_err(|source| failed(doing(), source))?.unwrap_or_default())
    }
}

fn unusable(key: &SessionKey, why: String) -> Error {
    ResumeError::Unusable { key: key.clone(), why }.into()
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
    entry.to_value()["isSidechain"] == true
}
