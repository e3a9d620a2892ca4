//! The handshake of a session, and repeating it.

use std::{fmt, sync::OnceLock, time::Duration};

use agentwire_control::Control;
use agentwire_protocol::{
    RawJson,
    control::{Initialize, InitializeReply},
};
use serde::{Deserialize, de::IgnoredAny};

use super::Session;
use crate::Error;

/// The handshake: our request and the CLI's reply.
pub(super) struct Handshake {
    pub(super) request: Initialize,
    pub(super) reply: HandshakeReply,
    pub(super) limit: Duration,
}

impl Handshake {
    pub(super) async fn perform(
        control: &Control,
        mut request: Initialize,
        limit: Duration,
    ) -> Result<Self, Error> {
        let reply = HandshakeReply::new(control.call_unread(limit, &request).await?);
        // The manifests may be stale on a second handshake, so they are sent once.
        request.sdk_mcp_server_manifests.clear();
        Ok(Self { request, reply, limit })
    }
}

/// Prints no content: the handshake contains prompts, server configurations and the user's account.
impl fmt::Debug for Handshake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handshake").field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// The reply, decoded on first use: most sessions never need its long lists.
pub(super) struct HandshakeReply {
    raw: RawJson,
    read: OnceLock<InitializeReply>,
}

impl HandshakeReply {
    fn new(raw: RawJson) -> Self {
        Self { raw, read: OnceLock::new() }
    }

    pub(super) fn decoded(&self) -> &InitializeReply {
        // Decoding tolerates any shape, and the text is known to be JSON.
        self.read.get_or_init(|| self.raw.decode().unwrap_or_default())
    }

    /// Returns the fields that identify the CLI's version, without decoding the whole reply if possible.
    pub(super) fn version(&self) -> Versioned {
        let unread = self.read.get().is_none();
        let alone = unread.then(|| self.raw.decode().ok()).flatten();
        alone.unwrap_or_else(|| Versioned::of(self.decoded()))
    }
}

impl From<InitializeReply> for HandshakeReply {
    fn from(reply: InitializeReply) -> Self {
        // The raw text is not needed once the reply is decoded.
        Self { raw: RawJson::empty_object(), read: OnceLock::from(reply) }
    }
}

/// The fields of the reply that identify the CLI's version.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Versioned {
    pub(super) claude_code_version: Option<Box<str>>,
    commands: Vec<IgnoredAny>,
}

impl Versioned {
    fn of(reply: &InitializeReply) -> Self {
        let commands = reply.commands.iter().map(|_| IgnoredAny).collect();
        Self { claude_code_version: reply.claude_code_version.clone(), commands }
    }

    /// Returns whether the reply is a CLI's: other peers list no commands.
    pub(super) fn names_commands(&self) -> bool {
        !self.commands.is_empty()
    }
}

impl Session {
    /// Returns the CLI's reply to the last handshake.
    pub fn initialized(&self) -> &InitializeReply {
        self.handshake.reply.decoded()
    }

    /// Repeats the handshake (`initialize`) with the original request, for example after a connection gap.
    ///
    /// The CLI registers the hooks again.
    /// It cancels running callbacks, because they may have changed: a tool use guarded by such a hook is refused and
    /// may be retried.
    /// Open permission questions stay open.
    ///
    /// # Errors
    ///
    /// As [`SessionBuilder::connect`](crate::SessionBuilder::connect) after the CLI has started.
    pub async fn reinitialize(&mut self) -> Result<&InitializeReply, Error> {
        let Handshake { request, limit, .. } = &self.handshake;
        self.handshake.reply = HandshakeReply::new(self.control().call_unread(*limit, request).await?);
        Ok(self.initialized())
    }
}

/// The time limit of the handshake.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandshakeLimit(pub(super) Duration);

impl Default for HandshakeLimit {
    fn default() -> Self {
        // The CLI starts MCP servers in the handshake, which may take long.
        Self(Duration::from_secs(120))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_same_decoded_alone_or_in_full() {
        for (text, version, names_commands) in [
            (r#"{"commands":[{"name":"a"}],"claude_code_version":"2.1.330"}"#, Some("2.1.330"), true),
            (r#"{"commands":[],"claude_code_version":"2.1.330","pid":"odd"}"#, Some("2.1.330"), false),
            (r#"{"commands":[{"name":"a"}],"claude_code_version":7}"#, None, true),
            (r#"{"commands":{},"claude_code_version":"2.1.330"}"#, Some("2.1.330"), false),
            ("[]", None, false),
        ] {
            let received = HandshakeReply::new(RawJson::parse(text).unwrap());
            let versioned = |reply: &HandshakeReply| {
                let versioned = reply.version();
                (versioned.claude_code_version.as_deref().map(str::to_owned), versioned.names_commands())
            };
            let alone = versioned(&received);
            assert_eq!(alone, (version.map(str::to_owned), names_commands), "{text}");
            let reply = received.decoded().clone();
            assert_eq!(
                (versioned(&received), versioned(&HandshakeReply::from(reply))),
                (alone.clone(), alone),
                "{text}"
            );
        }
    }
}
