//! `system/plugin_install`: the progress of plugin installation.

/// The progress of plugin installation (`system/plugin_install`).
///
/// With `CLAUDE_CODE_SYNC_PLUGIN_INSTALL=1`, the statuses `started` and `completed` enclose the others, before
/// `system/init`.
#[wire(message)]
pub struct PluginInstall {
    /// The status.
    #[serde(default = "crate::lenient::empty")]
    pub status: PluginInstallStatus,
    /// The marketplace; with `installed` and `failed`.
    pub name: Option<Box<str>>,
    /// The error message, which comes from a third party and must not be trusted.
    pub error: Option<String>,
}

/// The status of plugin installation.
#[wire]
pub enum PluginInstallStatus {
    /// The installation started.
    Started = "started",
    /// One marketplace was installed.
    Installed = "installed",
    /// One marketplace failed.
    Failed = "failed",
    /// The installation is complete.
    Completed = "completed",
}
