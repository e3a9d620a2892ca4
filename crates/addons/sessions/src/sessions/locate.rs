//! Finds project folders and session files, never outside the projects folder.

use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use agentwire_protocol::SessionId;

use super::error::check_id;
use super::worktrees::worktrees;
use super::{SessionError, Sessions};
use crate::ends::Ends;
use crate::folder::{cut_name, folder_name, plain_name, resolve};
use crate::ids::is_uuid;

/// The file of a session.
#[derive(Clone, Debug)]
pub(crate) struct SessionFile {
    pub(crate) id: SessionId,
    pub(crate) path: PathBuf,
    /// The project by which it was found; `None` if all projects were searched.
    pub(crate) project: Option<PathBuf>,
}

impl SessionFile {
    /// Returns the folder beside the file, for the session's other files; it may not exist.
    pub(crate) fn folder(&self) -> PathBuf {
        self.path.with_extension("")
    }
}

/// A folder with sessions.
#[derive(Clone, Debug)]
pub(crate) struct ProjectFolder {
    pub(crate) path: PathBuf,
    /// The project by which it was found; `None` if all projects were searched.
    pub(crate) project: Option<PathBuf>,
}

impl Sessions {
    /// Returns the session's file, unless it is empty: the first in the order of worktrees or, without a project, the
    /// most recently written.
    pub(crate) fn find(&self, id: &SessionId) -> Result<Option<SessionFile>, SessionError> {
        let mut newest: Option<(SystemTime, SessionFile)> = None;
        for (metadata, found) in self.files_of(id)? {
            if found.project.is_some() {
                return Ok(Some(found));
            }
            let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if newest.as_ref().is_none_or(|(newest, _)| written > *newest) {
                newest = Some((written, found));
            }
        }
        Ok(newest.map(|(_, file)| file))
    }

    /// Returns all files of the session that are not empty, in search order.
    pub(crate) fn find_all(&self, id: &SessionId) -> Result<Vec<SessionFile>, SessionError> {
        Ok(self.files_of(id)?.into_iter().map(|(_, file)| file).collect())
    }

    /// Returns the same files with their metadata. Fails if there is none, and a folder that may contain one can't be read.
    fn files_of(&self, id: &SessionId) -> Result<Vec<(Metadata, SessionFile)>, SessionError> {
        check_id(id)?;
        let inside = Inside::of(self.projects());
        let (mut files, mut denied) = (Vec::new(), None);
        for ProjectFolder { path: folder, project } in self.project_folders()? {
            let path = folder.join(format!("{id}.jsonl"));
            match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    denied.get_or_insert_with(|| SessionError::io("reading", &folder)(error));
                    continue;
                }
                Err(_) => continue,
                Ok(_) => {}
            }
            let Some(path) = inside.file(path) else { continue };
            if let Some(metadata) = fs::metadata(&path).ok().filter(|metadata| metadata.len() > 0) {
                files.push((metadata, SessionFile { id: id.clone(), path, project }));
            }
        }
        match denied {
            Some(error) if files.is_empty() => Err(error),
            _ => Ok(files),
        }
    }

    /// Returns the projects whose sessions are listed, and their folders without duplicates.
    ///
    /// As in the reference SDKs, only the project's own folder counts if the repository has no other worktrees: a
    /// subfolder of a repository lists its own sessions.
    pub(crate) fn listed_folders(&self) -> Result<(Projects, Vec<ProjectFolder>), SessionError> {
        let mut others = self.other_worktrees();
        if others.len() <= 1 {
            others.clear();
        }
        let projects = self.projects_with(others);
        let folders = self.folders_of(&projects)?;
        Ok((projects, folders))
    }

    /// Returns the folders in which a session is searched, in order and without duplicates.
    pub(crate) fn project_folders(&self) -> Result<Vec<ProjectFolder>, SessionError> {
        self.folders_of(&self.projects_with(self.other_worktrees()))
    }

    fn other_worktrees(&self) -> Vec<PathBuf> {
        self.project.as_deref().filter(|_| self.worktrees).map(worktrees).unwrap_or_default()
    }

    fn projects_with(&self, others: Vec<PathBuf>) -> Projects {
        let others = others.into_iter().filter(|other| Some(other) != self.project.as_ref());
        Projects(self.project.iter().cloned().chain(others).collect())
    }

    fn folders_of(&self, projects: &Projects) -> Result<Vec<ProjectFolder>, SessionError> {
        let Projects(projects) = projects;
        let inside = Inside::of(self.projects());
        let failed = || SessionError::io("reading", &inside.projects);
        if projects.is_empty() {
            let folders = inside.folders().map_err(failed())?;
            return Ok(folders.into_iter().map(|path| ProjectFolder { path, project: None }).collect());
        }
        let named = self.named.as_ref().and_then(|name| inside.folder(self.projects().join(name)));
        let named = named.map(|path| ProjectFolder { path, project: self.project.clone() });
        let mut folders: Vec<_> = named.into_iter().collect();
        for project in projects {
            for path in inside.folders_of(project).map_err(failed())? {
                if folders.iter().all(|known| known.path != path) {
                    folders.push(ProjectFolder { path, project: Some(project.clone()) });
                }
            }
        }
        Ok(folders)
    }
}

