//! The states of servers, and snapshots of them.

use std::{sync::Arc, time::SystemTime};

use agentwire_net::head;
use rmcp::model::{Implementation, ServerPeerInfo};

use crate::{config::Configured, size::size};

/// A snapshot of one server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerSnapshot {
    /// The configuration and its origin.
    pub configured: Configured,
    /// The state.
    pub state: ServerState,
}

/// The state of a server.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a program that shows states must show all of them")]
pub enum ServerState {
    /// The server does not run.
    Disabled(DisabledBy),
    /// The first attempt to start or reach the server, also after a restart.
    Starting,
    /// The server is connected, and its lists are read.
    Connected {
        /// The start of the connection.
        since: SystemTime,
        /// The server's name and version, if it has sent them.
        info: Option<Arc<Implementation>>,
        /// The negotiated version of MCP.
        protocol: Arc<str>,
    },
    /// The server requires an authorization. It is retried after an authorization, also by another process, or a restart.
    NeedsAuthentication {
        /// The challenge of the server (`WWW-Authenticate`).
        challenge: Option<Arc<str>>,
    },
    /// The connection was lost, or a server over HTTP was not reached. The next attempt is scheduled or in progress.
    Reconnecting {
        /// The number of losses and failed attempts in a row before the last one.
        attempt: u32,
        /// The time of the next attempt.
        next: SystemTime,
        /// The reason of the last failure or of the loss.
        why: Arc<str>,
    },
    /// The server could not be started or reached. It is retried after a change of its configuration or files, or a restart.
    Failed {
        /// The reason, with the end of the stderr of a process.
        why: Arc<str>,
    },
}

/// The reason why a server is disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "part of a state")]
pub enum DisabledBy {
    /// The server's configuration (`disabled`).
    Config,
    /// The whole hub is [disabled](crate::Hub::set_enabled).
    Hub,
    /// A project file configures it, and its definition is not [trusted](crate::Hub::trust).
    Untrusted,
}

impl ServerState {
    pub(crate) fn connected(info: Option<&ServerPeerInfo>) -> Self {
        Self::Connected {
            since: SystemTime::now(),
            info: info.and_then(|info| info.server_info.clone()).map(bounded).map(Arc::new),
            protocol: info.map(|info| info.protocol_version.as_str()).unwrap_or_default().into(),
        }
    }
}

/// Limits the size of a server's information about itself.
fn bounded(mut info: Implementation) -> Implementation {
    let Implementation { name, title, version, description, website_url, icons, .. } = &mut info;
    let texts = [Some(name), title.as_mut(), Some(version), description.as_mut(), website_url.as_mut()];
    for text in texts.into_iter().flatten() {
        text.truncate(head(text, MAX_TEXT).len());
    }
    // An icon can't be cut.
    icons.take_if(|icons| size(icons) > MAX_ICONS);
    info
}

/// The limits for each text of a server's information, and for its icons as JSON.
const MAX_TEXT: usize = 4 << 10;
const MAX_ICONS: usize = 64 << 10;
