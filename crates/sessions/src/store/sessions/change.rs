//! Changes of the sessions that a store keeps.

use agentwire_protocol::{SessionId, Uuid};

use super::StoreSessions;
use crate::change::{archived_entry, called, fork_entries, stamped, tag_entry, title_entry};
use crate::time::now;
use crate::{ChangeError, RawEntry, StoreError};

/// Changes.
///
/// Where the change itself makes no sense the error's source is a [`ChangeError`], and the store was not asked.
/// As in the published SDKs, renaming and tagging don't look whether the store has the session, nor does archiving.
impl StoreSessions<'_> {
    /// Gives the session a title, without space around it; of several, the last counts.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, the title is empty, or the store fails.
    pub async fn rename(&self, id: &SessionId, title: &str) -> Result<(), StoreError> {
        let entry = title_entry(id, title).and_then(|entry| stamped(&entry));
        self.add(id, entry.map_err(refused)?).await
    }

    /// Tags the session, or takes its tag away; it has one at most.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, nothing of the tag is visible, or the store fails.
    pub async fn tag(&self, id: &SessionId, tag: Option<&str>) -> Result<(), StoreError> {
        let entry = tag_entry(id, tag).and_then(|entry| stamped(&entry));
        self.add(id, entry.map_err(refused)?).await
    }

    /// Archives the session: it stays where it is, and is told of as archived until the user says something in it.
    ///
    /// The mark is an entry of the session (`"type":"archived"`), so that the session counts as written to now, as with
    /// a
    /// title or a tag.
    /// The CLI never sees it, since a session that is resumed from a store is written without it.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, or the store fails.
    pub async fn archive(&self, id: &SessionId) -> Result<(), StoreError> {
        self.mark(id, true).await
    }

    /// Takes the session out of the archive.
    ///
    /// # Errors
    ///
    /// As [`archive`](Self::archive).
    pub async fn unarchive(&self, id: &SessionId) -> Result<(), StoreError> {
        self.mark(id, false).await
    }

    async fn mark(&self, id: &SessionId, archived: bool) -> Result<(), StoreError> {
        let entry = archived_entry(id, archived, &now()).and_then(|entry| stamped(&entry));
        self.add(id, entry.map_err(refused)?).await
    }

    /// Makes another session that starts with the same words, up to and with a message, or with all of them; gives its
    /// id, or `None` where the store has no such session.
    ///
    /// It is the fork that [`Sessions::fork`](crate::Sessions::fork) makes, kept in the same project by one append.
    /// Subagents' conversations are not copied.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, there is no such message, nothing was said in the session, or the store fails: then a
    /// part of the fork may be kept, under an id that nobody knows.
    pub async fn fork(
        &self,
        id: &SessionId,
        up_to: Option<&Uuid>,
        title: Option<&str>,
    ) -> Result<Option<SessionId>, StoreError> {
        let Some(entries) = self.store.load(&self.key(id)?).await? else { return Ok(None) };
        let fork = fork_entries(id, &entries, up_to, title, || called(&entries)).map_err(refused)?;
        self.store.append(&self.key(&fork.session)?, &fork.entries).await?;
        Ok(Some(fork.session))
    }

    async fn add(&self, id: &SessionId, entry: RawEntry) -> Result<(), StoreError> {
        self.store.append(&self.key(id)?, &[entry]).await
    }
}

fn refused(error: ChangeError) -> StoreError {
    StoreError::new("changing a session", error)
}
