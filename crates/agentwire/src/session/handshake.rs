//! The handshake of a session, and repeating it.

use std::time::Duration;

use agentwire_control::Control;
use agentwire_protocol::control::{Initialize, InitializeReply};

use crate::{Error, Warning, options::mode_bypass_warning};

/// The handshake: our request and the CLI's reply.
pub(super) struct Handshake {
    pub(super) request: Initialize,
    pub(super) reply: InitializeReply,
    pub(super) limit: Duration,
}

impl Handshake {
    pub(super) async fn perform(
        control: &Control,
        mut request: Initialize,
        limit: Duration,
    ) -> Result<Self, Error> {
        let reply = Self::exchange(&control.within(limit), &request).await?;
        // The manifests may be stale on a second handshake, so they are sent once.
        request.sdk_mcp_server_manifests.clear();
        Ok(Self { request, reply, limit })
    }

    /// Sends the request within the time limit of `control`.
    pub(super) async fn exchange(control: &Control, request: &Initialize) -> Result<InitializeReply, Error> {
        // Decoding tolerates any shape, and the text is known to be JSON.
        Ok(control.call_unread(request).await?.decode().unwrap_or_default())
    }

    /// Takes the reply to a claim, and keeps from the first reply what the claim's reply lacks: the outcome of the
    /// hooks, plugins and servers.
    pub(super) fn claimed(&mut self, reply: InitializeReply) {
        let first = std::mem::replace(&mut self.reply, reply);
        let reply = &mut self.reply;
        reply.hooks_applied = reply.hooks_applied.or(first.hooks_applied);
        reply.plugins_applied = reply.plugins_applied.or(first.plugins_applied);
        reply.mcp_servers_applied = reply.mcp_servers_applied.or(first.mcp_servers_applied);
        let parked = reply.sdk_mcp_manifests_parked.take();
        reply.sdk_mcp_manifests_parked = parked.or(first.sdk_mcp_manifests_parked);
    }

    /// Returns a warning if the session's permission mode keeps the CLI from calling the permission handler.
    pub(super) fn bypass_warning(&self) -> Option<Warning> {
        self.reply.current_permission_mode.as_ref().and_then(mode_bypass_warning)
    }
}

/// The default time limit of the handshake, in which the CLI starts MCP servers.
pub(super) const HANDSHAKE_LIMIT: Duration = Duration::from_secs(120);
