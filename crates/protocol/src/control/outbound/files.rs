//! File requests: suggestions, reading, rewinding, and the session's knowledge of files.

use crate::Uuid;

/// Requests files that match the user's input (`file_suggestions`).
///
/// The index is built in the background: the first reply of a session can be empty.
#[wire(Eq, new)]
pub struct FileSuggestions {
    /// The user's input.
    pub query: String,
}

/// The matching files. Not declared, seen on the wire.
#[wire(Default, Eq, tolerant)]
pub struct FileSuggestionsReply {
    /// The suggestions, best match first.
    pub suggestions: Vec<FileSuggestion>,
    /// The base directory of the paths; absent from CLI 2.1.197.
    pub cwd: Option<String>,
}

/// A matching file.
#[wire(Eq)]
pub struct FileSuggestion {
    /// The path.
    pub path: String,
}

/// Reverts file changes since a prompt (`rewind_files`).
///
/// Requires `CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true` in the CLI's environment and an id on the prompt.
/// A prompt without a checkpoint is an error.
#[wire(Eq, new)]
pub struct RewindFiles {
    /// The id of the prompt, chosen by the host.
    pub user_message_id: Uuid,
    /// Whether to only report the changes.
    pub dry_run: Option<bool>,
}

/// The outcome of a rewind or of a dry run.
#[wire(Default, Eq, camelCase, tolerant)]
pub struct RewindFilesReply {
    /// Whether a rewind is possible.
    pub can_rewind: bool,
    /// The reason why it is not possible.
    pub error: Option<String>,
    /// The files that would change; only of a dry run.
    pub files_changed: Option<Vec<String>>,
    /// The number of lines that would be added; only of a dry run.
    pub insertions: Option<u64>,
    /// The number of lines that would be removed; only of a dry run.
    pub deletions: Option<u64>,
    /// The number of files skipped because of a link; only of a real run, and absent from CLI 2.1.197.
    pub skipped_links: Option<u64>,
}

/// Reads a file through the CLI (`read_file`), if the rules for the tool `Read` allow it.
#[wire(Eq, new)]
pub struct ReadFile {
    /// The path; relative to the working directory, or absolute.
    pub path: String,
    /// The maximum number of bytes.
    pub max_bytes: Option<u64>,
    /// The encoding of the contents; `None` for UTF-8.
    pub encoding: Option<FileEncoding>,
}

/// The encoding of a file's contents (`encoding`).
#[wire]
pub enum FileEncoding {
    /// Text, with U+FFFD for invalid UTF-8.
    Utf8 = "utf-8",
    /// Base64.
    Base64 = "base64",
}

/// The contents of a file.
#[wire(Eq)]
pub struct ReadFileReply {
    /// The contents.
    pub contents: String,
    /// The absolute path.
    #[serde(rename = "absPath")]
    pub abs_path: Option<String>,
    /// Whether the contents are truncated; absent means no.
    pub truncated: Option<bool>,
    /// The encoding of the contents; absent for UTF-8.
    pub encoding: Option<FileEncoding>,
    /// Whether invalid UTF-8 was replaced; absent in Base64 and from CLI 2.1.197.
    pub lossy: Option<bool>,
    /// The requested path. Not declared, seen on the wire.
    pub requested_path: Option<String>,
}

/// Marks a file as read in the session (`seed_read_state`), so that the model may edit it.
#[wire(new)]
pub struct SeedReadState {
    /// The file.
    pub path: String,
    /// The file's modification time when it was read, in milliseconds since 1970.
    pub mtime: f64,
}

/// Adds a working directory (`register_repo_root`) below the current one or one given at the start.
///
/// The CLI rejects a directory that is already registered.
#[wire(Eq, new)]
pub struct RegisterRepoRoot {
    /// The directory.
    pub directory: String,
    /// Whether to reload the instruction files.
    pub reload_claude_md: Option<bool>,
    /// Whether to reload the plugins.
    pub reload_plugins: Option<bool>,
    /// Whether to reload the skills.
    pub reload_skills: Option<bool>,
}

/// The added directory. Not declared, seen on the wire.
#[wire(Default, Eq)]
pub struct RegisterRepoRootReply {
    /// The absolute path.
    pub directory: Option<String>,
}
