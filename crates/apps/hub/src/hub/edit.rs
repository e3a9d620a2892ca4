//! Changes of the configuration by the program: they go into the file that counts, and apply at once.

use std::{path::PathBuf, time::Duration};

use super::Hub;
use crate::{
    ServerName,
    config::{Edit, EditError, ServerConfig},
    spelling,
};

/// Changes of the configuration.
///
/// Each goes into the file that the server is configured in, where nothing else is touched: comments, the order, keys
/// that the hub does not know and the layout stay as they are.
/// The file is replaced at once or not at all; what somebody else writes at the same time is not lost.
/// When the future is done the change is in force; where only limits or lists of tools change, no server is restarted.
/// The changes of a hub are made one after the other, in the order in which the futures were polled first.
/// A change is made also where its future is dropped.
///
/// # Errors
///
/// [`EditError`] says why a file was not changed.
impl Hub {
    /// Switches a server off, or on (`disabled`).
    pub async fn set_disabled(&self, server: &str, is_disabled: bool) -> Result<(), EditError> {
        self.edit(server, Edit::Disabled(is_disabled)).await
    }

    /// How long a call may take: 1 s to 3600 s (`timeout`).
    ///
    /// It is written as seconds, with a fraction where there is one.
    pub async fn set_timeout(&self, server: &str, timeout: Duration) -> Result<(), EditError> {
        self.edit(server, Edit::Timeout(timeout)).await
    }

    /// Whether a tool is called without a question (`alwaysAllow`).
    ///
    /// The tool's name is the one that the server gave it; of a server that has listed its tools, `-` and `_` need not
    /// be told apart where that is clear.
    /// What a pattern allows is only disallowed by who wrote the pattern: that is an error, as is a name with a `*`.
    pub async fn set_always_allow(
        &self,
        server: &str,
        tool: &str,
        is_allowed: bool,
    ) -> Result<(), EditError> {
        // As it is listed now, and not as it may be by the time that it is written.
        let listed = self.connection(server).and_then(|connection| {
            let catalog = connection.catalog();
            let tool = spelling::find(catalog.tools(), |listed| &listed.name, tool).cloned();
            Some((connection, tool?))
        });
        let name =
            listed.as_ref().map_or_else(|| tool.to_owned(), |(_, tool)| tool.name.clone().into_owned());
        self.write_always_allow(server, name, is_allowed).await?;
        if let Some((connection, tool)) = listed.filter(|_| is_allowed) {
            connection.allowed().accept(&tool);
        }
        Ok(())
    }

    /// Writes that a tool is always allowed, or not any more, and leaves open which definition of it is meant.
    pub(crate) async fn write_always_allow(
        &self,
        server: &str,
        tool: String,
        is_allowed: bool,
    ) -> Result<(), EditError> {
        self.edit(server, Edit::AlwaysAllow { tool, allowed: is_allowed }).await
    }

    /// Whether a tool may be called (`disabledTools`, and `enabledTools` where there is such a list).
    ///
    /// Names and patterns are as for [`set_always_allow`](Self::set_always_allow); what `disabledTools` has is disabled in
    /// any spelling.
    pub async fn set_tool_enabled(
        &self,
        server: &str,
        tool: &str,
        is_enabled: bool,
    ) -> Result<(), EditError> {
        self.edit(server, Edit::ToolEnabled { tool: self.spelt(server, tool), enabled: is_enabled }).await
    }

    /// Writes a new server into one of the files that the hub reads, which is made where it is not there, and starts it.
    ///
    /// A new file is for the user alone (mode 0600).
    /// The server counts unless one of the same name does that goes before it.
    pub async fn add(
        &self,
        file: impl Into<PathBuf>,
        server: impl Into<ServerName>,
        config: ServerConfig,
    ) -> Result<(), EditError> {
        let (server, file) = (server.into(), file.into());
        self.inner.follow.edit(Some(file), server, Edit::Add(Box::new(config))).await
    }

    /// Takes a server out of the file that it is configured in, and ends it.
    ///
    /// One of the same name in a file that goes after it then counts.
    pub async fn remove(&self, server: &str) -> Result<(), EditError> {
        self.edit(server, Edit::Remove).await
    }

    /// Reads the configuration now, instead of when its files were changed.
    ///
    /// It is read also where the future is dropped.
    pub async fn reload(&self) {
        self.inner.follow.reload().await;
    }

    /// The tool as its server calls it, where that is known.
    fn spelt(&self, server: &str, tool: &str) -> String {
        let catalog = self.connection(server).map(|connection| connection.catalog());
        let tools = catalog.as_ref().map_or(&[][..], |catalog| catalog.tools());
        spelling::find(tools, |listed| &listed.name, tool).map_or(tool, |listed| &*listed.name).to_owned()
    }

    async fn edit(&self, server: &str, edit: Edit) -> Result<(), EditError> {
        self.inner.follow.edit(None, server.into(), edit).await
    }
}
