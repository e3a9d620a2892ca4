//! What a client can show, as far as updates depend on it.

use std::path::PathBuf;

use agent_client_protocol::v1::schema::ClientCapabilities;
use serde_json::Value;

/// The features of a client, and the working directory of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Features {
    /// Whether the client shows the output of commands as terminals (`_meta.terminal_output`, a convention of Zed).
    pub(crate) terminal_output: bool,
    /// Whether it shows notices.
    pub(crate) notices: bool,
    /// Whether it shows compactions.
    pub(crate) compactions: bool,
    /// The folder to which titles are relative.
    pub(crate) cwd: PathBuf,
}

impl Features {
    /// Returns the features that the client has declared, for a session in this folder.
    pub(crate) fn of(client: &ClientCapabilities, cwd: impl Into<PathBuf>) -> Self {
        let session = client.session.as_ref();
        let terminal = client.meta.as_ref().and_then(|meta| meta.get("terminal_output"));
        Self {
            terminal_output: terminal == Some(&Value::Bool(true)),
            notices: session.is_some_and(|session| session.notices.is_some()),
            compactions: session.is_some_and(|session| session.compaction.is_some()),
            cwd: cwd.into(),
        }
    }
}
