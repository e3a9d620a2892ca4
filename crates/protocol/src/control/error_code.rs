//! Error codes of rejected requests.

/// The error code of a rejected request (`error_code`).
///
/// Most rejections have none, and CLI 2.1.197 never sends one: then only the message describes the error.
#[wire]
pub enum ErrorCode {
    /// The CLI does not know the request's subtype. Not declared, seen on the wire.
    UnsupportedRequest = "unsupported_request",
    /// A field has the wrong type. Not declared, seen on the wire.
    InvalidRequest = "invalid_request",
    /// The permission mode does not exist. Not declared, seen on the wire.
    InvalidMode = "invalid_mode",
    /// The mode `bypassPermissions` needs its launch flag. Not declared, seen on the wire.
    BypassNotLaunched = "bypass_not_launched",
    /// The session is busy, and `reload_plugins` had `refuse_if_busy`.
    ReloadPluginsBusy = "reload_plugins_busy",
}
