//! What a client can show, as far as a session depends on it.

use std::path::PathBuf;

use agent_client_protocol::v1::schema::{ClientCapabilities, ElicitationCapabilities};
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
    /// Whether it shows forms (`elicitation.form`), by which the model and MCP servers ask the user.
    pub(crate) forms: bool,
    /// Whether it opens pages (`elicitation.url`) for MCP servers.
    pub(crate) pages: bool,
    /// The folder to which titles are relative.
    pub(crate) cwd: PathBuf,
}

impl Features {
    /// Returns whether the client shows calls of this tool as terminals.
    pub(crate) fn shows_terminal(&self, tool: &str) -> bool {
        self.terminal_output && tool == "Bash"
    }

    /// Returns the features that the client has declared, for a session in this folder.
    pub(crate) fn of(client: &ClientCapabilities, cwd: impl Into<PathBuf>) -> Self {
        let session = client.session.as_ref();
        let elicitation = client.elicitation.as_ref();
        let terminal = client.meta.as_ref().and_then(|meta| meta.get("terminal_output"));
        Self {
            terminal_output: terminal == Some(&Value::Bool(true)),
            notices: session.is_some_and(|session| session.notices.is_some()),
            compactions: session.is_some_and(|session| session.compaction.is_some()),
            forms: elicitation.is_some_and(ElicitationCapabilities::supports_form),
            pages: elicitation.is_some_and(ElicitationCapabilities::supports_url),
            cwd: cwd.into(),
        }
    }
}
