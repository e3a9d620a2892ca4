//! Plugins: their configuration by the host, and the CLI's list of loaded plugins.

/// A plugin for the session to load (`plugins` of `initialize`, `add_plugins` of `reload_plugins`).
#[wire(tag = "type")]
pub enum PluginConfig {
    /// A folder on the machine of the CLI.
    Local(LocalPlugin) = "local",
}

/// A plugin in a folder.
#[wire(Eq, camelCase, new)]
pub struct LocalPlugin {
    /// The folder; `reload_plugins` accepts only absolute paths.
    pub path: String,
    /// Whether the host provides its MCP servers instead of the CLI.
    pub skip_mcp_discovery: Option<bool>,
}

/// A loaded plugin.
#[wire(Eq)]
pub struct PluginInfo {
    /// The name.
    pub name: Box<str>,
    /// The folder; `builtin` for plugins of the CLI itself.
    pub path: Option<String>,
    /// The name and the origin, such as `linter@inline`.
    pub source: Option<Box<str>>,
    /// The version, as its author wrote it.
    pub version: Option<Box<str>>,
}
