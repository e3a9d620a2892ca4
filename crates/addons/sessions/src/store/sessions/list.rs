//! Lists of sessions in a store, newest first, from up-to-date summaries where possible.

use std::collections::HashMap;

use agentwire_protocol::SessionId;
use agentwire_protocol::session_info::SessionInfo;

use super::{StoreSessions, info, unable};
use crate::store::at_once;
use crate::{Page, SessionSummary, StoreError};

impl StoreSessions<'_> {
    /// Lists the sessions, most recently written first.
    ///
    /// A summary is used if it is as new as its session. Sessions without one are loaded, only as many as the page
    /// needs and at most sixteen at once.
    /// Sidechains and sessions without messages are left out.
    /// A session that can't be loaded is listed with an empty summary.
    ///
    /// If the store can list summaries but not sessions, only sessions with a summary are found.
    ///
    /// # Errors
    ///
    /// If the store can list neither, or fails.
    pub async fn list(&self, page: Page) -> Result<Vec<SessionInfo>, StoreError> {
        let mut slots = self.slots().await?;
        slots.sort_by(|a, b| (b.modified_ms, &b.id).cmp(&(a.modified_ms, &a.id)));
        let wanted = page.limit.map_or(usize::MAX, |limit| limit.saturating_add(page.offset));
        let mut infos = Vec::new();
        let mut slots = slots.into_iter().peekable();
        while infos.len() < wanted && slots.peek().is_some() {
            // As many as the page may need, up to the limit of concurrent loads.
            let mut some: Vec<_> = slots.by_ref().take((wanted - infos.len()).min(AT_ONCE)).collect();
            self.fill(&mut some).await;
            infos.extend(some.into_iter().filter_map(|slot| slot.info.flatten()));
        }
        Ok(page.of(infos.into_iter()).collect())
    }

    /// Returns the sessions that may be listed, with their summaries if up to date.
    async fn slots(&self) -> Result<Vec<Slot>, StoreError> {
        let summaries = match self.store.list_summaries(&self.project) {
            Some(summaries) => Some(summaries.await?),
            None => None,
        };
        let Some(sessions) = self.store.list_sessions(&self.project) else {
            let Some(summaries) = summaries else {
                return Err(unable("listing sessions", "list_sessions"));
            };
            return Ok(summaries.iter().map(Slot::of_summary).collect());
        };
        let sessions = sessions.await?;
        let summaries = summaries.unwrap_or_default();
        let by_id: HashMap<_, _> = summaries.iter().map(|summary| (&summary.session_id, summary)).collect();
        let slots = sessions.into_iter().map(|session| match by_id.get(&session.session_id) {
            Some(summary) if summary.modified_ms >= session.modified_ms => Slot::of_summary(summary),
            // The summary is missing or older than the session.
            _ => Slot { id: session.session_id, modified_ms: session.modified_ms, info: None },
        });
        Ok(slots.collect())
    }

    /// Loads the sessions without a summary.
    async fn fill(&self, slots: &mut [Slot]) {
        let open: Vec<_> = slots.iter_mut().filter(|slot| slot.info.is_none()).collect();
        let (mut keys, mut loading) = (Vec::new(), Vec::new());
        for slot in open {
            match self.key(&slot.id) {
                Ok(key) => {
                    keys.push(key);
                    loading.push(slot);
                }
                // The id is invalid, so it is not a session.
                Err(_) => slot.info = Some(None),
            }
        }
        let loads = keys.iter().map(|key| self.store.load(key)).collect();
        for (slot, loaded) in loading.into_iter().zip(at_once(loads).await) {
            let loaded_info = match loaded {
                Ok(Some(entries)) => info(&slot.id, slot.modified_ms, &entries),
                Ok(None) => Ok(None),
                Err(error) => Err(error),
            };
            slot.info = Some(
                loaded_info.unwrap_or_else(|_| Some(SessionInfo::new(slot.id.clone(), "", slot.modified_ms))),
            );
        }
    }
}

/// A session in the list.
struct Slot {
    id: SessionId,
    modified_ms: u64,
    /// `None` until it is loaded; `Some(None)` if it is not listed.
    info: Option<Option<SessionInfo>>,
}

impl Slot {
    fn of_summary(summary: &SessionSummary) -> Self {
        Self { id: summary.session_id.clone(), modified_ms: summary.modified_ms, info: Some(summary.info()) }
    }
}

/// How many sessions are loaded at once, as in the reference SDKs.
const AT_ONCE: usize = 16;
