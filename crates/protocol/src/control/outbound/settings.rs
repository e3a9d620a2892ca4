//! Reading and changing settings.

use serde::{Deserialize, Serialize};

use super::{Ack, ControlCall};
use crate::{RawJson, effort::Effort, open_enum::open_enum, settings::RawSettings};

/// Lays settings over the session's own (`apply_flag_settings`), as `--settings` does; nothing is saved.
///
/// A key that is `null` takes an earlier one back.
/// Where one of them is invalid, none is applied, and the error names it.
/// `Debug` does not show the values of settings, which may be keys.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ApplyFlagSettings {
    /// The settings, an object.
    pub settings: RawSettings,
}

impl ApplyFlagSettings {
    /// Lays these settings over the session's.
    pub fn new(settings: impl Into<RawSettings>) -> Self {
        Self { settings: settings.into() }
    }
}

impl ControlCall for ApplyFlagSettings {
    const SUBTYPE: &'static str = "apply_flag_settings";
    type Reply = Ack;
}

/// Saves settings (`update_settings`). CLI 2.1.197 does not know it.
///
/// The project's local ones take `outputStyle` only, the user's `effortLevel` only; the error names other keys.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UpdateSettings {
    /// Where to.
    pub source: UpdateSettingsSource,
    /// The settings, an object of strings.
    pub settings: RawSettings,
}

impl UpdateSettings {
    /// Saves these settings there.
    pub fn new(source: UpdateSettingsSource, settings: impl Into<RawSettings>) -> Self {
        Self { source, settings: settings.into() }
    }
}

impl ControlCall for UpdateSettings {
    const SUBTYPE: &'static str = "update_settings";
    type Reply = Ack;
}

open_enum! {
    /// Where settings are saved (`source`).
    pub enum UpdateSettingsSource {
        /// In the project's local settings.
        Local = "localSettings",
        /// In the user's settings.
        User = "userSettings",
    }
}

/// Which settings are in force, and which come from where (`get_settings`)?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetSettings {}

impl ControlCall for GetSettings {
    const SUBTYPE: &'static str = "get_settings";
    type Reply = GetSettingsReply;
}

/// The settings in force, and where they come from. Not declared, seen on the wire.
///
/// `Debug` does not show the values of settings, environment variables and headers among them.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetSettingsReply {
    /// All of them, merged.
    pub effective: RawSettings,
    /// Each source by itself, the weakest first.
    #[serde(default)]
    pub sources: Vec<SourceSettings>,
    /// Files that were skipped because they are faulty; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<SettingsError>,
    /// How settings stand that a server hands out, such as `ineligible`.
    pub served_settings_state: Option<Box<str>>,
    /// What the session made of them.
    pub applied: Option<AppliedSettings>,
}

/// The settings of one source.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SourceSettings {
    /// The source, such as `projectSettings`.
    pub source: Box<str>,
    /// Its settings.
    pub settings: RawSettings,
}

/// What the session made of its settings.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AppliedSettings {
    /// The model in use.
    pub model: Option<Box<str>>,
    /// The effort in use; `null` for a model that has none.
    #[serialize_always]
    pub effort: Option<Effort>,
    /// The model that gives advice; `null` for none. Absent from CLI 2.1.197.
    #[serialize_always]
    pub advisor: Option<RawJson>,
    /// Whether the strongest effort is on.
    pub ultracode: Option<bool>,
    /// Whether it was asked for.
    pub ultracode_requested: Option<bool>,
    /// Whether it can be had.
    pub ultracode_available: Option<bool>,
    /// Whether long thinking on a word of the user's can be had.
    pub ultrathink_available: Option<bool>,
    /// Whether tools may not read files outside of the session's folders.
    pub outside_file_tool_reads_blocked: Option<bool>,
    /// Whether tools may not write files outside of the session's folders.
    pub outside_file_tool_writes_blocked: Option<bool>,
    /// Whether only the folders given at the start count for that.
    pub outside_blocks_count_launch_folders_only: Option<bool>,
    /// Whether the environment given at the start left the CLI's own files where they are.
    pub launch_env_left_own_files_in_place: Option<bool>,
}

/// A settings file that was skipped because it is faulty: none of its settings is in force.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SettingsError {
    /// The file.
    pub file: Option<String>,
    /// The field, with dots between its names; empty where the whole file is meant.
    #[serde(default)]
    pub path: String,
    /// What is wrong, for a person.
    #[serde(default)]
    pub message: String,
}
