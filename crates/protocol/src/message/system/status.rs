//! `system/status`: what the CLI is busy with.

use serde::{Deserialize, Serialize};

use crate::{PermissionMode, SessionId, Uuid};

/// What the CLI is busy with (`system/status`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// `requesting`, `compacting`, or `None` for neither.
    #[serde(default)]
    pub status: Option<Box<str>>,
    /// The permission mode, where it has just changed.
    #[serde(rename = "permissionMode", skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    /// How a compaction ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compact_result: Option<Box<str>>,
    /// Why a compaction failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compact_error: Option<Box<str>>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<Uuid>,
}
