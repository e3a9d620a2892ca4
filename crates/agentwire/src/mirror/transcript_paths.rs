//! Maps the CLI's files of stored sessions to keys of the store.

use std::{
    collections::HashMap,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use agentwire_protocol::SessionId;
use agentwire_sessions::SessionKey;
use agentwire_transport::Lock;

/// The location of the CLI's files of stored sessions, and the store's name for the project.
#[derive(Debug)]
pub(crate) struct TranscriptPaths {
    /// The folder with the projects, as named and with links resolved.
    roots: Vec<PathBuf>,
    /// The base of the CLI's relative paths.
    cwd: PathBuf,
    /// The store's name for the project, if it differs from the name of its folder.
    project: Option<Box<str>>,
    /// The first folder of each session: the CLI moves a session's files when it enters a worktree.
    folders: Lock<HashMap<Box<str>, Box<str>>>,
}

impl TranscriptPaths {
    /// The files of stored sessions of a CLI with this configuration folder and working directory.
    pub(crate) fn new(config: &Path, project: Option<&str>, cwd: PathBuf) -> Self {
        let named = config.join(PROJECTS);
        let real = real(&named);
        let roots = if real == named { vec![named] } else { vec![named, real] };
        Self { roots, cwd, project: project.map(Into::into), folders: Lock::default() }
    }

    /// Sets the folder of a resumed session, which may have moved before.
    pub(crate) fn resumed(self, session: &str, folder: &str) -> Self {
        self.folders.lock().insert(session.into(), folder.into());
        self
    }

    /// Returns the key for a file, or the reason why it has none.
    pub(super) fn key(&self, file: &str) -> Result<SessionKey, String> {
        let path = self.cwd.join(file);
        let within = self.roots.iter().find_map(|root| path.strip_prefix(root).ok());
        let not_here = || format!("{file:?} is not in the CLI's folder for projects (`CLAUDE_CONFIG_DIR`)");
        let within = within.ok_or_else(not_here)?;
        let parts: Option<Vec<&str>> = within.iter().map(OsStr::to_str).collect();
        let not_one = || format!("{file:?} is not a file of a session");
        let (last, folders) = parts.as_deref().and_then(<[_]>::split_last).ok_or_else(not_one)?;
        let last = last.strip_suffix(SUFFIX).ok_or_else(not_one)?;
        match *folders {
            [project] => self.session(project, last),
            // As in the reference SDKs, subagents' conversations lie in a folder named after the session.
            [project, session, ref middle @ ..] if !middle.is_empty() => {
                let subpath = [middle, &[last]].concat().join("/");
                let session = self.session(project, session)?;
                session.with_subpath(subpath).map_err(|error| error.to_string())
            }
            _ => Err(not_one()),
        }
    }

    fn session(&self, project: &str, session: &str) -> Result<SessionKey, String> {
        let mut folders = self.folders.lock();
        let first = folders.get(session).map_or(project, |first| first);
        let name = self.project.as_deref().unwrap_or(first);
        let key = SessionKey::new(name, SessionId::from(session)).map_err(|error| error.to_string())?;
        folders.entry(session.into()).or_insert_with(|| project.into());
        Ok(key)
    }
}

/// Resolves links in the existing part of the path: on some systems the CLI reports resolved paths.
fn real(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

/// The folder with the projects inside a configuration folder.
pub(crate) const PROJECTS: &str = "projects";
/// The suffix of the files of stored sessions.
pub(crate) const SUFFIX: &str = ".jsonl";

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::TranscriptPaths;

    const ID: &str = "0b0e7a3e-57a1-4a4c-8d3f-0d8c5a2f1b11";

    fn key(file: &str) -> Result<String, String> {
        TranscriptPaths::new(Path::new("/config"), None, PathBuf::new()).key(file).map(|key| key.to_string())
    }

    #[test]
    fn files_of_sessions_have_keys() {
        let at = |rest: &str| key(&format!("/config/projects/-src-app/{rest}"));
        assert_eq!(at(&format!("{ID}.jsonl")), Ok(format!("-src-app/{ID}")));
        let agent = format!("-src-app/{ID}/subagents/agent-a1");
        assert_eq!(at(&format!("{ID}/subagents/agent-a1.jsonl")), Ok(agent));
        let deep = format!("-src-app/{ID}/subagents/workflows/w1/agent-2");
        assert_eq!(at(&format!("{ID}/subagents/workflows/w1/agent-2.jsonl")), Ok(deep));
        // The CLI composes the path of its configuration folder.
        let config = crate::Options::new().env("CLAUDE_CONFIG_DIR", "/e\u{301}").config_dir();
        let paths = TranscriptPaths::new(&config, None, PathBuf::new());
        assert!(paths.key(&format!("/\u{e9}/projects/p/{ID}.jsonl")).is_ok());
    }

    #[test]
    fn other_files_have_none() {
        for file in [
            format!("/config/{ID}.jsonl"),
            format!("/config/projects/{ID}.jsonl"),
            format!("/config/projects/p/{ID}.json"),
            format!("/config/projects/p/{ID}/agent-1.jsonl"),
            "/config/projects/p/notes.jsonl".to_owned(),
            format!("/config/projects/p/{ID}/subagents/../../../x.jsonl"),
            format!("/config/projects/../projects/{ID}.jsonl"),
            format!("/config/projects-2/p/{ID}.jsonl"),
            format!("projects/p/{ID}.jsonl"),
            String::new(),
        ] {
            assert!(key(&file).is_err(), "{file}");
        }
    }

    #[test]
    fn the_project_may_have_a_name_of_its_own() {
        let paths = TranscriptPaths::new(Path::new("/c"), Some("team"), PathBuf::new());
        let key = paths.key(&format!("/c/projects/-src-app/{ID}.jsonl")).unwrap();
        assert_eq!(key.to_string(), format!("team/{ID}"));
    }

    #[test]
    fn a_session_keeps_its_key_when_the_cli_moves_its_files() {
        let paths = TranscriptPaths::new(Path::new("/c"), None, PathBuf::new());
        let key = |file: &str| paths.key(&format!("/c/projects/{file}.jsonl")).unwrap().to_string();
        assert_eq!(key(&format!("-repo/{ID}")), format!("-repo/{ID}"));
        assert_eq!(key(&format!("-repo--claude-worktrees-a/{ID}")), format!("-repo/{ID}"));
        let agent = format!("-repo--claude-worktrees-a/{ID}/subagents/agent-1");
        assert_eq!(key(&agent), format!("-repo/{ID}/subagents/agent-1"));
    }

    #[test]
    fn a_link_is_seen_through() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap().join("real");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, dir.path().join("link")).unwrap();
        let paths = TranscriptPaths::new(&dir.path().join("link"), None, PathBuf::new());
        let file = real.join(format!("projects/p/{ID}.jsonl"));
        assert!(paths.key(file.to_str().unwrap()).is_ok());
    }
}
