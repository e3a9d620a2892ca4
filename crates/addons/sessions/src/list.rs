//! Lists of sessions, newest first, and information about one session.

mod continued;
mod page;

use std::collections::HashSet;
use std::fs;

use agentwire_protocol::SessionId;
use agentwire_protocol::session_info::SessionInfo;

pub use page::Page;

use crate::ends::{Ends, Known};
use crate::ids::is_uuid;
use crate::info::{info_of, is_programmatic};
use crate::sessions::{Inside, ProjectFolder, SessionError, SessionFile, Sessions, read_dir, session_id};
use continued::is_continued;

impl Sessions {
    /// Lists the sessions, most recently written first.
    ///
    /// Reads only the first and the last 64 KiB of each file, and no more files than the page needs.
    /// The whole file is searched if a session was written after it was archived.
    /// If a session has several files, only the newest counts.
    /// Sidechains, empty files, sessions without messages and unreadable files are left out, and sessions that the CLI
    /// continued in another one (in the background).
    ///
    /// Holds the names of all sessions in memory, and the ends of one file.
    ///
    /// # Errors
    ///
    /// If the projects folder can't be read; a folder that does not exist has no sessions.
    pub fn list(&self, page: Page) -> Result<Vec<SessionInfo>, SessionError> {
        let (projects, folders) = self.listed_folders()?;
        let inside = Inside::of(self.projects());
        let mut ends = Ends::default();
        let mut info = |candidate: &Candidate| {
            let info = candidate.info(&folders, &inside, &mut ends, self.programmatic)?;
            (!projects.exclude(info.cwd.as_deref())).then_some(info)
        };
        if page.limit.is_none() {
            // All files are read, so their times are read when they are open.
            let mut infos: Vec<_> = candidates(&inside, &folders, false).iter().filter_map(info).collect();
            infos.sort_unstable_by(|a, b| {
                (b.last_modified, &b.session_id).cmp(&(a.last_modified, &a.session_id))
            });
            let mut seen = HashSet::new();
            infos.retain(|info| seen.insert(info.session_id.clone()));
            return Ok(page.of(infos.into_iter()).collect());
        }
        let mut candidates = candidates(&inside, &folders, true);
        newest_first(&mut candidates);
        let mut seen = HashSet::new();
        let infos = candidates.iter().filter_map(|candidate| {
            let info = if seen.contains(&candidate.id) { None } else { info(candidate) }?;
            seen.insert(&candidate.id);
            Some(info)
        });
        Ok(page.of(infos).collect())
    }

    /// Returns information about one session; `None` if it does not exist, is a sidechain, or has no messages.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, or the projects folder or the file can't be read.
    pub fn info(&self, id: &SessionId) -> Result<Option<SessionInfo>, SessionError> {
        let Some(file) = self.find(id)? else { return Ok(None) };
        let ends = Ends::read(&file.path).map_err(SessionError::io("reading", &file.path))?;
        Ok(ends.and_then(|ends| info_of(&file, &ends, true)))
    }

    /// Returns the files of the sessions, most recently written first; only the newest file of each session.
    pub(crate) fn files(&self) -> Result<impl Iterator<Item = SessionFile> + use<>, SessionError> {
        let (projects, folders) = self.listed_folders()?;
        let mut candidates = candidates(&Inside::of(self.projects()), &folders, true);
        // As in `find`, an empty file is no session.
        candidates.retain(|candidate| candidate.known.is_some_and(|known| known.size > 0));
        newest_first(&mut candidates);
        let mut seen = HashSet::new();
        candidates.retain(|candidate| seen.insert(candidate.id.clone()));
        let files = candidates.into_iter().map(move |candidate| candidate.file(&folders));
        let cwd = |file: &SessionFile| Ends::read(&file.path).ok().flatten()?.cwd();
        Ok(files.filter(move |file| file.project.is_none() || !projects.exclude(cwd(file).as_deref())))
    }
}

/// A session's file that has not been opened yet.
struct Candidate {
    /// The metadata, if it was read.
    known: Option<Known>,
    /// Whether a folder of the same name is beside the file.
    has_folder: bool,
    id: Box<str>,
    /// The index of its project folder.
    folder: usize,
}

impl Candidate {
    fn info(
        &self,
        folders: &[ProjectFolder],
        inside: &Inside,
        ends: &mut Ends,
        programmatic: bool,
    ) -> Option<SessionInfo> {
        let file = self.file(folders);
        let some = ends.load(&file.path, self.known).ok()?
            && (programmatic || !is_programmatic(ends))
            && !is_continued(inside, &file, ends);
        some.then(|| info_of(&file, ends, self.has_folder))?
    }

    fn file(&self, folders: &[ProjectFolder]) -> SessionFile {
        let folder = &folders[self.folder];
        let path = folder.path.join(format!("{}.jsonl", self.id));
        SessionFile { id: SessionId::from(&*self.id), path, project: folder.project.clone() }
    }
}

fn candidates(inside: &Inside, folders: &[ProjectFolder], ask: bool) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for (folder, ProjectFolder { path, .. }) in folders.iter().enumerate() {
        let (first, mut beside) = (candidates.len(), HashSet::<Box<str>>::new());
        for entry in read_dir(path).into_iter().flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if let Some(id) = session_id(name) {
                let Some(known) = known(inside, &entry, ask) else { continue };
                candidates.push(Candidate { known, has_folder: false, id: id.into(), folder });
            } else if is_uuid(name) {
                beside.insert(name.into());
            }
        }
        for candidate in &mut candidates[first..] {
            candidate.has_folder = beside.contains(&candidate.id);
        }
    }
    candidates
}

/// Sorts candidates by their metadata.
fn newest_first(candidates: &mut [Candidate]) {
    let order = |candidate: &Candidate| candidate.known.map(|known| known.modified_ms);
    candidates.sort_unstable_by(|a, b| (order(b), &*b.id).cmp(&(order(a), &*a.id)));
}

/// Returns the metadata of a file, if `ask`; `None` if the entry is not a file.
fn known(inside: &Inside, entry: &fs::DirEntry, ask: bool) -> Option<Option<Known>> {
    let link = !entry.file_type().ok()?.is_file();
    let target = if link { Some(inside.file(entry.path())?) } else { None };
    if !ask {
        return Some(None);
    }
    let metadata = target.map_or_else(|| entry.metadata(), fs::metadata).ok()?;
    Some(Some(Known::of(&metadata)))
}
