//! Events of configuration files: `ConfigChange` and `InstructionsLoaded`.

use super::{HookReply, NoOutput, declare::hook_event};

hook_event! {
    /// A settings file was changed during the session.
    ///
    /// A block keeps the change out of the session: a new rule does not apply, though `get_settings` shows it.
    /// A reply that ends the turn has no effect.
    /// Whether this holds for managed settings was not measured.
    ConfigChange => NoOutput, matched by "source", refusal |reason| Some(HookReply::block(reason)), can block;

    /// The input of `ConfigChange`.
    ConfigChangeInput {
        /// The kind of settings (`source`).
        source: ConfigSource,
        /// The file, as an absolute path (`file_path`).
        file_path: Option<String>,
    }
}

/// The kind of a changed settings file.
#[wire]
pub enum ConfigSource {
    /// The user's settings.
    UserSettings = "user_settings",
    /// The project's shared settings.
    ProjectSettings = "project_settings",
    /// The project's local settings.
    LocalSettings = "local_settings",
    /// The organisation's settings.
    PolicySettings = "policy_settings",
    /// Skills.
    Skills = "skills",
}

hook_event! {
    /// An instruction file was loaded.
    ///
    /// This event can't be blocked.
    InstructionsLoaded => NoOutput, matched by "load_reason", refusal |_| None;

    /// The input of `InstructionsLoaded`.
    InstructionsLoadedInput {
        /// The file, as an absolute path (`file_path`).
        file_path: String,
        /// The scope of the instructions (`memory_type`).
        memory_type: MemoryType,
        /// The reason (`load_reason`).
        load_reason: InstructionsLoadReason,
        /// The path patterns that the instructions apply to (`globs`).
        globs: Option<Vec<String>>,
        /// The file that triggered the loading (`trigger_file_path`).
        trigger_file_path: Option<String>,
        /// The including file (`parent_file_path`).
        parent_file_path: Option<String>,
    }
}

/// The scope of an instruction file.
#[wire]
pub enum MemoryType {
    /// The user's instructions.
    User = "User",
    /// The project's shared instructions.
    Project = "Project",
    /// The project's local instructions.
    Local = "Local",
    /// The organisation's instructions.
    Managed = "Managed",
}

/// The reason why instructions were loaded.
#[wire]
pub enum InstructionsLoadReason {
    /// The session started; fired with the first prompt.
    SessionStart = "session_start",
    /// A file of the same directory was used.
    NestedTraversal = "nested_traversal",
    /// A file that matches the patterns was used.
    PathGlobMatch = "path_glob_match",
    /// Another instruction file includes it.
    Include = "include",
    /// The conversation was compacted.
    Compact = "compact",
}
