//! `system/plugin_install`: plugins are being installed.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid, open_enum::open_enum};

/// Plugins are being installed (`system/plugin_install`).
///
/// With `CLAUDE_CODE_SYNC_PLUGIN_INSTALL=1` the kinds `started` and `completed` enclose it all, before
/// `system/init`.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PluginInstall {
    /// How far it is.
    #[serde(default = "crate::lenient::empty")]
    pub status: PluginInstallStatus,
    /// The marketplace; with `installed` and `failed`.
    pub name: Option<Box<str>>,
    /// Why it failed, in words of somebody else's: not to be trusted.
    pub error: Option<String>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}

open_enum! {
    /// How far the installation of plugins is.
    pub enum PluginInstallStatus {
        /// It begins.
        Started = "started",
        /// One marketplace is done.
        Installed = "installed",
        /// One marketplace failed.
        Failed = "failed",
        /// It is over.
        Completed = "completed",
    }
}
