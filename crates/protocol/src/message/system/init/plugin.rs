//! The plugins of a starting turn, and what went wrong with others.

use serde::{Deserialize, Serialize};

/// A loaded plugin.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InitPlugin {
    /// Its name.
    pub name: Box<str>,
    /// Where it lies, or `builtin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Box<str>>,
    /// The version that it says it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Box<str>>,
    /// Its full name, with its marketplace behind an `@`.
    /// Not declared, seen on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<str>>,
}

/// What went wrong with a plugin (an item of `plugin_errors`); one that loaded in part is in the list of
/// plugins too.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PluginError {
    /// The plugin, as `name@marketplace`, or as `inline[N]` where it had no name yet.
    pub plugin: Box<str>,
    /// What kind of failure it is (`type`), such as `path-not-found`.
    #[serde(rename = "type")]
    pub kind: Box<str>,
    /// Words for a reader.
    #[serde(default)]
    pub message: String,
    /// Where it should have been.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The managed setting that kept it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_lock: Option<ManagedLock>,
}

/// A managed setting that kept a plugin out (`managed_lock`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ManagedLock {
    /// Whether the setting turns the plugin on, so that this copy is not taken for it.
    #[serde(default)]
    pub plugin_enabled: bool,
    /// The plugin's name in the setting.
    pub name: Box<str>,
    /// Its marketplace in the setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marketplace: Option<Box<str>>,
}