/// The projects whose sessions are listed; empty for those of all.
#[derive(Debug)]
pub(crate) struct Projects(Vec<PathBuf>);

impl Projects {
    /// Returns whether a session with this working directory belongs to another project that shares the folder.
    ///
    /// `my-app` and `my.app` share a folder. As in the reference SDK for TypeScript, a directory that does not exist
    /// proves nothing: the project may have been moved.
    pub(crate) fn exclude(&self, cwd: Option<&str>) -> bool {
        let name = |path: &Path| plain_name(&path.to_string_lossy());
        let other = |cwd: &Path| {
            let shared = self.0.iter().any(|project| name(project) == name(cwd));
            shared && !self.0.iter().any(|project| cwd.starts_with(project))
        };
        cwd.map(Path::new).is_some_and(|cwd| other(cwd) && cwd.exists() && other(&resolve(cwd)))
    }
}

/// The projects folder, outside of which nothing is read.
#[derive(Debug)]
pub(crate) struct Inside {
    projects: PathBuf,
}

impl Inside {
    pub(crate) fn of(projects: PathBuf) -> Self {
        Self { projects }
    }

    /// Returns the path if it is a file inside the projects folder.
    pub(crate) fn file(&self, path: PathBuf) -> Option<PathBuf> {
        let kind = fs::symlink_metadata(&path).ok()?.file_type();
        self.checked(path, kind).filter(|path| kind.is_file() || path.is_file())
    }

    /// Returns the path if it is a folder inside the projects folder.
    pub(crate) fn folder(&self, path: PathBuf) -> Option<PathBuf> {
        let kind = fs::symlink_metadata(&path).ok()?.file_type();
        self.checked(path, kind).filter(|path| kind.is_dir() || path.is_dir())
    }

    /// Rejects links that lead out of the projects folder.
    fn checked(&self, path: PathBuf, kind: FileType) -> Option<PathBuf> {
        if !kind.is_symlink() {
            return Some(path);
        }
        let (projects, target) = (fs::canonicalize(&self.projects).ok()?, fs::canonicalize(&path).ok()?);
        target.starts_with(projects).then_some(path)
    }

    /// Returns the folders of all projects.
    fn folders(&self) -> io::Result<Vec<PathBuf>> {
        Ok(read_dir(&self.projects)?.filter_map(|entry| self.folder(entry.path())).collect())
    }

    /// Returns the folder named after the project and, for a long name, folders with another hash if a session in them
    /// ran in the project.
    fn folders_of(&self, project: &Path) -> io::Result<Vec<PathBuf>> {
        let named = self.projects.join(folder_name(project));
        let mut found: Vec<_> = self.folder(named.clone()).into_iter().collect();
        let Some(cut) = cut_name(project) else { return Ok(found) };
        for folder in self.folders()? {
            let same =
                folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(&cut));
            if same && folder != named && self.has_session_of(&folder, project) {
                found.push(folder);
            }
        }
        Ok(found)
    }

    /// Returns whether a session in this folder ran in that project.
    fn has_session_of(&self, folder: &Path, project: &Path) -> bool {
        let name = plain_name(&project.to_string_lossy());
        let Ok(entries) = read_dir(folder) else { return false };
        entries.filter(|entry| session_id(&entry.file_name().to_string_lossy()).is_some()).any(|entry| {
            let ends = self.file(entry.path()).and_then(|path| Ends::read(&path).ok().flatten());
            ends.as_ref().and_then(Ends::cwd).is_some_and(|cwd| plain_name(&cwd) == name)
        })
    }
}

/// Returns the session id in a file name.
pub(crate) fn session_id(file_name: &str) -> Option<&str> {
    file_name.strip_suffix(".jsonl").filter(|id| is_uuid(id))
}

/// Reads a folder; a folder that does not exist is empty.
pub(crate) fn read_dir(folder: &Path) -> io::Result<impl Iterator<Item = fs::DirEntry> + use<>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => Some(entries),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
        Err(error) => return Err(error),
    };
    Ok(entries.into_iter().flatten().filter_map(Result::ok))
}
