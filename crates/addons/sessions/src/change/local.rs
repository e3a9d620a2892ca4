//! Changes of the sessions in the CLI's configuration folder.

mod append;
mod delete;
mod mark;
mod private_file;

use agentwire_protocol::{SessionId, Uuid};

use super::{fork_entries, tag_entry, title_entry};
use crate::ends::Ends;
use crate::info::plain_info;
use crate::read::entries_of;
use crate::sessions::{SessionError, SessionFile, Sessions};

/// Methods that change sessions.
///
/// A CLI may run the session at the same time: changes append whole lines and never modify existing ones.
/// If files in several projects have the id, the file that [`info`](Self::info) describes is changed; archiving and
/// deleting apply to all of them.
impl Sessions {
    /// Sets the session's title, trimmed.
    ///
    /// Appends a `custom-title` entry to the session's file; the last one counts.
    /// A CLI that runs the session adopts the title.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, the session does not exist, the title is empty, or writing fails.
    pub fn rename(&self, id: &SessionId, title: &str) -> Result<(), SessionError> {
        let entry = title_entry(id, title)?;
        append::append(self, &self.found(id)?, &entry)
    }

    /// Sets or removes the session's tag; a session has at most one.
    ///
    /// Appends a `tag` entry to the session's file; the last one counts.
    /// The tag is normalized to Unicode NFKC and trimmed; invisible characters (format, private use, unassigned) are
    /// removed.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, the session does not exist, the tag has no visible character, or writing fails.
    pub fn tag(&self, id: &SessionId, tag: Option<&str>) -> Result<(), SessionError> {
        let entry = tag_entry(id, tag)?;
        append::append(self, &self.found(id)?, &entry)
    }

    /// Archives the session. It stays in its folder, and is listed as archived until the user's next message.
    ///
    /// Writes `archived.json`, atomically, into the session's folder, which is beside its file.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, the session does not exist, or writing fails.
    pub fn archive(&self, id: &SessionId) -> Result<(), SessionError> {
        self.mark(id, true)
    }

    /// Removes the session from the archive.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, the session does not exist, or writing fails.
    pub fn unarchive(&self, id: &SessionId) -> Result<(), SessionError> {
        self.mark(id, false)
    }

    /// Deletes the session's file, and the folder beside it with the files of its subagents and tools.
    ///
    /// A CLI that runs the session at the same time may create the file again.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, the session does not exist, or deleting fails, in which case part of the session may
    /// already be deleted.
    pub fn delete(&self, id: &SessionId) -> Result<(), SessionError> {
        self.all_found(id)?.iter().try_for_each(delete::delete)
    }

    /// Creates a session in the same project that starts with the same messages, up to and including `up_to`, or all of
    /// them. Returns its id, with which it can be resumed.
    ///
    /// `up_to` is the id of one of the [`messages`](Self::messages).
    /// If a compaction kept that message, the fork ends at its original place before the compaction.
    /// Without a title, or with an empty one, the fork gets the original's title with ` (fork)`.
    ///
    /// Sidechains, progress, file history and the folder beside the session's file are not copied.
    /// The new file is written atomically and never replaces another.
    /// The whole session is held in memory meanwhile.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, there is no such session or message, the session has no messages, or reading or writing
    /// fails.
    pub fn fork(
        &self,
        id: &SessionId,
        up_to: Option<&Uuid>,
        title: Option<&str>,
    ) -> Result<SessionId, SessionError> {
        let file = self.found(id)?;
        let entries = entries_of(&file.path)?;
        let ends = Ends::read(&file.path).map_err(SessionError::io("reading", &file.path))?;
        let info = || ends.and_then(|ends| plain_info(&file, &ends, true));
        let fork = fork_entries(id, &entries, up_to, title, info)?;
        let text: String = fork.entries.iter().flat_map(|entry| [entry.as_str(), "\n"]).collect();
        let path = file.path.with_file_name(format!("{}.jsonl", fork.session));
        private_file::create(&path, text.as_bytes())?;
        Ok(fork.session)
    }

    fn mark(&self, id: &SessionId, archived: bool) -> Result<(), SessionError> {
        self.all_found(id)?.iter().try_for_each(|file| mark::write(file, archived))
    }

    fn found(&self, id: &SessionId) -> Result<SessionFile, SessionError> {
        self.find(id)?.ok_or_else(|| self.not_found(id))
    }

    /// Returns all files of the session.
    fn all_found(&self, id: &SessionId) -> Result<Vec<SessionFile>, SessionError> {
        let files = self.find_all(id)?;
        if files.is_empty() { Err(self.not_found(id)) } else { Ok(files) }
    }

    fn not_found(&self, id: &SessionId) -> SessionError {
        SessionError::NotFound { session: id.clone(), folder: self.projects() }
    }
}
