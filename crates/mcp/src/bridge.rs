//! The bridge of one session: takes `mcp_message` to the servers, and their answers back.

mod calls;
mod hosted;

use std::{collections::BTreeMap, fmt, sync::Arc};

use agentwire_control::{CallContext, Reply, Responder};
use agentwire_hooks::excerpt;
use agentwire_protocol::{InboundRequest, RawJson};

use crate::{Serve, rpc};
use hosted::Hosted;

/// Answers every `mcp_message` of one session.
///
/// A server's instance is opened at its first message, and ends with the bridge.
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
/// A tool's input is checked against its schema before the server sees it.
pub struct Bridge {
    servers: BTreeMap<Box<str>, Hosted>,
}

impl Bridge {
    pub(crate) fn new(servers: BTreeMap<Box<str>, Arc<dyn Serve>>) -> Self {
        let hosted = |(name, serve): (Box<str>, _)| (name.clone(), Hosted::new(name, serve));
        Self { servers: servers.into_iter().map(hosted).collect() }
    }

    fn unknown(&self, name: &str) -> String {
        let known: Vec<_> = self.servers.keys().map(|name| format!("`{name}`")).collect();
        let known = if known.is_empty() { "there is none".to_owned() } else { known.join(", ") };
        format!("no in-process MCP server is called `{}`; known: {known}", excerpt(name))
    }
}

impl Responder for Bridge {
    fn respond(&self, request: &InboundRequest, context: CallContext) -> Option<Reply> {
        let InboundRequest::McpMessage(message) = request else { return None };
        let Some(server) = self.servers.get(&message.server_name) else {
            return Some(refused(self.unknown(&message.server_name)));
        };
        Some(match rpc::read(&message.message) {
            Ok(kind) => server.take(kind, message.message.clone(), context),
            Err(malformed) => {
                let why = format!("the message is no JSON-RPC: {}", malformed.why);
                answered(rpc::error(&malformed.id, rpc::INTERNAL_ERROR, &why))
            }
        })
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
    Box::pin(async move { Err(why) })
}
