//! `set_permission_mode`: changes the permission mode.

use crate::PermissionMode;

/// Changes the permission mode (`set_permission_mode`).
///
/// A `system/status` message follows the reply.
#[wire(new)]
pub struct SetPermissionMode {
    /// The mode.
    pub mode: PermissionMode,
}

/// The permission mode after the change.
#[wire(Default, nulls)]
pub struct SetPermissionModeReply {
    /// The mode.
    pub mode: Option<PermissionMode>,
}
