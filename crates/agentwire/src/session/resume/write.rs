//! A session out of a store as the files that the CLI would have written.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use agentwire_protocol::RawJson;
use agentwire_sessions::RawEntry;

use super::{
    folder::Folder,
    load::{ARCHIVED, Loaded},
};
use crate::mirror::{PROJECTS, SUFFIX};

/// Writes a session, and what lies beneath it.
pub(super) fn session(folder: &Folder, project: &str, session: &Loaded) -> io::Result<()> {
    let Loaded { key, entries, beneath } = session;
    let main = Path::new(PROJECTS).join(project).join(key.session_id().as_str());
    // The mark of an archived session is no entry of the CLI's, and the session is taken up again.
    lines(folder, &named(&main, SUFFIX), entries.iter().filter(|entry| entry.kind() != ARCHIVED))?;
    for (key, entries) in beneath {
        let path = key.subpath().into_iter().flat_map(|subpath| subpath.split('/'));
        let path = path.fold(main.clone(), |path, part| path.join(part));
        let (about, said): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.kind() == ABOUT);
        if !said.is_empty() {
            lines(folder, &named(&path, SUFFIX), said.into_iter())?;
        }
        // It is written anew whenever the agent goes on: the last one counts.
        if let Some(about) = about.last().and_then(|about| about.decode().ok()).and_then(without_kind) {
            folder.write(&named(&path, ABOUT_SUFFIX), [about].into_iter())?;
        }
    }
    Ok(())
}

fn lines<'a>(folder: &Folder, file: &Path, entries: impl Iterator<Item = &'a RawEntry>) -> io::Result<()> {
    folder.write(file, entries.flat_map(|entry| [entry.as_str(), "\n"]))
}

/// What a store has as an entry is a file of its own, without a kind.
fn without_kind(mut about: BTreeMap<String, RawJson>) -> Option<String> {
    about.remove("type");
    serde_json::to_string(&about).ok()
}

/// The path with this behind its last part.
fn named(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// The kind of the entry that stands for what is stored beside a subagent's conversation.
const ABOUT: &str = "agent_metadata";
const ABOUT_SUFFIX: &str = ".meta.json";
