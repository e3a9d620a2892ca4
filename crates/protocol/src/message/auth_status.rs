//! `auth_status`: the status of a login.

/// The status of a login (`auth_status`); enabled by `--enable-auth-status`.
#[wire(tolerant, message)]
pub struct AuthStatus {
    /// Whether the login is in progress.
    #[serde(rename = "isAuthenticating")]
    pub is_authenticating: bool,
    /// The output of the login. `Debug` shows only the number of lines, since they may contain a code.
    #[shown(self.output.len())]
    pub output: Vec<String>,
    /// The error, if it failed.
    pub error: Option<String>,
}
