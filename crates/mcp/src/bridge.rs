//! The bridge of one session: takes `mcp_message` to the servers, and their answers back.

mod calls;
mod forward;
mod gate;
mod manifest;
mod settle;
mod slot;

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use agentwire_control::{CallContext, Control, Reply, Responder};
use agentwire_hooks::excerpt;
use agentwire_protocol::{
    InboundRequest, RawJson,
    control::{InitializeReply, ManifestFate, SdkServerManifest},
};
use tokio::{
    task::JoinSet,
    time::{Instant, timeout_at},
};

use crate::{failure::FailureSlot, registry::Entry, rpc};
use gate::Gate;
use slot::ServerSlot;

/// Answers every `mcp_message` of one session. A clone is the same session's.
///
/// A server's instance is opened for its [manifest](Self::manifests) or at its first message, and ends with the bridge.
/// What goes wrong stays with the message that it went wrong with:
///
/// - a message for a server that is not there gets an error that names those that are;
/// - a message that is no JSON-RPC gets the error -32603 with its id, where it has one;
/// - a request with an id that is in flight is refused, since an answer would be taken for the other's; an `initialize`
///   starts a connection of its own, whose ids count anew;
/// - a request that the CLI gives up (`notifications/cancelled`, `control_cancel_request`) ends at once;
/// - a server that panics gives that request an error; one that ends gives all open requests one, and is opened again
///   by the next `initialize`.
///
/// A tool's input is checked against its schema before the server sees it, and its structured output before the CLI
/// does, where the tool declares a schema for it.
#[derive(Clone)]
pub struct Bridge {
    servers: Arc<BTreeMap<Box<str>, ServerSlot>>,
    gate: Gate,
    manifest_limit: Option<Duration>,
}

impl Bridge {
    pub(crate) fn new(servers: BTreeMap<Box<str>, Entry>, manifest_limit: Option<Duration>) -> Self {
        let gate = Gate::default();
        let hosted = |(name, entry): (Box<str>, Entry)| {
            let hosted = ServerSlot::new(&name, entry, gate.clone());
            (name, hosted)
        };
        Self { servers: Arc::new(servers.into_iter().map(hosted).collect()), gate, manifest_limit }
    }

    /// What the servers say of themselves and of their tools, for `sdkMcpServerManifests` of the handshake: the CLI then
    /// asks none of them, so that any number of servers costs no round trips before the first turn.
    ///
    /// Each server is asked in the instance that serves this session, all at once, within
    /// [`McpServers::manifest_limit`](crate::McpServers::manifest_limit).
    /// A server that does not answer in time, or not with version 2025-11-25 of MCP, is left out: the CLI asks it.
    /// So is a list of tools that has several pages, or that has changed meanwhile.
    ///
    /// What a server sends by itself meanwhile waits for [`shaken`](Self::shaken).
    /// Must be called in a tokio runtime.
    pub async fn manifests(&self, control: &Control) -> BTreeMap<Box<str>, SdkServerManifest> {
        let mut manifests = BTreeMap::new();
        let Some(limit) = self.manifest_limit else { return manifests };
        let deadline = Instant::now() + limit.min(MOST_PATIENCE);
        let mut asked = JoinSet::new();
        for name in self.servers.keys().cloned() {
            let (servers, control) = (Arc::clone(&self.servers), control.clone());
            asked.spawn(async move {
                let manifest = match servers.get(&name) {
                    Some(server) => timeout_at(deadline, server.manifest(&control)).await,
                    None => Ok(Err("it is not there".to_owned())),
                };
                (name, manifest)
            });
        }
        // Each panic of a server's was caught.
        while let Some(Ok((server, manifest))) = asked.join_next().await {
            match manifest {
                Ok(Ok(manifest)) => {
                    manifests.insert(server, manifest);
                }
                Ok(Err(why)) => tracing::warn!(%server, why, "an MCP server has no manifest"),
                Err(_) => tracing::warn!(%server, ?limit, "an MCP server has no manifest: it takes too long"),
            }
        }
        for (name, manifest) in &mut manifests {
            if self.servers.get(name).is_some_and(ServerSlot::tools_have_changed) {
                manifest.tools_list_result = None;
            }
        }
        manifests
    }

    /// The handshake is over: what the servers send goes to the CLI from now on.
    ///
    /// Without this it does from the CLI's first message to any of them.
    pub fn shaken(&self, reply: &InitializeReply) {
        self.gate.open();
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
        let known: Vec<_> = self.servers.keys().map(|name| format!("`{name}`")).collect();
        let known = if known.is_empty() { "there is none".to_owned() } else { known.join(", ") };
        format!("no in-process MCP server is called `{}`; known: {known}", excerpt(name))
    }
}

impl Responder for Bridge {
    fn respond(&self, request: InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::McpMessage(message) = request else { return None };
        self.gate.open();
        let Some(server) = self.servers.get(&message.server_name) else {
            return Some(refused(self.unknown(&message.server_name)));
        };
        Some(FailureSlot::report(|| server.take(message.message, context)))
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
    Box::pin(async move { Ok(rpc::carried(&answer)) })
}

fn refused(why: String) -> Reply {
    Box::pin(async move { Err(why.into()) })
}

/// More than any handshake waits, and no more than a clock can count.
const MOST_PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);
