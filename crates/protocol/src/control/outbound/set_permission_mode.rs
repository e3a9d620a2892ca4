//! `set_permission_mode`: how tool uses are permitted from now on.

use serde::{Deserialize, Serialize};

use super::ControlCall;
use crate::PermissionMode;

/// How tool uses are permitted from now on (`set_permission_mode`).
///
/// A `system/status` message follows the reply.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SetPermissionMode {
    /// The mode.
    pub mode: PermissionMode,
}

impl SetPermissionMode {
    /// Sets this mode.
    pub fn new(mode: PermissionMode) -> Self {
        Self { mode }
    }
}

impl ControlCall for SetPermissionMode {
    const SUBTYPE: &'static str = "set_permission_mode";
    type Reply = SetPermissionModeReply;
}

/// The mode that is set now.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SetPermissionModeReply {
    /// The mode.
    pub mode: Option<PermissionMode>,
}
