//! Lists of sessions, newest first, and information about one session.

mod continued;
mod page;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;

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
    /// Leaves out sidechains, empty files, [unreadable](Self::unreadable) files and folders, sessions without messages, and
    /// sessions that the CLI continued in another one (in the background).
    ///
    /// Holds the names of all sessions in memory, and the ends of one file.
    ///
    /// # Errors
    ///
    /// If the projects folder can't be read; a folder that does not exist has no sessions.
    pub fn list(&self, page: Page) -> Result<Vec<SessionInfo>, SessionError> {
        let (projects, folders) = self.listed_folders()?;
        let inside = Inside::of(self.projects());
        let (candidates, _) = candidates(&inside, &folders);
        let (mut ends, mut seen) = (Ends::default(), HashSet::new());
        let infos = candidates.iter().filter_map(|candidate| {
            if seen.contains(&candidate.id) {
                return None;
            }
            let info = candidate.info(&folders, &inside, &mut ends, self.programmatic)?;
            if projects.exclude(info.cwd.as_deref()) {
                return None;
            }
            seen.insert(&candidate.id);
            Some(info)
        });
        Ok(page.of(infos).collect())
    }

    /// Returns an error for each project folder that can't be listed, and for each session's file that can't be read.
    /// [`list`](Self::list) leaves them out. Files of a folder that can be listed and not entered are not found.
    ///
    /// # Errors
    ///
    /// If the projects folder can't be read.
    pub fn unreadable(&self) -> Result<Vec<SessionError>, SessionError> {
        let open = |file: SessionFile| match File::open(&file.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(SessionError::io("reading", &file.path)(error))
            }
            _ => Ok(()),
        };
        Ok(self.files()?.filter_map(|file| file.and_then(open).err()).collect())
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

    /// Returns the errors of project folders that can't be read, and then the files of the sessions, most recently written
    /// first; only the newest file of each session.
    pub(crate) fn files(
        &self,
    ) -> Result<impl Iterator<Item = Result<SessionFile, SessionError>> + use<>, SessionError> {
        let (projects, folders) = self.listed_folders()?;
        let (mut candidates, errors) = candidates(&Inside::of(self.projects()), &folders);
        // As in `find`, an empty file is not a session.
        candidates.retain(|candidate| candidate.known.size > 0);
        let mut seen = HashSet::new();
        candidates.retain(|candidate| seen.insert(candidate.id.clone()));
        let files = candidates.into_iter().map(move |candidate| candidate.file(&folders));
        let cwd = |file: &SessionFile| Ends::read(&file.path).ok().flatten()?.cwd();
        let files =
            files.filter(move |file| file.project.is_none() || !projects.exclude(cwd(file).as_deref()));
        Ok(errors.into_iter().map(Err).chain(files.map(Ok)))
    }
}

/// A session's file that has not been opened yet.
struct Candidate {
    known: Known,
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

/// Returns the files of sessions in these folders, most recently written first, and the errors of unreadable folders.
fn candidates(inside: &Inside, folders: &[ProjectFolder]) -> (Vec<Candidate>, Vec<SessionError>) {
    let (mut candidates, mut errors) = (Vec::<Candidate>::new(), Vec::new());
    for (folder, ProjectFolder { path, .. }) in folders.iter().enumerate() {
        let (first, mut beside) = (candidates.len(), HashSet::<Box<str>>::new());
        let entries = match read_dir(path) {
            Ok(entries) => entries,
            Err(error) => {
                errors.push(SessionError::io("reading", path)(error));
                continue;
            }
        };
        for entry in entries {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if let Some(id) = session_id(name) {
                let Some(known) = known(inside, &entry) else { continue };
                candidates.push(Candidate { known, has_folder: false, id: id.into(), folder });
            } else if is_uuid(name) {
                beside.insert(name.into());
            }
        }
        for candidate in &mut candidates[first..] {
            candidate.has_folder = beside.contains(&candidate.id);
        }
    }
    candidates.sort_unstable_by(|a, b| (b.known.modified_ms, &b.id).cmp(&(a.known.modified_ms, &a.id)));
    (candidates, errors)
}

/// Returns the metadata of a file; `None` if the entry is not a file.
fn known(inside: &Inside, entry: &fs::DirEntry) -> Option<Known> {
    let is_file = entry.file_type().ok()?.is_file();
    let metadata = if is_file { entry.metadata() } else { fs::metadata(inside.file(entry.path())?) };
    Some(Known::of(&metadata.ok()?))
}
