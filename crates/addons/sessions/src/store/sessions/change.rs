//! Changes of sessions in a store.

use agentwire_protocol::{SessionId, Uuid};

use super::{StoreSessions, summary};
use crate::change::{archived_entry, fork_entries, stamped, tag_entry, title_entry};
use crate::time::now;
use crate::{ChangeError, RawEntry, StoreError};

/// Methods that change sessions.
///
/// For an invalid change, the error's source is a [`ChangeError`], and the store is not called.
/// As in the reference SDKs, renaming, tagging and archiving do not check whether the session exists.
impl StoreSessions<'_> {
    /// Sets the session's title, trimmed; the last one counts.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, the title is empty, or the store fails.
    pub async fn rename(&self, id: &SessionId, title: &str) -> Result<(), StoreError> {
        let entry = title_entry(id, title).and_then(|entry| stamped(&entry));
        self.add(id, entry.map_err(refused)?).await
    }

    /// Sets or removes the session's tag; a session has at most one.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, the tag has no visible character, or the store fails.
    pub async fn tag(&self, id: &SessionId, tag: Option<&str>) -> Result<(), StoreError> {
        let entry = tag_entry(id, tag).and_then(|entry| stamped(&entry));
        self.add(id, entry.map_err(refused)?).await
    }

    /// Archives the session: it is listed as archived until the user's next message.
    ///
    /// Appends an entry to the session (`"type":"archived"`), which updates the session's time, as a title or a tag
    /// does.
    /// The CLI never reads the entry, because it is left out when a session is resumed from a store.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, or the store fails.
    pub async fn archive(&self, id: &SessionId) -> Result<(), StoreError> {
        self.mark(id, true).await
    }

    /// Removes the session from the archive.
    ///
    /// # Errors
    ///
    /// As for [`archive`](Self::archive).
    pub async fn unarchive(&self, id: &SessionId) -> Result<(), StoreError> {
        self.mark(id, false).await
    }

    async fn mark(&self, id: &SessionId, archived: bool) -> Result<(), StoreError> {
        let entry = archived_entry(id, archived, &now()).and_then(|entry| stamped(&entry));
        self.add(id, entry.map_err(refused)?).await
    }

    /// Creates a session that starts with the same messages, up to and including `up_to`, or all of them. Returns its
    /// id, or `None` if the session does not exist.
    ///
    /// It is the fork that [`Sessions::fork`](crate::Sessions::fork) creates, stored in the same project by one append.
    /// The conversations of subagents are not copied.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, there is no such message, the session has no messages, or the store fails, in which
    /// case part of the fork may be stored under an unknown id.
    pub async fn fork(
        &self,
        id: &SessionId,
        up_to: Option<&Uuid>,
        title: Option<&str>,
    ) -> Result<Option<SessionId>, StoreError> {
        let Some(entries) = self.store.load(&self.key(id)?).await? else { return Ok(None) };
        let info = || summary(id, 0, &entries).ok()?.plain_info();
        let fork = fork_entries(id, &entries, up_to, title, info).map_err(refused)?;
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
