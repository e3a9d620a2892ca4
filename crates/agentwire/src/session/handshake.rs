//! The handshake of a session: what was said in it, and saying it again.

use std::time::Duration;

use agentwire_control::Control;
use agentwire_protocol::control::{Initialize, InitializeReply};

use super::Session;
use crate::Error;

/// The handshake: what we said, and what the CLI did.
#[derive(Debug)]
pub(super) struct Handshake {
    pub(super) said: Initialize,
    pub(super) heard: InitializeReply,
    pub(super) limit: Duration,
}

impl Handshake {
    pub(super) async fn shake(
        control: &Control,
        mut said: Initialize,
        limit: Duration,
    ) -> Result<Self, Error> {
        let heard = control.call_within(limit, &said).await?;
        // They were true when they were said, and are used once.
        said.sdk_mcp_server_manifests.clear();
        Ok(Self { said, heard, limit })
    }
}

impl Session {
    /// What the CLI said in the last handshake.
    pub fn initialized(&self) -> &InitializeReply {
        &self.handshake.heard
    }

    /// Shakes hands again (`initialize`) with what was said at first, as after a gap in the connection.
    ///
    /// The CLI registers the hooks anew.
    /// It takes back callbacks that run, since it can't know whether they are still the same: a tool use that such a
    /// hook guards is refused, and may be tried again.
    /// Permission questions stay as they are.
    ///
    /// # Errors
    ///
    /// As [`SessionBuilder::connect`](crate::SessionBuilder::connect) once the CLI runs.
    pub async fn reinitialize(&mut self) -> Result<&InitializeReply, Error> {
        let Handshake { said, limit, .. } = &self.handshake;
        self.handshake.heard = self.control().call_within(*limit, said).await?;
        Ok(self.initialized())
    }
}

/// How long the CLI may take to answer the handshake.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandshakeLimit(pub(super) Duration);

impl Default for HandshakeLimit {
    fn default() -> Self {
        // MCP servers are started in it, which may take long.
        Self(Duration::from_secs(120))
    }
}
