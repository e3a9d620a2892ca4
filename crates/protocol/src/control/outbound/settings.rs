//! Requests to read and change settings.

use crate::{RawJson, effort::Effort, settings::RawSettings};

/// Applies settings on top of the session's own (`apply_flag_settings`), as `--settings` does, without saving them.
///
/// A `null` value removes an earlier value.
/// If one key is invalid, none is applied, and the error names it; but the CLI does not detect an unknown event in
/// `hooks`. `Debug` hides the values of settings, which may be keys.
#[wire(Eq, new)]
pub struct ApplyFlagSettings {
    /// The settings object.
    pub settings: RawSettings,
}

/// Saves settings (`update_settings`). CLI 2.1.197 does not support it.
///
/// The project's local settings accept only `outputStyle`, the user's only `effortLevel`. The CLI refuses other keys,
/// and its error names them.
#[wire(Eq, new)]
pub struct UpdateSettings {
    /// The settings file to write.
    pub source: UpdateSettingsSource,
    /// The settings, an object of strings.
    pub settings: RawSettings,
}

/// The settings file to write (`source`).
#[wire]
pub enum UpdateSettingsSource {
    /// The project's local settings.
    Local = "localSettings",
    /// The user's settings.
    User = "userSettings",
}

/// Requests the active settings and their sources (`get_settings`).
#[wire(Copy, Default, Eq)]
pub struct GetSettings {}

/// The active settings and their sources. Not declared, seen on the wire.
///
/// `Debug` hides the values of settings, including environment variables and headers.
#[wire(tolerant)]
pub struct GetSettingsReply {
    /// All settings, merged.
    pub effective: RawSettings,
    /// The settings of each source, in order of increasing precedence.
    pub sources: Vec<SourceSettings>,
    /// Invalid files that were skipped; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<SettingsError>,
    /// The state of settings from a server, such as `ineligible`.
    pub served_settings_state: Option<Box<str>>,
    /// Settings as the session applies them.
    pub applied: Option<AppliedSettings>,
}

/// The settings of one source.
#[wire(Eq)]
pub struct SourceSettings {
    /// The source, such as `projectSettings`.
    pub source: Box<str>,
    /// Its settings.
    pub settings: RawSettings,
}

/// Settings as the session applies them.
#[wire(Default, Eq, camelCase)]
pub struct AppliedSettings {
    /// The active model.
    pub model: Option<Box<str>>,
    /// The active effort level; `null` for a model without one.
    #[serialize_always]
    pub effort: Option<Effort>,
    /// The advising model; `null` for none. Absent from CLI 2.1.197.
    #[serialize_always]
    pub advisor: Option<RawJson>,
    /// Whether the highest effort is active.
    pub ultracode: Option<bool>,
    /// Whether the highest effort was requested.
    pub ultracode_requested: Option<bool>,
    /// Whether the highest effort is available.
    pub ultracode_available: Option<bool>,
    /// Whether extended thinking by keyword is available.
    pub ultrathink_available: Option<bool>,
    /// Whether tools can't read files outside of the session's folders.
    pub outside_file_tool_reads_blocked: Option<bool>,
    /// Whether tools can't write files outside of the session's folders.
    pub outside_file_tool_writes_blocked: Option<bool>,
    /// Whether only the folders given at the start count as the session's folders.
    pub outside_blocks_count_launch_folders_only: Option<bool>,
    /// Whether the environment at the start left the CLI's own files in their default location.
    pub launch_env_left_own_files_in_place: Option<bool>,
}

/// An invalid settings file that was skipped: none of its settings apply.
#[wire(Eq, tolerant)]
pub struct SettingsError {
    /// The file.
    pub file: Option<String>,
    /// The path of the field, separated by dots; empty for the whole file.
    pub path: String,
    /// The error message, for a person.
    pub message: String,
}
