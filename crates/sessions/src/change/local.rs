//! Changes of the sessions that the CLI keeps on this machine.

mod append;
mod delete;
mod mark;
mod private_file;

use agentwire_protocol::{SessionId, Uuid};

use super::{fork_entries, tag_entry, title_entry};
use crate::ends::Ends;
use crate::info::called;
use crate::read::entries_of;
use crate::sessions::{SessionError, SessionFile, Sessions};

/// Changes.
///
/// A CLI may run the session meanwhile: whole lines are added to what it writes, and nothing that it wrote is changed.
/// Where several files belong to the id, one in each project, the one that [`info`](Self::info) tells of is changed;
/// archiving and deleting are for all of them.
impl Sessions {
    /// Gives the session a title, without space around it.
    ///
    /// It is added to the session's file (`custom-title`); of several titles the last counts.
    /// A CLI that runs the session finds it there, and keeps it.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, there is no such session, the title is empty, or the file can't be written to.
    pub fn rename(&self, id: &SessionId, title: &str) -> Result<(), SessionError> {
        let entry = title_entry(id, title)?;
        append::append(self, &self.found(id)?, &entry)
    }

    /// Tags the session, or takes its tag away; it has one at most.
    ///
    /// It is added to the session's file (`tag`); of several the last counts.
    /// What is invisible in a tag (format, private and non-characters) is left out, and so is the space around it.
    /// The published SDKs also put tags into the compatible form of Unicode (NFKC), which this does not.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, there is no such session, nothing of the tag is visible, or the file can't be written to.
    pub fn tag(&self, id: &SessionId, tag: Option<&str>) -> Result<(), SessionError> {
        let entry = tag_entry(id, tag)?;
        append::append(self, &self.found(id)?, &entry)
    }

    /// Archives the session: it stays where it is, and is told of as archived until the user says something in it.
    ///
    /// The mark is `archived.json` in the session's folder, beside its file; it is whole or not there.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, there is no such session, or its mark can't be written.
    pub fn archive(&self, id: &SessionId) -> Result<(), SessionError> {
        self.mark(id, true)
    }

    /// Takes the session out of the archive.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, there is no such session, or its mark can't be written.
    pub fn unarchive(&self, id: &SessionId) -> Result<(), SessionError> {
        self.mark(id, false)
    }

    /// Deletes the session for good: its file, and the folder beside it with what its subagents and tools wrote.
    ///
    /// A CLI that runs the session meanwhile may write it anew.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, there is no such session, or something of it can't be deleted: then some of it may be
    /// gone.
    pub fn delete(&self, id: &SessionId) -> Result<(), SessionError> {
        self.all_found(id)?.iter().try_for_each(delete::delete)
    }

    /// Makes another session in the same project that starts with the same words, up to and with a message, or with all
    /// of them; gives its id, with which it is resumed.
    ///
    /// The message is told by the id that [`messages`](Self::messages) gives it; one that a compaction kept ends the
    /// fork in the words before that compaction.
    /// Without a title, or with an empty one, the fork is called as the session is, with ` (fork)`.
    ///
    /// Sidechains, progress and file history are not in the fork, nor is the folder beside the session's file.
    /// Its file is there whole or not at all, and no other is ever replaced.
    /// The session's whole file is in memory meanwhile.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, there is no such session or message, nothing was said in it, or a file can't be read or
    /// written.
    pub fn fork(
        &self,
        id: &SessionId,
        up_to: Option<&Uuid>,
        title: Option<&str>,
    ) -> Result<SessionId, SessionError> {
        let file = self.found(id)?;
        let entries = entries_of(&file.path)?;
        let ends = Ends::read(&file.path).map_err(SessionError::io("reading", &file.path))?;
        let fork = fork_entries(id, &entries, up_to, title, || ends.and_then(|ends| called(&ends)))?;
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

    /// Every file that is the session's.
    fn all_found(&self, id: &SessionId) -> Result<Vec<SessionFile>, SessionError> {
        let files = self.find_all(id)?;
        if files.is_empty() { Err(self.not_found(id)) } else { Ok(files) }
    }

    fn not_found(&self, id: &SessionId) -> SessionError {
        SessionError::NotFound { session: id.clone(), folder: self.projects() }
    }
}
