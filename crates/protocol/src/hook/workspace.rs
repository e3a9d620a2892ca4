//! Working directory and file events: `CwdChanged`, `FileChanged` and `DirectoryAdded`.

use super::{HookReply, NoOutput, declare::hook_event};
use crate::open_enum::open_enum;

hook_event! {
    /// A command of the model changed the working directory.
    ///
    /// Callbacks only fire if a hook in the settings is registered for the event too.
    /// This event can't be blocked.
    CwdChanged => CwdChangedOutput, refusal |_| None;

    /// The input of `CwdChanged`.
    CwdChangedInput {
        /// The absolute path of the previous directory (`old_cwd`).
        old_cwd: String,
        /// The absolute path of the new directory (`new_cwd`).
        new_cwd: String,
    }
}

/// The event-specific output of `CwdChanged`.
#[wire(Default, camelCase)]
pub struct CwdChangedOutput {
    /// Absolute paths to watch for `FileChanged` (`watchPaths`).
    pub watch_paths: Option<Vec<String>>,
}

impl HookReply<CwdChanged> {
    /// Returns a reply that watches these paths.
    pub fn watch(paths: Vec<String>) -> Self {
        Self::output(CwdChangedOutput { watch_paths: Some(paths) })
    }
}

hook_event! {
    /// A watched file was changed.
    ///
    /// Callbacks only fire if a hook in the settings is registered for the event too; that hook defines the paths
    /// to watch.
    /// This event can't be blocked.
    FileChanged => FileChangedOutput, matched by "file_path", refusal |_| None;

    /// The input of `FileChanged`.
    FileChangedInput {
        /// The absolute path of the file (`file_path`).
        file_path: String,
        /// The kind of change (`event`).
        event: FileChange,
    }
}

open_enum! {
    /// A kind of file change.
    pub enum FileChange {
        /// The file was modified.
        Change = "change",
        /// The file was created.
        Add = "add",
        /// The file was deleted.
        Unlink = "unlink",
    }
}

/// The event-specific output of `FileChanged`.
#[wire(Default, camelCase)]
pub struct FileChangedOutput {
    /// Additional absolute paths to watch (`watchPaths`).
    pub watch_paths: Option<Vec<String>>,
}

impl HookReply<FileChanged> {
    /// Returns a reply that watches these paths.
    pub fn watch(paths: Vec<String>) -> Self {
        Self::output(FileChangedOutput { watch_paths: Some(paths) })
    }
}

hook_event! {
    /// A working directory was added to the session.
    ///
    /// This event can't be blocked.
    DirectoryAdded => NoOutput, matched by "source", refusal |_| None;

    /// The input of `DirectoryAdded`.
    DirectoryAddedInput {
        /// The absolute path of the directory (`directory`).
        directory: String,
        /// The source (`source`).
        source: DirectorySource,
    }
}

open_enum! {
    /// The source of an added directory.
    pub enum DirectorySource {
        /// A command of the user.
        SlashCommand = "slash_command",
        /// A `register_repo_root` request of the host.
        RegisterRepoRoot = "register_repo_root",
    }
}
