//! Working directory and file events: `CwdChanged`, `FileChanged` and `DirectoryAdded`.

use super::{HookEvent, HookReply, NoOutput, declare::hook_event};

hook_event! {
    /// A command of the model changed the working directory.
    ///
    /// Callbacks only fire if a hook in the settings is registered for the event too.
    /// This event can't be blocked.
    CwdChanged => WatchOutput, refusal |_| None;

    /// The input of `CwdChanged`.
    CwdChangedInput {
        /// The absolute path of the previous directory (`old_cwd`).
        old_cwd: String,
        /// The absolute path of the new directory (`new_cwd`).
        new_cwd: String,
    }
}

/// The event-specific output of `CwdChanged` and `FileChanged`.
#[wire(Default, camelCase)]
pub struct WatchOutput {
    /// Additional absolute paths to watch for `FileChanged` (`watchPaths`).
    pub watch_paths: Option<Vec<String>>,
}

impl<E: HookEvent<Output = WatchOutput>> HookReply<E> {
    /// Returns a reply that watches these paths.
    pub fn watch(paths: Vec<String>) -> Self {
        Self::output(WatchOutput { watch_paths: Some(paths) })
    }
}

hook_event! {
    /// A watched file was changed.
    ///
    /// Callbacks only fire if a hook in the settings is registered for the event too; that hook defines the paths
    /// to watch.
    /// This event can't be blocked.
    FileChanged => WatchOutput, matched by "file_path", refusal |_| None;

    /// The input of `FileChanged`.
    FileChangedInput {
        /// The absolute path of the file (`file_path`).
        file_path: String,
        /// The kind of change (`event`).
        event: FileChange,
    }
}

/// A kind of file change.
#[wire]
pub enum FileChange {
    /// The file was modified.
    Change = "change",
    /// The file was created.
    Add = "add",
    /// The file was deleted.
    Unlink = "unlink",
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

/// The source of an added directory.
#[wire]
pub enum DirectorySource {
    /// A command of the user.
    SlashCommand = "slash_command",
    /// A `register_repo_root` request of the host.
    RegisterRepoRoot = "register_repo_root",
}
