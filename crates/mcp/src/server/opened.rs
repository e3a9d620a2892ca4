//! The short builder's server in one session: `rmcp` serves it, but for the calls of its tools.

mod calling;

use std::{any::Any, sync::Arc};

use agentwire_control::Control;
use agentwire_protocol::RawJson;
use rmcp::{Peer, RoleServer};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    Server,
    handler::{Handler, guarded},
};
use crate::{
    Outbox, ResponseFuture, ServerInstance, ToolContext, ToolOutput,
    check::{Objection, Schema, hold},
    rmcp_server::RmcpSession,
    rpc::{self, ToolCall},
    tool::{Input, Run},
};
use calling::Calling;

/// The server in one session.
pub(super) struct Opened {
    rmcp: RmcpSession<Handler>,
    tools: Arc<Tools>,
}

impl Opened {
    pub(super) fn start(server: Server, outbox: Outbox) -> Self {
        let (server, control) = (Arc::new(server), outbox.control().clone());
        let handler = Handler { server: Arc::clone(&server), control: control.clone() };
        let rmcp = RmcpSession::start(handler, outbox);
        let peer = Arc::new(rmcp.peer().clone());
        Self { rmcp, tools: Arc::new(Tools { server, control, peer }) }
    }
}

impl ServerInstance for Opened {
    fn handle(&self, message: RawJson) -> ResponseFuture {
        self.rmcp.handle(message)
    }

    fn has_ended(&self) -> bool {
        self.rmcp.has_ended()
    }
}

/// The tools of a server in one session, for whoever calls them without `rmcp`.
pub(crate) struct Tools {
    server: Arc<Server>,
    control: Control,
    peer: Arc<Peer<RoleServer>>,
}

impl Tools {
    /// Those of a session, where it is one of the short builder's.
    pub(crate) fn of(session: &dyn ServerInstance) -> Option<Arc<Self>> {
        let session: &dyn Any = session;
        session.downcast_ref::<Opened>().map(|opened| Arc::clone(&opened.tools))
    }

    /// The tool of this name.
    pub(crate) fn find(self: &Arc<Self>, name: &str) -> Option<Found> {
        let tool = self.server.tools.iter().find(|tool| tool.name() == name)?;
        let (run, input, output) = (Arc::clone(&tool.run), Arc::clone(&tool.input), tool.output.clone());
        Some(Found { tools: Arc::clone(self), run, input, output })
    }
}

/// A tool of a session.
pub(crate) struct Found {
    tools: Arc<Tools>,
    run: Run,
    input: Arc<Schema>,
    output: Option<Arc<Schema>>,
}

impl Found {
    /// Calls the tool; gives the answer as a control response carries it.
    ///
    /// # Cancellation
    ///
    /// Where this is dropped before its end, the tool's token fires, and the tool goes on as a task for a grace.
    pub(crate) async fn answer(self, mut call: ToolCall) -> RawJson {
        let output = match self.input.admit(call.name(), call.input()) {
            Ok(object) => self.run(&mut call, object).await,
            Err(Objection::Unfit(text)) => ToolOutput::error(text),
            Err(Objection::Unchecked(why)) => {
                return rpc::carried_error(call.id(), rpc::INTERNAL_ERROR, &why);
            }
        };
        rpc::carried_result(call.id(), output.written())
    }

    async fn run(&self, call: &mut ToolCall, object: Option<Value>) -> ToolOutput {
        let output = guarded(async {
            let cancelled = CancellationToken::new();
            let Tools { control, peer, .. } = &*self.tools;
            let context = ToolContext::of_call(call, cancelled.clone(), control.clone(), peer);
            let text = call.input().unwrap_or("{}");
            Calling::new((self.run)(Input { text, object }, context), cancelled).await
        });
        let output = output.await;
        let promise = self.output.as_ref().filter(|_| !output.is_error());
        match promise.map_or(Ok(()), |schema| hold(call.name(), schema, output.structured_content())) {
            Ok(()) => output,
            Err(text) => ToolOutput::error(text),
        }
    }
}
