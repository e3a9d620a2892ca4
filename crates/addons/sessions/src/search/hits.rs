//! An iterator over the hits of a search.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::fs::File;
use std::io;

use agentwire_protocol::Uuid;

use super::{Hit, Search};
use crate::read::Source;
use crate::sessions::SessionFile;
use crate::stream::{Line, Lines, MAX_LINE};
use crate::{SessionError, Sessions};

/// The hits of a [`Search`], from [`Sessions::search`].
///
/// Iteration continues after an error: after a line that is too long ([`SessionError::LineTooLong`]), and with the next
/// file if one can't be read. The errors of project folders that can't be read come first.
/// Files that were deleted meanwhile are skipped.
pub struct Hits {
    sessions: Sessions,
    search: Search,
    files: Box<dyn Iterator<Item = Result<SessionFile, SessionError>> + Send>,
    /// The remaining files of the current session.
    next: VecDeque<Source>,
    reading: Option<(Source, Lines<File>)>,
    /// The ids of the entries with hits in the current file.
    seen: HashSet<Uuid>,
    /// The remaining hits in the last line.
    found: VecDeque<Hit>,
}

impl Hits {
    pub(super) fn new(sessions: Sessions, search: Search) -> Result<Self, SessionError> {
        let files = Box::new(sessions.files()?);
        Ok(Self {
            sessions,
            search,
            files,
            next: VecDeque::new(),
            reading: None,
            seen: HashSet::new(),
            found: VecDeque::new(),
        })
    }

    /// Opens the next file; returns `None` if there is none.
    fn open_next(&mut self) -> Option<Result<(), SessionError>> {
        if self.next.is_empty() {
            match self.files.next()? {
                Ok(file) => self.next = self.sessions.sources(file, self.search.subagents).into(),
                Err(error) => return Some(Err(error)),
            }
        }
        let source = self.next.pop_front()?;
        match Lines::open(&source.path) {
            Ok(lines) => {
                self.reading = Some((source, lines));
                self.seen.clear();
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Some(Err(SessionError::io("reading", &source.path)(error))),
        }
        Some(Ok(()))
    }

    /// Searches the next line; returns `None` at the end of the file.
    fn look_into_next(&mut self) -> Option<Result<(), SessionError>> {
        let (source, lines) = self.reading.as_mut()?;
        match lines.next() {
            Ok(Some(Line::Whole(line))) => {
                let hits = self.search.in_line(&source.session, source.agent.as_deref(), line);
                // The CLI may write an entry again. All hits in a line have the same id.
                let id = hits.first().and_then(|hit| hit.uuid.clone());
                if id.is_none_or(|id| self.seen.insert(id)) {
                    self.found.extend(hits);
                }
                Some(Ok(()))
            }
            Ok(Some(Line::TooLong(offset))) => {
                Some(Err(SessionError::LineTooLong { path: source.path.clone(), offset, limit: MAX_LINE }))
            }
            Ok(None) => {
                self.reading = None;
                None
            }
            Err(error) => {
                let error = SessionError::io("reading", &source.path)(error);
                self.reading = None;
                Some(Err(error))
            }
        }
    }
}

impl Iterator for Hits {
    type Item = Result<Hit, SessionError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(hit) = self.found.pop_front() {
                return Some(Ok(hit));
            }
            let went_on = match self.look_into_next() {
                Some(went_on) => went_on,
                None => self.open_next()?,
            };
            if let Err(error) = went_on {
                return Some(Err(error));
            }
        }
    }
}

impl fmt::Debug for Hits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hits").field("search", &self.search).finish_non_exhaustive()
    }
}
