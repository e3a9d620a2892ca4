//! `keep_alive`: a keep-alive frame.

/// A keep-alive frame (`keep_alive`), in either direction; it needs no answer.
#[wire(Default, Eq)]
pub struct KeepAlive {
    /// The startup step that the CLI has completed; with `CLAUDE_CODE_SDK_READS_STARTUP_MARKS`, before the
    /// reply to `initialize`.
    pub startup_mark: Option<Box<str>>,
}
