//! `keep_alive`: a keep-alive frame.

use serde::{Deserialize, Serialize};

/// A keep-alive frame (`keep_alive`), in either direction; it needs no answer.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct KeepAlive {
    /// The startup step that the CLI has completed; with `CLAUDE_CODE_SDK_READS_STARTUP_MARKS`, before the
    /// reply to `initialize`.
    pub startup_mark: Option<Box<str>>,
}
