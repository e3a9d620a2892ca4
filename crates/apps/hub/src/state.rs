//! How it stands with a server.

use std::{sync::Arc, time::SystemTime};

use rmcp::model::Implementation;

/// How it stands with a server.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a program that shows states must show all of them")]
pub enum ServerState {
    /// It does not run.
    Disabled(DisabledBy),
    /// It is being started or reached for the first time, or since it was restarted.
    Starting,
    /// It has shaken hands and said what it offers.
    Connected {
        /// Since when.
        since: SystemTime,
        /// What it calls itself; a server need not say.
        info: Option<Arc<Implementation>>,
        /// The version of MCP that was agreed on.
        protocol: Arc<str>,
    },
    /// It wants an authorization that is not there; nothing is tried again before there is one, or a restart.
    NeedsAuthentication {
        /// What the server said (`WWW-Authenticate`).
        challenge: Option<Arc<str>>,
    },
    /// The connection was lost, and the next attempt is waited for or under way.
    Reconnecting {
        /// How many attempts have failed since.
        attempt: u32,
        /// When the next one is made.
        next: SystemTime,
        /// Why the last one failed, or the connection was lost.
        why: Arc<str>,
    },
    /// It could not be started or reached, and nothing is tried again before its configuration changes, or a restart.
    Failed {
        /// Why, with the tail of its stderr where it is a program.
        why: Arc<str>,
    },
}

/// Who switched a server off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "part of a state")]
pub enum DisabledBy {
    /// The server's own configuration.
    Config,
    /// The switch of the whole hub.
    Hub,
    /// Nobody: a file of the project configures it, and its definition is not [trusted](crate::Hub::trust).
    Untrusted,
}

impl ServerState {
    /// Whether nothing more is to come by itself: it is not being started or reached.
    pub fn is_settled(&self) -> bool {
        !matches!(self, Self::Starting | Self::Reconnecting { .. })
    }
}
