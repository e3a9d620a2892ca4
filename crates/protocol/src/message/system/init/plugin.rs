//! Loaded plugins and plugin errors.

/// A loaded plugin.
#[wire]
pub struct InitPlugin {
    /// The name.
    pub name: Box<str>,
    /// The path, or `builtin`.
    pub path: Option<Box<str>>,
    /// The version in its manifest.
    pub version: Option<Box<str>>,
    /// The full name with the marketplace, separated by `@`.
    /// Not declared, seen on the wire.
    pub source: Option<Box<str>>,
}

/// A plugin error (an item of `plugin_errors`); the list of plugins contains the plugin too if it was partially
/// loaded.
#[wire]
pub struct PluginError {
    /// The plugin, as `name@marketplace`, or `inline[N]` if it had no name yet.
    pub plugin: Box<str>,
    /// The kind of error (`type`), such as `path-not-found`.
    #[serde(rename = "type")]
    pub kind: Box<str>,
    /// The error message.
    #[serde(default)]
    pub message: String,
    /// The expected path.
    pub path: Option<String>,
    /// The managed setting that excluded it.
    pub managed_lock: Option<ManagedLock>,
}

/// A managed setting that excluded a plugin (`managed_lock`).
#[wire]
pub struct ManagedLock {
    /// Whether the setting enables the plugin; this copy is then not trusted to be that plugin.
    #[serde(default)]
    pub plugin_enabled: bool,
    /// The plugin's name in the setting.
    pub name: Box<str>,
    /// The marketplace in the setting.
    pub marketplace: Option<Box<str>>,
}
