//! Changes of the configuration by the program.

use std::{path::PathBuf, sync::Arc, time::Duration};

use agentwire_net::error_chain;
use rmcp::model::Tool;
use tokio::time::timeout;

use super::Hub;
use crate::{
    ServerName,
    config::{Edit, EditError, ServerConfig},
    connection::Connection,
    spelling,
};

/// Changes of the configuration.
///
/// Each change edits the file that configures the server, and preserves its comments, order, unknown keys and layout.
/// The file is replaced atomically, without losing changes that other programs make at the same time.
/// When the future completes, the change is in force. Changes of limits and tool lists restart no server.
/// The changes of a hub are made in the order in which their futures were first polled.
/// Dropping a future does not stop its change.
///
/// # Errors
///
/// [`EditError`] contains the reason why a file was not changed.
impl Hub {
    /// Disables or enables a server (`disabled`).
    pub async fn set_disabled(&self, server: &str, is_disabled: bool) -> Result<(), EditError> {
        self.edit(server, Edit::Disabled(is_disabled)).await
    }

    /// Sets the time limit of calls, from 1 s to 3600 s (`timeout`). It is written in seconds.
    pub async fn set_timeout(&self, server: &str, timeout: Duration) -> Result<(), EditError> {
        self.edit(server, Edit::Timeout(timeout)).await
    }

    /// Sets whether a tool is called without approval (`alwaysAllow`).
    ///
    /// The name is the server's name for the tool. If the server has listed its tools, `-` and `_` are interchangeable
    /// where the name stays unique.
    /// A tool that a pattern allows can't be disallowed, and a name can't contain `*`: both are errors.
    pub async fn set_always_allow(
        &self,
        server: &str,
        tool: &str,
        is_allowed: bool,
    ) -> Result<(), EditError> {
        let listed = self.listed(server, tool);
        let tool = listed.as_ref().map_or(tool, |(_, tool)| &*tool.name).to_owned();
        // Before the change is in force: the server may list another definition meanwhile, which is not allowed.
        let accepted = listed.filter(|_| is_allowed).map(|(connection, tool)| {
            let before = connection.allowed().accept(&tool);
            (connection, tool, before)
        });
        let result = self.edit(server, Edit::AlwaysAllow { tool, allowed: is_allowed }).await;
        if let Some((connection, tool, before)) = accepted.filter(|_| result.is_err()) {
            connection.allowed().restore(&tool, before);
        }
        result
    }

    /// Sets whether a tool may be called (`disabledTools`, and `enabledTools` if that list exists).
    ///
    /// Names and patterns work as for [`set_always_allow`](Self::set_always_allow). A tool in `disabledTools` is disabled
    /// in any spelling.
    pub async fn set_tool_enabled(
        &self,
        server: &str,
        tool: &str,
        is_enabled: bool,
    ) -> Result<(), EditError> {
        let listed = self.listed(server, tool);
        let tool = listed.as_ref().map_or(tool, |(_, tool)| &*tool.name).to_owned();
        self.edit(server, Edit::ToolEnabled { tool, enabled: is_enabled }).await
    }

    /// Adds a server to one of the files that the hub reads, and starts it. The file is created if needed, with mode 0600.
    ///
    /// A server of the same name in a file with higher precedence hides the new one.
    pub async fn add(
        &self,
        file: impl Into<PathBuf>,
        server: impl Into<ServerName>,
        config: ServerConfig,
    ) -> Result<(), EditError> {
        let (server, file) = (server.into(), file.into());
        self.inner.follow.edit(Some(file), server, Edit::Add(Box::new(config))).await
    }

    /// Removes a server from the file that configures it, and ends it.
    ///
    /// A server of the same name in a file with lower precedence then takes its place.
    pub async fn remove(&self, server: &str) -> Result<(), EditError> {
        self.edit(server, Edit::Remove).await
    }

    /// Reads the configuration now, without waiting for a change of its files.
    ///
    /// # Cancel safety
    ///
    /// The configuration is read even if the future is dropped.
    pub async fn reload(&self) {
        self.inner.follow.reload().await;
    }

    /// Returns a tool as the server has listed it.
    fn listed(&self, server: &str, tool: &str) -> Option<(Arc<Connection>, Tool)> {
        let connection = self.inner.servers.find(server)?;
        let tool = spelling::find(connection.catalog().tools(), |listed| &listed.name, tool).cloned()?;
        Some((connection, tool))
    }

    async fn edit(&self, server: &str, edit: Edit) -> Result<(), EditError> {
        self.inner.follow.edit(None, server.into(), edit).await
    }

    /// Writes that the tool is always allowed. A call goes on if the change fails or takes long.
    pub(super) async fn remember(&self, server: &ServerName, tool: &str) {
        let edit = Edit::AlwaysAllow { tool: tool.to_owned(), allowed: true };
        match timeout(EDIT_TIMEOUT, self.edit(server.as_str(), edit)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%server, tool, error = %error_chain(&error), "the permission for a tool is not saved: the configuration can't be changed");
            }
            // The change continues in the background.
            Err(_) => {
                tracing::warn!(%server, tool, "the permission for a tool is not saved yet: the change takes long");
            }
        }
    }
}

/// How long a call waits for the change of the configuration.
const EDIT_TIMEOUT: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use std::{fs, time::Instant};

    use super::*;
    use crate::config::{Sources, hold};

    #[tokio::test]
    #[expect(clippy::await_holding_lock, reason = "only the thread that writes the file waits for it")]
    async fn slow_change_delays_a_call_up_to_a_limit_and_is_still_made() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".mcp.json");
        fs::write(&file, r#"{"mcpServers": {"s": {"command": "true", "disabled": true}}}"#).unwrap();
        let is_written = || fs::read_to_string(&file).unwrap().contains("a_tool");
        let hub = Hub::builder().sources(Sources::new().project(folder.path())).build();
        let held = hold();
        let started = Instant::now();
        timeout(EDIT_TIMEOUT * 6, hub.remember(&"s".into(), "a_tool")).await.unwrap();
        assert!(started.elapsed() >= EDIT_TIMEOUT && !is_written(), "{:?}", started.elapsed());
        drop(held);
        // Changes are made in order.
        hub.set_timeout("s", Duration::from_secs(7)).await.unwrap();
        assert!(is_written());
        hub.close().await;
    }
}
