//! `set_permission_mode`: changes the permission mode.

use super::control_call;
use crate::PermissionMode;

/// Changes the permission mode (`set_permission_mode`).
///
/// A `system/status` message follows the reply.
#[wire]
pub struct SetPermissionMode {
    /// The mode.
    pub mode: PermissionMode,
}

impl SetPermissionMode {
    /// Returns a request to set this mode.
    pub fn new(mode: PermissionMode) -> Self {
        Self { mode }
    }
}

control_call!(SetPermissionMode = "set_permission_mode" => SetPermissionModeReply);

/// The permission mode after the change.
#[wire(Default, nulls)]
pub struct SetPermissionModeReply {
    /// The mode.
    pub mode: Option<PermissionMode>,
}
