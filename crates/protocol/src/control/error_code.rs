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
    /// A `PreModelSwitch` hook denied the switch. Not declared, seen on the wire.
    BlockedByHook = "blocked_by_hook",
    /// The folder's settings can't be applied to a spare process. Not declared, seen on the wire.
    ProjectSettingsNotClaimable = "project_settings_not_claimable",
    /// The session is busy, and `reload_plugins` had `refuse_if_busy`.
    ReloadPluginsBusy = "reload_plugins_busy",
}
