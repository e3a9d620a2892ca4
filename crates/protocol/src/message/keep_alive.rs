//! `keep_alive`: a sign of life.

use serde::{Deserialize, Serialize};

/// A sign of life (`keep_alive`), in either direction; it asks for nothing.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct KeepAlive {
    /// The step of the start that the CLI has passed; with `CLAUDE_CODE_SDK_READS_STARTUP_MARKS`, before the
    /// reply to `initialize`.
    pub startup_mark: Option<Box<str>>,
}
