//! The directories and files of a session: `CwdChanged`, `FileChanged` and `DirectoryAdded`.

use serde::{Deserialize, Serialize};

use super::{HookReply, NoOutput, declare::hook_event};
use crate::open_enum::open_enum;

hook_event! {
    /// The working directory was changed, by a command of the model's.
    ///
    /// A callback is called only where a hook in the settings is registered for the event too.
    /// The event can't refuse.
    CwdChanged => CwdChangedOutput, refusal |_| None;

    /// What `CwdChanged` tells.
    CwdChangedInput {
        /// The directory before, as an absolute path (`old_cwd`).
        old_cwd: String,
        /// The directory now, as an absolute path (`new_cwd`).
        new_cwd: String,
    }
}

/// What only `CwdChanged` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CwdChangedOutput {
    /// Absolute paths to watch for `FileChanged` (`watchPaths`).
    pub watch_paths: Option<Vec<String>>,
}

impl HookReply<CwdChanged> {
    /// Watches these paths from now on.
    pub fn watch(paths: Vec<String>) -> Self {
        Self::output(CwdChangedOutput { watch_paths: Some(paths) })
    }
}

hook_event! {
    /// A watched file was changed.
    ///
    /// A callback is called only where a hook in the settings is registered for the event too, which says what to watch.
    /// The event can't refuse.
    FileChanged => FileChangedOutput, matched by "file_path", refusal |_| None;

    /// What `FileChanged` tells.
    FileChangedInput {
        /// The file, as an absolute path (`file_path`).
        file_path: String,
        /// What happened to it (`event`).
        event: FileChange,
    }
}

open_enum! {
    /// What happened to a file.
    pub enum FileChange {
        /// It was changed.
        Change = "change",
        /// It is new.
        Add = "add",
        /// It is gone.
        Unlink = "unlink",
    }
}

/// What only `FileChanged` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileChangedOutput {
    /// Absolute paths to watch from now on (`watchPaths`).
    pub watch_paths: Option<Vec<String>>,
}

impl HookReply<FileChanged> {
    /// Watches these paths from now on.
    pub fn watch(paths: Vec<String>) -> Self {
        Self::output(FileChangedOutput { watch_paths: Some(paths) })
    }
}

hook_event! {
    /// A directory was added to those that the session may work in.
    ///
    /// The event can't refuse.
    DirectoryAdded => NoOutput, matched by "source", refusal |_| None;

    /// What `DirectoryAdded` tells.
    DirectoryAddedInput {
        /// The directory, as an absolute path (`directory`).
        directory: String,
        /// Who added it (`source`).
        source: DirectorySource,
    }
}

open_enum! {
    /// Who added a directory.
    pub enum DirectorySource {
        /// The user, by a command.
        SlashCommand = "slash_command",
        /// The host, by `register_repo_root`.
        RegisterRepoRoot = "register_repo_root",
    }
}
