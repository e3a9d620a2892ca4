//! Reads a store's sessions in the way `Sessions` reads the CLI's files.

mod change;
mod list;

use std::fmt;

use agentwire_protocol::SessionId;
use agentwire_protocol::session_info::{SessionInfo, SessionMessage};

use super::summary::last_time;
use super::{SessionKey, SessionStore, SessionSummary, StoreError, fold_summary};
use crate::read::{AgentMetadata, agent_conversation};
use crate::{Page, RawEntry, conversation, conversation_with_system};

/// The sessions of one project in a store; the counterpart of [`Sessions`](crate::Sessions).
///
/// There is no cache: each call queries the store.
/// The futures can be dropped at any point; a change may or may not have been made then.
///
/// The archive mark is an entry of this crate's own, because the CLI has no such entry and the reference SDKs can't
/// archive in a store.
/// Search, cost and export work on the entries that [`SessionStore::load`] returns.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use agentwire_sessions::{MemoryStore, Page, RawEntry, SessionStore, StoreSessions};
///
/// let store = MemoryStore::new();
/// let sessions = StoreSessions::new(&store, "-srv-project");
/// let key = sessions.key(&"0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11".into())?;
/// let prompt = r#"{"type":"user","uuid":"a","message":{"role":"user","content":"A walk"}}"#;
/// store.append(&key, &[RawEntry::parse(prompt)?]).await?;
///
/// let newest = sessions.list(Page::first(1)).await?.remove(0);
/// assert_eq!(newest.summary, "A walk");
/// assert_eq!(sessions.messages(&newest.session_id, Page::ALL).await?.unwrap().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct StoreSessions<'a> {
    store: &'a dyn SessionStore,
    project: Box<str>,
}

impl<'a> StoreSessions<'a> {
    /// Returns the sessions of this project; a mirror names it as [`project_key`](crate::project_key) does.
    pub fn new(store: &'a dyn SessionStore, project: impl Into<Box<str>>) -> Self {
        Self { store, project: project.into() }
    }

    /// Returns the key of a session of the project.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, or the project is invalid in a key.
    pub fn key(&self, id: &SessionId) -> Result<SessionKey, StoreError> {
        SessionKey::new(&*self.project, id.clone())
            .map_err(|error| StoreError::new("naming a session", error))
    }

    /// Returns information about one session; `None` if it does not exist, is a sidechain, or has no messages.
    ///
    /// The whole session is loaded.
    /// Its time is the last time in its entries, or 0.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, or the store fails.
    pub async fn info(&self, id: &SessionId) -> Result<Option<SessionInfo>, StoreError> {
        let Some(entries) = self.store.load(&self.key(id)?).await? else { return Ok(None) };
        info(id, last_time(&entries), &entries)
    }

    /// Returns the session's [`conversation`]; `None` if the store does not have it.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, or the store fails.
    pub async fn messages(
        &self,
        id: &SessionId,
        page: Page,
    ) -> Result<Option<Vec<SessionMessage>>, StoreError> {
        let entries = self.store.load(&self.key(id)?).await?;
        Ok(entries.map(|entries| page.of(conversation(&entries).into_iter()).collect()))
    }

    /// Returns the session's [`conversation_with_system`].
    ///
    /// # Errors
    ///
    /// As for [`messages`](Self::messages).
    pub async fn messages_with_system(
        &self,
        id: &SessionId,
        page: Page,
    ) -> Result<Option<Vec<SessionMessage>>, StoreError> {
        let entries = self.store.load(&self.key(id)?).await?;
        Ok(entries.map(|entries| page.of(conversation_with_system(&entries).into_iter()).collect()))
    }

    /// Returns the ids of the session's subagents, sorted.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, the store can't list subkeys, or it fails.
    pub async fn subagents(&self, id: &SessionId) -> Result<Vec<String>, StoreError> {
        let key = self.key(id)?;
        let Some(subkeys) = self.store.list_subkeys(&key) else {
            return Err(unable("listing subagents", "list_subkeys"));
        };
        let subkeys = subkeys.await?;
        let mut agents: Vec<_> = subkeys.iter().filter_map(|key| agent(key)).map(str::to_owned).collect();
        agents.sort();
        agents.dedup();
        Ok(agents)
    }

    /// Returns the messages of a subagent and its prompts; `None` if the store does not have the subagent.
    ///
    /// Each message has the id of the tool use that started the subagent, if known.
    /// If the store can't list subkeys, only the CLI's default path is searched (`subagents/agent-<id>`).
    ///
    /// # Errors
    ///
    /// If the ids are invalid in a key, or the store fails.
    pub async fn subagent_messages(
        &self,
        id: &SessionId,
        agent_id: &str,
        page: Page,
    ) -> Result<Option<Vec<SessionMessage>>, StoreError> {
        let key = self.key(id)?;
        let subpath = match self.store.list_subkeys(&key) {
            Some(subkeys) => subkeys.await?.into_iter().filter(|key| agent(key) == Some(agent_id)).min(),
            None => Some(format!("subagents/agent-{agent_id}")),
        };
        let Some(subpath) = subpath else { return Ok(None) };
        let key = key.with_subpath(subpath).map_err(|error| StoreError::new("naming a subagent", error))?;
        let Some(mut entries) = self.store.load(&key).await? else { return Ok(None) };
        let metadata = entries.iter().rfind(|entry| entry.kind() == AGENT_METADATA);
        let metadata: AgentMetadata = metadata.and_then(|entry| entry.decode().ok()).unwrap_or_default();
        entries.retain(|entry| entry.kind() != AGENT_METADATA);
        Ok(Some(page.of(agent_conversation(&entries, &metadata).into_iter()).collect()))
    }

    /// Deletes a session and its subagents.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, the store can't delete, or it fails.
    pub async fn delete(&self, id: &SessionId) -> Result<(), StoreError> {
        let key = self.key(id)?;
        match self.store.delete(&key) {
            Some(deleted) => deleted.await,
            None => Err(unable("deleting a session", "delete")),
        }
    }
}

impl fmt::Debug for StoreSessions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreSessions").field("project", &self.project).finish_non_exhaustive()
    }
}

/// Returns the information in all entries of a session.
fn info(id: &SessionId, modified_ms: u64, entries: &[RawEntry]) -> Result<Option<SessionInfo>, StoreError> {
    Ok(summary(id, modified_ms, entries)?.info())
}

fn summary(id: &SessionId, modified_ms: u64, entries: &[RawEntry]) -> Result<SessionSummary, StoreError> {
    let data = fold_summary(None, entries).map_err(|error| StoreError::new("folding a summary", error))?;
    Ok(SessionSummary::new(id.clone(), modified_ms, data))
}

/// Returns the subagent with entries under this subpath.
fn agent(subpath: &str) -> Option<&str> {
    let name = subpath.strip_prefix("subagents/")?;
    name.rsplit('/').next()?.strip_prefix("agent-")
}

fn unable(doing: &str, method: &str) -> StoreError {
    StoreError::new(doing, format!("the store has no `{method}`"))
}

/// The kind of the entry with a subagent's metadata in a store.
pub(super) const AGENT_METADATA: &str = "agent_metadata";
