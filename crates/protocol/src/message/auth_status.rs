//! `auth_status`: the status of a login.

use crate::{SessionId, Uuid};

/// The status of a login (`auth_status`); enabled by `--enable-auth-status`.
#[wire]
pub struct AuthStatus {
    /// Whether the login is in progress.
    #[serde(default, rename = "isAuthenticating")]
    pub is_authenticating: bool,
    /// The output of the login.
    #[serde(default)]
    pub output: Vec<String>,
    /// The error, if it failed.
    pub error: Option<String>,
    /// The session id.
    pub session_id: Option<SessionId>,
    /// The id of this frame.
    pub uuid: Option<Uuid>,
}
