//! What the session reads: `ConfigChange` and `InstructionsLoaded`.

use super::{CanBlock, HookReply, NoOutput, declare::hook_event};
use crate::open_enum::open_enum;

hook_event! {
    /// A settings file was changed while the session runs.
    ///
    /// A block keeps the change out of the session: a new rule does not take effect, though `get_settings` shows it.
    /// A reply that ends the turn has no effect.
    /// Whether managed settings can be kept out was not measured.
    ConfigChange => NoOutput, matched by "source", refusal |reason| Some(HookReply::block(reason));

    /// What `ConfigChange` tells.
    ConfigChangeInput {
        /// Which settings (`source`).
        source: ConfigSource,
        /// The file, as an absolute path (`file_path`).
        file_path: Option<String>,
    }
}

impl CanBlock for ConfigChange {}

open_enum! {
    /// Which settings were changed.
    pub enum ConfigSource {
        /// The user's.
        UserSettings = "user_settings",
        /// The project's, which are shared.
        ProjectSettings = "project_settings",
        /// The project's, on this machine alone.
        LocalSettings = "local_settings",
        /// Those of the organisation.
        PolicySettings = "policy_settings",
        /// Skills.
        Skills = "skills",
    }
}

hook_event! {
    /// A file of instructions was loaded.
    ///
    /// The event can't refuse.
    InstructionsLoaded => NoOutput, matched by "load_reason", refusal |_| None;

    /// What `InstructionsLoaded` tells.
    InstructionsLoadedInput {
        /// The file, as an absolute path (`file_path`).
        file_path: String,
        /// Whose instructions they are (`memory_type`).
        memory_type: MemoryType,
        /// Why they were loaded (`load_reason`).
        load_reason: InstructionsLoadReason,
        /// The patterns of paths that they are for (`globs`).
        globs: Option<Vec<String>>,
        /// The file whose use made them load (`trigger_file_path`).
        trigger_file_path: Option<String>,
        /// The file that includes them (`parent_file_path`).
        parent_file_path: Option<String>,
    }
}

open_enum! {
    /// Whose instructions they are.
    pub enum MemoryType {
        /// The user's.
        User = "User",
        /// The project's, which are shared.
        Project = "Project",
        /// The project's, on this machine alone.
        Local = "Local",
        /// Those of the organisation.
        Managed = "Managed",
    }
}

open_enum! {
    /// Why instructions were loaded.
    pub enum InstructionsLoadReason {
        /// The session began; told with the first prompt.
        SessionStart = "session_start",
        /// A file of their directory was used.
        NestedTraversal = "nested_traversal",
        /// A file that fits their patterns was used.
        PathGlobMatch = "path_glob_match",
        /// Another file includes them.
        Include = "include",
        /// The conversation was compacted.
        Compact = "compact",
    }
}
