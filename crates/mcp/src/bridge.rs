//! The bridge of one session: passes `mcp_message` requests to the servers, and their answers to the CLI.

mod forward;
mod in_flight;
mod manifest;
mod slot;

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use agentwire_control::{CallContext, Control, Reply, Responder, panics::excerpt};
use agentwire_protocol::{
    InboundRequest, RawJson,
    control::{InitializeReply, ManifestFate, SdkServerManifest},
};
use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{McpService, ServerPolicy, failure::FailureSlot, rpc};
use slot::ServerSlot;

/// A responder for every `mcp_message` of one session. Clones share the session.
///
/// A server's instance is opened for its [manifest](Self::manifests) or at its first message, and ends with the bridge.
/// A failure affects only the message that caused it:
///
/// - a message for an unknown server gets an error that names the known servers;
/// - a message that is not JSON-RPC gets the error -32603 with its id, if it has one;
/// - a request with an id that is in flight is refused, since the CLI could not match the answers; an `initialize`
///   cancels all requests, since it starts a new connection;
/// - a request that the CLI cancels (`notifications/cancelled`, `control_cancel_request`) ends immediately;
/// - if a server panics, its request gets an error; if a server ends, all its open requests get an error, and the next
///   `initialize` opens a new instance.
///
/// Instances keep the session alive: end its input or drop its driver, since dropping the handles does not end it.
///
/// A tool's input is checked against its schema before the server gets it.
/// Structured output is checked before the CLI gets it, if the tool declares a schema.
#[derive(Clone)]
pub struct Bridge {
    servers: BTreeMap<Box<str>, Arc<ServerSlot>>,
    /// Cancelled after the handshake, or at the CLI's first message to a server. Servers' own messages are held back
    /// until then.
    ///
    /// A server may send messages before the handshake, while the bridge asks for its manifest. The CLI exits if the first line that
    /// it reads is not the handshake (`--await-initialize`).
    gate: CancellationToken,
    manifest_limit: Option<Duration>,
}

/// A server and its policy.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) service: Arc<dyn McpService>,
    pub(crate) policy: ServerPolicy,
}

impl Bridge {
    pub(crate) fn new(servers: BTreeMap<Box<str>, Entry>, manifest_limit: Option<Duration>) -> Self {
        let gate = CancellationToken::new();
        let slot = |(name, entry): (Box<str>, Entry)| {
            let slot = ServerSlot::new(&name, entry, gate.clone());
            (name, Arc::new(slot))
        };
        Self { servers: servers.into_iter().map(slot).collect(), gate, manifest_limit }
    }

    /// Returns the servers' manifests, which are their `initialize` results and tool lists, for the handshake
    /// (`sdkMcpServerManifests`).
    ///
    /// The CLI then sends no requests to these servers before the first turn.
    ///
    /// All servers are queried concurrently within [`McpServers::manifest_limit`](crate::McpServers::manifest_limit),
    /// each in the instance that serves this session.
    /// A server has no manifest if it is late, fails, or does not speak version 2025-11-25 of MCP; the CLI then queries it.
    /// A manifest has no tool list if the list has several pages or has changed in the meantime.
    ///
    /// The servers' own messages are queued until [`on_initialized`](Self::on_initialized).
    /// Must be called in a tokio runtime.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the open queries; the instances stay and serve the session.
    pub async fn manifests(&self, control: &Control) -> BTreeMap<Box<str>, SdkServerManifest> {
        let mut manifests = BTreeMap::new();
        let Some(limit) = self.manifest_limit else { return manifests };
        let mut queries = JoinSet::new();
        for (name, server) in self.servers.clone() {
            let control = control.clone();
            queries.spawn(async move { (name, timeout(limit, server.manifest(&control)).await) });
        }
        // No task panics, since panics of servers are caught.
        while let Some(Ok((server, manifest))) = queries.join_next().await {
            match manifest {
                Ok(Ok(manifest)) => {
                    manifests.insert(server, manifest);
                }
                Ok(Err(why)) => tracing::warn!(%server, why, "an MCP server has no manifest"),
                Err(_) => tracing::warn!(%server, ?limit, "an MCP server has no manifest: it takes too long"),
            }
        }
        for (name, manifest) in &mut manifests {
            if self.servers.get(name).is_some_and(|server| server.tools_have_changed()) {
                manifest.tools_list_result = None;
            }
        }
        manifests
    }

    /// Releases the messages that servers have queued, and logs what the CLI did with the manifests.
    ///
    /// Call this after the handshake. Without it the CLI's first message to any server releases the queue.
    pub fn on_initialized(&self, reply: &InitializeReply) {
        self.gate.cancel();
        for (server, fate) in reply.sdk_mcp_manifests_parked.iter().flatten() {
            match fate {
                ManifestFate::Parked | ManifestFate::AlreadyConnected => {
                    tracing::debug!(%server, ?fate, "the manifest of an MCP server");
                }
                fate => tracing::warn!(%server, ?fate, "the CLI does not use the manifest of an MCP server"),
            }
        }
    }

    fn unknown(&self, name: &str) -> String {
        let known = rpc::known(self.servers.keys().map(|name| &**name));
        format!("no in-process MCP server is called `{}`; known: {known}", excerpt(name))
    }
}

impl Responder for Bridge {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::McpMessage(message) = request else { return None };
        self.gate.cancel();
        let Some(server) = self.servers.get(&message.server_name) else {
            return Some(refused(self.unknown(&message.server_name)));
        };
        Some(FailureSlot::report(|| server.handle(message.message, context)))
    }

    fn may_answer(&self, request: &InboundRequest) -> bool {
        matches!(request, InboundRequest::McpMessage(_))
    }

    fn may_answer_any(&self) -> bool {
        !self.servers.is_empty()
    }
}

impl fmt::Debug for Bridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.servers.keys()).finish()
    }
}

fn answered(answer: RawJson) -> Reply {
    Box::pin(async move { Ok(rpc::carried(answer)) })
}

fn refused(why: String) -> Reply {
    Box::pin(async move { Err(why.into()) })
}
