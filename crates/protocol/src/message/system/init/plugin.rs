//! The plugins of a starting turn, and what went wrong with others.

use serde::{Deserialize, Serialize};

/// A loaded plugin.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InitPlugin {
    /// Its name.
    pub name: Box<str>,
    /// Where it lies, or `builtin`.
    pub path: Option<Box<str>>,
    /// The version that it says it has.
    pub version: Option<Box<str>>,
    /// Its full name, with its marketplace behind an `@`.
    /// Not declared, seen on the wire.
    pub source: Option<Box<str>>,
}

/// What went wrong with a plugin (an item of `plugin_errors`); one that loaded in part is in the list of
/// plugins too.
#[skip_serializing_none]
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
    pub path: Option<String>,
    /// The managed setting that kept it out.
    pub managed_lock: Option<ManagedLock>,
}

/// A managed setting that kept a plugin out (`managed_lock`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ManagedLock {
    /// Whether the setting turns the plugin on, so that this copy is not taken for it.
    #[serde(default)]
    pub plugin_enabled: bool,
    /// The plugin's name in the setting.
    pub name: Box<str>,
    /// Its marketplace in the setting.
    pub marketplace: Option<Box<str>>,
}
