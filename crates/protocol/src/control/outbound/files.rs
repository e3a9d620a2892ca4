//! Files: suggestions, reading one, taking changes back, and what the session knows of them.

use serde::{Deserialize, Serialize};

use super::{Ack, ControlCall};
use crate::{Uuid, open_enum::open_enum};

/// Which files fit what the user types (`file_suggestions`)?
///
/// The index is made in the background: the first question of a session can have an empty answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FileSuggestions {
    /// What was typed.
    pub query: String,
}

impl FileSuggestions {
    /// Files that fit this.
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into() }
    }
}

impl ControlCall for FileSuggestions {
    const SUBTYPE: &'static str = "file_suggestions";
    type Reply = FileSuggestionsReply;
}

/// The files that fit. Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FileSuggestionsReply {
    /// The best first.
    #[serde(default)]
    pub suggestions: Vec<FileSuggestion>,
    /// The directory that the paths count from; absent from CLI 2.1.197.
    pub cwd: Option<String>,
}

/// A file that fits.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FileSuggestion {
    /// Its path.
    pub path: String,
}

/// Takes back what was changed in files since a prompt (`rewind_files`).
///
/// It needs `CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true` in the CLI's environment and an id on the prompt.
/// A prompt without a checkpoint is an error.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RewindFiles {
    /// The prompt, by the id that the host gave it.
    pub user_message_id: Uuid,
    /// Whether only to tell what would change.
    pub dry_run: Option<bool>,
}

impl RewindFiles {
    /// Takes changes back since this prompt.
    pub fn new(user_message_id: Uuid) -> Self {
        Self { user_message_id, dry_run: None }
    }
}

impl ControlCall for RewindFiles {
    const SUBTYPE: &'static str = "rewind_files";
    type Reply = RewindFilesReply;
}

/// What was cancelled, or would be.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct RewindFilesReply {
    /// Whether it was possible.
    pub can_rewind: bool,
    /// Why it was not.
    pub error: Option<String>,
    /// The files that would change; of a dry run.
    pub files_changed: Option<Vec<String>>,
    /// How many lines would be added; of a dry run.
    pub insertions: Option<u64>,
    /// How many lines would go; of a dry run.
    pub deletions: Option<u64>,
    /// How many files were left alone because a link was in the way; of a real run, and absent from CLI 2.1.197.
    pub skipped_links: Option<u64>,
}

/// Reads a file with the CLI's eyes (`read_file`), as far as the rules for the tool `Read` allow it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ReadFile {
    /// The file; a relative path counts from the working directory.
    pub path: String,
    /// The most bytes to read.
    pub max_bytes: Option<u64>,
    /// How the bytes are written; `None` for UTF-8.
    pub encoding: Option<FileEncoding>,
}

impl ReadFile {
    /// Reads this file as text.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), max_bytes: None, encoding: None }
    }
}

impl ControlCall for ReadFile {
    const SUBTYPE: &'static str = "read_file";
    type Reply = ReadFileReply;
}

open_enum! {
    /// How a file's bytes are written (`encoding`).
    pub enum FileEncoding {
        /// As text, with U+FFFD for what is none.
        Utf8 = "utf-8",
        /// In Base64.
        Base64 = "base64",
    }
}

/// A file's contents.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ReadFileReply {
    /// The contents.
    pub contents: String,
    /// The file's absolute path.
    #[serde(rename = "absPath")]
    pub abs_path: Option<String>,
    /// Whether there is more in the file; absent where there is not.
    pub truncated: Option<bool>,
    /// How the contents are written; absent for UTF-8.
    pub encoding: Option<FileEncoding>,
    /// Whether bytes that are no UTF-8 were replaced; absent in Base64 and from CLI 2.1.197.
    pub lossy: Option<bool>,
    /// The path that was asked for. Not declared, seen on the wire.
    pub requested_path: Option<String>,
}

/// Tells the session that a file was read already (`seed_read_state`), so that it may be edited.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SeedReadState {
    /// The file.
    pub path: String,
    /// When the file had changed last as it was read, in milliseconds since 1970.
    pub mtime: f64,
}

impl SeedReadState {
    /// This file was read when it had changed last at this time.
    pub fn new(path: impl Into<String>, mtime: f64) -> Self {
        Self { path: path.into(), mtime }
    }
}

impl ControlCall for SeedReadState {
    const SUBTYPE: &'static str = "seed_read_state";
    type Reply = Ack;
}

/// Adds a directory to work in (`register_repo_root`), below the working directory or one given at the start.
///
/// One that is known already is refused.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RegisterRepoRoot {
    /// The directory.
    pub directory: String,
    /// Whether to read the instruction files again.
    pub reload_claude_md: Option<bool>,
    /// Whether to read the plugins again.
    pub reload_plugins: Option<bool>,
    /// Whether to read the skills again.
    pub reload_skills: Option<bool>,
}

impl RegisterRepoRoot {
    /// Adds this directory, and reads nothing again.
    pub fn new(directory: impl Into<String>) -> Self {
        Self {
            directory: directory.into(),
            reload_claude_md: None,
            reload_plugins: None,
            reload_skills: None,
        }
    }
}

impl ControlCall for RegisterRepoRoot {
    const SUBTYPE: &'static str = "register_repo_root";
    type Reply = RegisterRepoRootReply;
}

/// The directory that was added. Not declared, seen on the wire.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RegisterRepoRootReply {
    /// Its absolute path.
    pub directory: Option<String>,
}
