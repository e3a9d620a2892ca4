//! Writes sessions like the CLI.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use agentwire_sessions::{RawEntry, Sessions, project_key};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A test's configuration folder.
pub(crate) struct Config {
    folder: TempDir,
}

impl Config {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn sessions(&self) -> Sessions {
        Sessions::at(self.path())
    }

    /// Returns the folder of a project's sessions, and creates it if necessary.
    pub(crate) fn project(&self, project: impl AsRef<Path>) -> PathBuf {
        let folder = self.path().join("projects").join(project_key(project.as_ref()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Writes a session with this modification time, in seconds since 1970.
    pub(crate) fn write(&self, project: &str, id: &str, seconds: u64, entries: &[Value]) -> PathBuf {
        let text: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
        let path = self.project(project).join(format!("{id}.jsonl"));
        fs::write(&path, text).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
        path
    }
}

/// Appends a line without a break that exceeds the limit; returns its offset.
pub(crate) fn append_too_long(path: &Path) -> u64 {
    let file = File::options().append(true).open(path).unwrap();
    let start = file.metadata().unwrap().len();
    // Zeros, which need no space on the disk.
    file.set_len(start + (64 << 20) + 1).unwrap();
    start
}

/// Writes the mark of a session in the archive, or out of it, beside the session's file.
pub(crate) fn mark(path: &Path, archived: bool, at: &str) {
    let folder = path.with_extension("");
    fs::create_dir_all(&folder).unwrap();
    let mark = json!({"archived": archived, "at": at, "by": "sdk"});
    fs::write(folder.join("archived.json"), mark.to_string()).unwrap();
}

/// Returns the id of the session with this number.
pub(crate) fn id(number: u32) -> String {
    format!("0b0e7a3e-57a1-4a4c-9d3f-{number:012x}")
}

/// Parses entries.
pub(crate) fn raw(entries: &[Value]) -> Vec<RawEntry> {
    entries.iter().map(|entry| RawEntry::parse(entry.to_string()).unwrap()).collect()
}

/// Returns a user message with an id and its parent's.
pub(crate) fn user(uuid: &str, parent: Option<&str>, text: &str) -> Value {
    json!({"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": id(1), "isSidechain": false,
        "timestamp": "2026-01-01T00:00:00.000Z", "message": {"role": "user", "content": text}})
}
