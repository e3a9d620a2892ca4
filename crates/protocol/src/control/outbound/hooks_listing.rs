//! `get_hooks_listing`: which hooks the settings and plugins bring.

use serde::{Deserialize, Serialize};

use super::{ControlCall, SettingsError};
use crate::{Hidden, RawJson};

/// Which hooks do the settings, the session and the plugins bring (`get_hooks_listing`)?
///
/// Callbacks of the host are not among them. CLI 2.1.197 does not know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetHooksListing {}

impl ControlCall for GetHooksListing {
    const SUBTYPE: &'static str = "get_hooks_listing";
    type Reply = GetHooksListingReply;
}

/// The hooks, with texts that are ready to be shown.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct GetHooksListingReply {
    /// The events that have hooks.
    pub events: Vec<HookEventInfo>,
    /// One entry for each hook.
    pub hooks: Vec<HookEntry>,
    /// Every event that there is.
    pub event_catalog: Vec<HookEventInfo>,
    /// What the organisation has to say.
    pub policy: Option<HookPolicy>,
    /// That the session runs in safe mode; absent where it does not.
    pub safe_mode: Option<HookModeNote>,
    /// That the session runs in bare mode; absent where it does not.
    pub bare_mode: Option<HookModeNote>,
    /// Settings files that were skipped because they are faulty; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<SettingsError>,
}

/// A hook event.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookEventInfo {
    /// Its name.
    pub name: Box<str>,
    /// When it comes, in a few words.
    #[serde(default)]
    pub summary: String,
    /// Whether its hooks can have a matcher.
    #[serde(default)]
    pub supports_matcher: bool,
    /// How many hooks it has; absent from the catalogue.
    pub hook_count: Option<u64>,
}

/// A hook.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookEntry {
    /// Its event.
    pub event: Box<str>,
    /// Its matcher; empty where it has none.
    #[serde(default)]
    pub matcher: String,
    /// Where it comes from, such as `projectSettings`.
    #[serde(default)]
    pub source: Box<str>,
    /// The same for a person.
    #[serde(default)]
    pub source_label: String,
    /// The plugin that brings it.
    pub plugin_name: Option<Box<str>>,
    /// What it is: `command`, `prompt`, `agent`, `http`, `mcp_tool`, or newer.
    #[serde(rename = "type", default)]
    pub kind: Box<str>,
    /// What to call it in a list.
    #[serde(default)]
    pub display_text: String,
    /// The command, prompt or address itself.
    #[serde(default)]
    pub command_text: String,
    /// What that is, such as `Command`.
    #[serde(default)]
    pub content_label: String,
    /// When it is run, as a rule on the tool use.
    pub condition: Option<String>,
    /// Its limit in seconds.
    pub timeout: Option<f64>,
    /// What is shown while it runs.
    pub status_message: Option<String>,
    /// Whether it runs only once.
    pub runs_once: Option<bool>,
    /// Whether nobody waits for it.
    pub runs_in_background: Option<bool>,
    /// Whether the mode or the organisation keeps it from running; absent where nothing does.
    pub disabled: Option<bool>,
    /// The entry as it is kept; only of files that this session may write.
    pub editable: Option<EditableHook>,
}

/// A hook as its settings file has it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EditableHook {
    /// Its matcher; empty where it has none.
    #[serde(default)]
    pub matcher: String,
    /// The hook; the values of HTTP headers are empty.
    pub config: Hidden<RawJson>,
    /// Whether values of headers were left out; absent where there are none.
    pub headers_redacted: Option<bool>,
}

/// What an organisation has to say about hooks.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct HookPolicy {
    /// No hook runs, by its settings.
    pub disabled_by_policy: bool,
    /// Only its own hooks run, and they are not listed.
    pub managed_only: bool,
    /// Only plugins may bring hooks.
    pub plugin_only: bool,
    /// No hook runs, by whatever settings.
    pub all_disabled: bool,
    /// How many hooks it has itself.
    pub policy_hook_count: u64,
    /// Its settings could not be read; absent where they could.
    pub policy_unreadable: Option<bool>,
}

/// A mode in which not every hook runs.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct HookModeNote {
    /// Whether the organisation's hooks run all the same; of safe mode only.
    pub managed_hooks_still_apply: Option<bool>,
    /// How to leave the mode, for a person.
    pub exit_hint: String,
}
