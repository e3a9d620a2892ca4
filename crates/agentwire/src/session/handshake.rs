//! The handshake of a session: what was said in it, and saying it again.

use std::{fmt, sync::OnceLock, time::Duration};

use agentwire_control::Control;
use agentwire_protocol::{
    RawJson,
    control::{Initialize, InitializeReply},
};
use serde::{Deserialize, de::IgnoredAny};

use super::Session;
use crate::Error;

/// The handshake: what we said, and what the CLI did.
pub(super) struct Handshake {
    pub(super) said: Initialize,
    pub(super) heard: Heard,
    pub(super) limit: Duration,
}

impl Handshake {
    pub(super) async fn shake(
        control: &Control,
        mut said: Initialize,
        limit: Duration,
    ) -> Result<Self, Error> {
        let heard = Heard::new(control.call_unread(limit, &said).await?);
        // They were true when they were said, and are used once.
        said.sdk_mcp_server_manifests.clear();
        Ok(Self { said, heard, limit })
    }
}

/// Prompts, configurations of servers and the user's account are in it, so nothing of that is shown.
impl fmt::Debug for Handshake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handshake").field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// The reply, which is read when it is first asked for: most sessions never look at its long lists.
pub(super) struct Heard {
    raw: RawJson,
    read: OnceLock<InitializeReply>,
}

impl Heard {
    fn new(raw: RawJson) -> Self {
        Self { raw, read: OnceLock::new() }
    }

    pub(super) fn reply(&self) -> &InitializeReply {
        // Reading it does not fail for its shape, and that it is JSON is known.
        self.read.get_or_init(|| self.raw.decode().unwrap_or_default())
    }

    /// What tells the CLI's version; the rest is not read for it, where these fields are as expected.
    pub(super) fn version(&self) -> Versioned {
        let unread = self.read.get().is_none();
        let alone = unread.then(|| self.raw.decode().ok()).flatten();
        alone.unwrap_or_else(|| Versioned::of(self.reply()))
    }
}

impl From<InitializeReply> for Heard {
    fn from(reply: InitializeReply) -> Self {
        // What is read is not looked for in the text again, which the reply keeps for itself.
        Self { raw: RawJson::empty_object(), read: OnceLock::from(reply) }
    }
}

/// What of the reply tells the CLI's version.
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

    /// Whether it is the reply of a CLI: another peer names no commands.
    pub(super) fn names_commands(&self) -> bool {
        !self.commands.is_empty()
    }
}

impl Session {
    /// What the CLI said in the last handshake.
    pub fn initialized(&self) -> &InitializeReply {
        self.handshake.heard.reply()
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
        self.handshake.heard = Heard::new(self.control().call_unread(*limit, said).await?);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_same_read_alone_or_with_all() {
        for (text, version, names_commands) in [
            (r#"{"commands":[{"name":"a"}],"claude_code_version":"2.1.330"}"#, Some("2.1.330"), true),
            (r#"{"commands":[],"claude_code_version":"2.1.330","pid":"odd"}"#, Some("2.1.330"), false),
            (r#"{"commands":[{"name":"a"}],"claude_code_version":7}"#, None, true),
            (r#"{"commands":{},"claude_code_version":"2.1.330"}"#, Some("2.1.330"), false),
            ("[]", None, false),
        ] {
            let heard = Heard::new(RawJson::parse(text).unwrap());
            let told = |heard: &Heard| {
                let told = heard.version();
                (told.claude_code_version.as_deref().map(str::to_owned), told.names_commands())
            };
            let alone = told(&heard);
            assert_eq!(alone, (version.map(str::to_owned), names_commands), "{text}");
            let reply = heard.reply().clone();
            assert_eq!((told(&heard), told(&Heard::from(reply))), (alone.clone(), alone), "{text}");
        }
    }
}
