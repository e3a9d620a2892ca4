//! Plugins: how the host names one, and how the CLI tells of those that are loaded.

use serde::{Deserialize, Serialize};

use crate::tagged::tagged;

tagged! {
    /// A plugin for the session to load (`plugins` of `initialize`, `add_plugins` of `reload_plugins`).
    pub enum PluginConfig by "type" {
        /// A folder on the machine that the CLI runs on.
        Local(LocalPlugin) = "local",
    }
}

/// A plugin in a folder.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LocalPlugin {
    /// The folder; `reload_plugins` takes absolute paths only.
    pub path: String,
    /// Whether its MCP servers are left to the host.
    pub skip_mcp_discovery: Option<bool>,
}

impl LocalPlugin {
    /// The plugin in this folder.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), skip_mcp_discovery: None }
    }
}

/// A plugin that is loaded.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PluginInfo {
    /// Its name.
    pub name: Box<str>,
    /// Its folder; `builtin` for those of the CLI itself.
    pub path: Option<String>,
    /// Its name and where it came from, such as `linter@inline`.
    pub source: Option<Box<str>>,
    /// Its version, in its author's words.
    pub version: Option<Box<str>>,
}
