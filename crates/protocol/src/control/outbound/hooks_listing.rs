//! `get_hooks_listing`: the hooks of settings and plugins.

use super::SettingsError;
use crate::{Hidden, RawJson};

/// Requests the hooks of the settings, the session and the plugins (`get_hooks_listing`).
///
/// Callbacks of the host are not included. CLI 2.1.197 does not support it.
#[wire(Copy, Default, Eq)]
pub struct GetHooksListing {}

/// The hooks, with texts for display.
#[wire(Default, camelCase, tolerant)]
pub struct GetHooksListingReply {
    /// The events that have hooks.
    pub events: Vec<HookEventInfo>,
    /// One entry per hook.
    pub hooks: Vec<HookEntry>,
    /// All known events.
    pub event_catalog: Vec<HookEventInfo>,
    /// The organisation's policy.
    pub policy: Option<HookPolicy>,
    /// A note that the session runs in safe mode; absent if it does not.
    pub safe_mode: Option<HookModeNote>,
    /// A note that the session runs in bare mode; absent if it does not.
    pub bare_mode: Option<HookModeNote>,
    /// Invalid settings files that were skipped; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<SettingsError>,
}

/// A hook event.
#[wire(Eq, camelCase, tolerant)]
pub struct HookEventInfo {
    /// The name.
    #[required]
    pub name: Box<str>,
    /// A short description of when it fires.
    pub summary: String,
    /// Whether it supports matchers.
    pub supports_matcher: bool,
    /// The number of its hooks; absent from the catalogue.
    pub hook_count: Option<u64>,
}

/// A hook.
#[wire(camelCase, tolerant)]
pub struct HookEntry {
    /// The event.
    #[required]
    pub event: Box<str>,
    /// The matcher; empty if there is none.
    pub matcher: String,
    /// The source, such as `projectSettings`.
    pub source: Box<str>,
    /// The display name of the source.
    pub source_label: String,
    /// The plugin that provides the hook.
    pub plugin_name: Option<Box<str>>,
    /// The kind: `command`, `prompt`, `agent`, `http`, `mcp_tool`, or a newer one.
    #[serde(rename = "type")]
    pub kind: Box<str>,
    /// The text to display in a list.
    pub display_text: String,
    /// The command, prompt or URL.
    pub command_text: String,
    /// A label for that text, such as `Command`.
    pub content_label: String,
    /// The permission rule that selects tool uses.
    pub condition: Option<String>,
    /// The timeout in seconds.
    pub timeout: Option<f64>,
    /// The message to show while it runs.
    pub status_message: Option<String>,
    /// Whether it only runs once.
    pub runs_once: Option<bool>,
    /// Whether the CLI does not wait for it.
    pub runs_in_background: Option<bool>,
    /// Whether the mode or the organisation disables it; absent means no.
    pub disabled: Option<bool>,
    /// The stored entry; only for files that this session may write.
    pub editable: Option<EditableHook>,
}

/// A hook as it is in its settings file.
#[wire(Eq, camelCase)]
pub struct EditableHook {
    /// The matcher; empty if there is none.
    #[serde(default)]
    pub matcher: String,
    /// The hook; the values of HTTP headers are removed.
    pub config: Hidden<RawJson>,
    /// Whether header values were removed; absent if there are none.
    pub headers_redacted: Option<bool>,
}

/// The hook policy of an organisation.
#[wire(Default, Eq, camelCase, tolerant)]
pub struct HookPolicy {
    /// Whether the organisation disables all hooks.
    pub disabled_by_policy: bool,
    /// Whether only the organisation's hooks run; they are not listed.
    pub managed_only: bool,
    /// Whether only plugins may provide hooks.
    pub plugin_only: bool,
    /// Whether any settings disable all hooks.
    pub all_disabled: bool,
    /// The number of the organisation's own hooks.
    pub policy_hook_count: u64,
    /// Whether the organisation's settings could not be read; absent means no.
    pub policy_unreadable: Option<bool>,
}

/// A mode in which some hooks don't run.
#[wire(Default, Eq, camelCase, tolerant)]
pub struct HookModeNote {
    /// Whether the organisation's hooks still run; only of safe mode.
    pub managed_hooks_still_apply: Option<bool>,
    /// Instructions to leave the mode, for a person.
    pub exit_hint: String,
}
