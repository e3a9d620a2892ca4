//! The sessions of a project that a store keeps, read as those in the CLI's own files are.

mod change;
mod list;

use std::fmt;

use agentwire_protocol::SessionId;
use agentwire_protocol::session_info::{SessionInfo, SessionMessage};

use super::summary::last_time;
use super::{SessionKey, SessionStore, SessionSummary, StoreError, fold_summary};
use crate::read::{AgentMetadata, agent_conversation};
use crate::{Page, RawEntry, conversation, conversation_with_system};

/// The sessions of one project that are kept in a store: what [`Sessions`](crate::Sessions) is for the CLI's files.
///
/// It keeps nothing itself, and asks the store each time.
/// Its futures can be dropped at any point; a change may or may not have been made then.
///
/// Whether a session is archived is told by an entry of ours, since the CLI keeps that in none, and the published SDKs
/// can't archive in a store.
/// Search, cost and export work on entries, so on what [`SessionStore::load`] gives too.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use agentwire_sessions::{MemoryStore, Page, RawEntry, SessionStore, StoreSessions};
///
/// let store = MemoryStore::new();
/// let sessions = StoreSessions::new(&store, "-srv-project");
/// let key = sessions.key(&"0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11".into())?;
/// let said = r#"{"type":"user","uuid":"a","message":{"role":"user","content":"A walk"}}"#;
/// store.append(&key, &[RawEntry::parse(said)?]).await?;
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
    /// The sessions of this project; a mirror calls it what [`project_key`](crate::project_key) gives.
    pub fn new(store: &'a dyn SessionStore, project: impl Into<Box<str>>) -> Self {
        Self { store, project: project.into() }
    }

    /// The key of a session of the project.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, or the project can't be part of a key.
    pub fn key(&self, id: &SessionId) -> Result<SessionKey, StoreError> {
        SessionKey::new(&*self.project, id.clone())
            .map_err(|error| StoreError::new("naming a session", error))
    }

    /// What is known of one session; `None` where the store has none, it is a sidechain, or nothing was said in it.
    ///
    /// All of it is loaded.
    /// Its time is the last that its entries tell, and 0 where they tell none.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, or the store fails.
    pub async fn info(&self, id: &SessionId) -> Result<Option<SessionInfo>, StoreError> {
        let Some(entries) = self.store.load(&self.key(id)?).await? else { return Ok(None) };
        info(id, last_time(&entries), &entries)
    }

    /// The session's conversation, as [`conversation`] tells it; `None` where the store has none.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, or the store fails.
    pub async fn messages(
        &self,
        id: &SessionId,
        page: Page,
    ) -> Result<Option<Vec<SessionMessage>>, StoreError> {
        let entries = self.store.load(&self.key(id)?).await?;
        Ok(entries.map(|entries| page.of(conversation(&entries).into_iter()).collect()))
    }

    /// The same with system entries, as [`conversation_with_system`] tells it.
    ///
    /// # Errors
    ///
    /// As [`messages`](Self::messages).
    pub async fn messages_with_system(
        &self,
        id: &SessionId,
        page: Page,
    ) -> Result<Option<Vec<SessionMessage>>, StoreError> {
        let entries = self.store.load(&self.key(id)?).await?;
        Ok(entries.map(|entries| page.of(conversation_with_system(&entries).into_iter()).collect()))
    }

    /// The ids of the session's subagents, sorted.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, the store can't list subkeys, or it fails.
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

    /// What a subagent and the one that started it said; `None` where the store has no such subagent.
    ///
    /// Each message says which tool use started the subagent, where that is known.
    /// Where the store can't list subkeys, the subagent is looked for where the CLI puts it first
    /// (`subagents/agent-<id>`).
    ///
    /// # Errors
    ///
    /// When the ids can't be part of a key, or the store fails.
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

    /// Deletes a session, with its subagents.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, the store can't delete, or it fails.
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

/// What all entries of a session tell of it.
fn info(id: &SessionId, modified_ms: u64, entries: &[RawEntry]) -> Result<Option<SessionInfo>, StoreError> {
    let data = fold_summary(None, entries).map_err(|error| StoreError::new("folding a summary", error))?;
    Ok(SessionSummary::new(id.clone(), modified_ms, data).info())
}

/// The subagent whose entries are under this subpath.
fn agent(subpath: &str) -> Option<&str> {
    let name = subpath.strip_prefix("subagents/")?;
    name.rsplit('/').next()?.strip_prefix("agent-")
}

fn unable(doing: &str, method: &str) -> StoreError {
    StoreError::new(doing, format!("the store has no `{method}`"))
}

/// The kind of the entry that a subagent's metadata is in, in a store.
pub(super) const AGENT_METADATA: &str = "agent_metadata";
