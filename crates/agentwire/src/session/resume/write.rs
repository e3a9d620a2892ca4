//! Writes a session from a store as the files that the CLI would have written.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use agentwire_protocol::RawJson;
use agentwire_sessions::RawEntry;

use super::load::{ARCHIVED, Loaded};
use crate::{
    mirror::{PROJECTS, SUFFIX},
    session::private_files::PrivateDir,
};

/// Writes a session and the conversations below it.
pub(super) fn session(folder: &PrivateDir, project: &str, session: &Loaded) -> io::Result<()> {
    let Loaded { key, entries, subpaths } = session;
    let main = Path::new(PROJECTS).join(project).join(key.session_id().as_str());
    lines(folder, &named(&main, SUFFIX), entries.iter().filter(|entry| !LEFT_OUT.contains(&entry.kind())))?;
    for (key, entries) in subpaths {
        let path = key.subpath().into_iter().flat_map(|subpath| subpath.split('/'));
        let path = path.fold(main.clone(), |path, part| path.join(part));
        let (about, conversation): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.kind() == ABOUT);
        if !conversation.is_empty() {
            lines(folder, &named(&path, SUFFIX), conversation.into_iter())?;
        }
        // The CLI rewrites it whenever the agent continues, so the last one counts.
        if let Some(about) = about.last().and_then(|about| about.decode().ok()).and_then(without_kind) {
            folder.write(&named(&path, ABOUT_SUFFIX), [about])?;
        }
    }
    Ok(())
}

fn lines<'a>(
    folder: &PrivateDir,
    file: &Path,
    entries: impl Iterator<Item = &'a RawEntry>,
) -> io::Result<()> {
    folder.write(file, entries.flat_map(|entry| [entry.as_str(), "\n"]))
}

/// Returns the entry without its kind, as the CLI writes it to a file of its own.
fn without_kind(mut about: BTreeMap<String, RawJson>) -> Option<String> {
    about.remove("type");
    serde_json::to_string(&about).ok()
}

/// Appends a suffix to the last component of the path.
fn named(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// The kinds of entries that are not written.
///
/// The archive mark is not an entry of the CLI, and the session is being resumed. The store lacks the backups that file
/// checkpoints name: a rewind would restore only some of the files, and report success.
const LEFT_OUT: &[&str] = &[ARCHIVED, "file-history-snapshot", "file-history-delta"];
/// The kind of the entry with the metadata of a subagent.
const ABOUT: &str = "agent_metadata";
const ABOUT_SUFFIX: &str = ".meta.json";
