//! `auth_status`: a login is under way.

use serde::{Deserialize, Serialize};

use crate::{SessionId, Uuid};

/// A login is under way (`auth_status`); asked for with `--enable-auth-status`.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct AuthStatus {
    /// Whether it still goes on.
    #[serde(default, rename = "isAuthenticating")]
    pub is_authenticating: bool,
    /// What the login printed.
    #[serde(default)]
    pub output: Vec<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// This frame's own id.
    pub uuid: Option<Uuid>,
}
