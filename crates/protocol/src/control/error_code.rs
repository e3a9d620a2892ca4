//! Why a request was refused, for programs.

use crate::open_enum::open_enum;

open_enum! {
    /// Why a request was refused (`error_code`).
    ///
    /// Most refusals have none, and CLI 2.1.197 gives none at all: only the text tells then.
    pub enum ErrorCode {
        /// The CLI does not know the request's subtype. Not declared, seen on the wire.
        UnsupportedRequest = "unsupported_request",
        /// A field is not of its kind. Not declared, seen on the wire.
        InvalidRequest = "invalid_request",
        /// There is no such permission mode. Not declared, seen on the wire.
        InvalidMode = "invalid_mode",
        /// The mode in which everything passes needs its launch flag. Not declared, seen on the wire.
        BypassNotLaunched = "bypass_not_launched",
        /// `reload_plugins` was to be refused while the session works, and it does.
        ReloadPluginsBusy = "reload_plugins_busy",
    }
}
