//! One server in one session.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use agentwire_control::{CallContext, Control, FailureKind, Reply, note_failure};
use agentwire_hooks::catch_panic;
use agentwire_protocol::{RawJson, control::SendMcpMessage};
use serde::Deserialize;
use tokio::{sync::mpsc, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::{
    answered,
    calls::{Call, Calls},
    refused,
};
use crate::{
    Handling, Outbox, Serve, Session,
    check::Schemas,
    rpc::{self, Kind},
};

/// One server in one session, opened at its first message.
pub(super) struct Hosted {
    name: Box<str>,
    serve: Arc<dyn Serve>,
    instance: Mutex<Option<Arc<Instance>>>,
}

impl Hosted {
    pub(super) fn new(name: Box<str>, serve: Arc<dyn Serve>) -> Self {
        Self { name, serve, instance: Mutex::default() }
    }

    /// Takes a message; called in the order of the messages.
    pub(super) fn take(&self, kind: Kind, message: RawJson, context: CallContext) -> Reply {
        let initializes = matches!(&kind, Kind::Request { method, .. } if &**method == "initialize");
        let Some(instance) = self.instance(initializes, &context.control) else {
            let why =
                format!("the MCP server `{}` has ended; only a new `initialize` starts it again", self.name);
            return match kind {
                Kind::Request { id, .. } => answered(rpc::error(&id, rpc::INTERNAL_ERROR, &why)),
                Kind::Notification { .. } | Kind::Response => refused(why),
            };
        };
        match kind {
            Kind::Request { id, method } => instance.request(id, &method, message, context),
            Kind::Notification { method } => {
                // The server hears of it first, while it still knows the request; then the request ends, whatever the
                // server does.
                let _cancel = (&*method == "notifications/cancelled")
                    .then(|| rpc::params(&message))
                    .flatten()
                    .and_then(|Cancelled { request_id }| instance.calls.token(&request_id))
                    .map(CancellationToken::drop_guard);
                instance.inform(message)
            }
            Kind::Response => instance.inform(message),
        }
    }

    /// The instance, opened where there is none yet, or where the last one has ended and this message starts it again.
    fn instance(&self, initializes: bool, control: &Control) -> Option<Arc<Instance>> {
        let mut instance = self.instance.lock().unwrap_or_else(PoisonError::into_inner);
        match &*instance {
            Some(open) if !open.session.has_ended() => return Some(Arc::clone(open)),
            Some(_) if !initializes => return None,
            _ => {}
        }
        let opened = Instance::open(&self.name, &*self.serve, control.clone());
        *instance = Some(Arc::clone(&opened));
        Some(opened)
    }
}

/// An instance of a server.
struct Instance {
    session: Box<dyn Session>,
    schemas: Arc<Schemas>,
    calls: Calls,
    forwarder: JoinHandle<()>,
}

impl Instance {
    fn open(name: &str, serve: &dyn Serve, control: Control) -> Arc<Self> {
        let (messages, to_forward) = mpsc::channel(MAX_OUTBOX);
        let schemas = Arc::new(Schemas::default());
        let session = serve.open(Outbox::new(messages, Arc::clone(&schemas), control.clone()));
        Arc::new_cyclic(|instance| {
            let forwarder = tokio::spawn(forward(name.into(), to_forward, control, Weak::clone(instance)));
            Self { session, schemas, calls: Calls::default(), forwarder }
        })
    }

    fn request(self: Arc<Self>, id: RawJson, method: &str, message: RawJson, context: CallContext) -> Reply {
        if method == "initialize" {
            self.calls.connect();
        }
        let call = match self.calls.enter(&id, &context.cancelled) {
            Ok(call) => call,
            Err(why) => return refused(why),
        };
        let handling: Handling = if method == "tools/call" {
            let (instance, id) = (Arc::clone(&self), id.clone());
            Box::pin(async move {
                match instance.schemas.check(&*instance.session, &id, &message).await {
                    Ok(()) => instance.session.handle(message).await,
                    Err(refusal) => Some(refusal),
                }
            })
        } else {
            self.session.handle(message)
        };
        Box::pin(settle(self, handling, id, call, context))
    }

    /// Takes a message that wants no answer.
    fn inform(self: Arc<Self>, message: RawJson) -> Reply {
        let handling = self.session.handle(message);
        Box::pin(async move {
            if let Err(panic) = catch_panic(handling).await {
                note_failure(FailureKind::Panic, &*panic);
                return Err(format!("the MCP server panicked: {panic}"));
            }
            drop(self);
            Ok(rpc::acknowledged())
        })
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.forwarder.abort();
    }
}

/// Waits for the answer to a request, or for its end.
async fn settle(
    instance: Arc<Instance>,
    handling: Handling,
    id: RawJson,
    call: Call,
    context: CallContext,
) -> Result<RawJson, String> {
    let failed = |why: &str| rpc::error(&id, rpc::INTERNAL_ERROR, why);
    let answer = tokio::select! {
        biased;
        () = call.cancelled.cancelled() => rpc::error(&id, rpc::CANCELLED, "the request was cancelled"),
        () = context.cancelled.cancelled() => return Err("the request was taken back".to_owned()),
        answer = catch_panic(handling) => match answer {
            Ok(Some(answer)) => answer,
            Ok(None) => failed("the MCP server gave no answer"),
            Err(panic) => {
                note_failure(FailureKind::Panic, &*panic);
                failed(&format!("the MCP server panicked: {panic}"))
            }
        },
    };
    drop((instance, call));
    Ok(rpc::carried(&answer))
}

/// Takes a server's messages to the CLI, one at a time.
async fn forward(
    server: Box<str>,
    mut messages: mpsc::Receiver<RawJson>,
    control: Control,
    instance: Weak<Instance>,
) {
    while let Some(message) = messages.recv().await {
        let request = match rpc::read(&message) {
            Ok(Kind::Request { id, .. }) => Some(id),
            Ok(Kind::Notification { .. } | Kind::Response) => None,
            Err(malformed) => {
                tracing::warn!(%server, why = malformed.why, "an MCP server sent what is no JSON-RPC");
                continue;
            }
        };
        let Err(error) = control.call(&SendMcpMessage::new(server.clone(), message)).await else { continue };
        tracing::warn!(%server, %error, "a message of an MCP server did not reach the CLI");
        // A request of the server's must not wait for ever.
        if let (Some(id), Some(instance)) = (request, instance.upgrade()) {
            let failure = rpc::error(&id, rpc::INTERNAL_ERROR, &error.to_string());
            let handling = instance.session.handle(failure);
            if catch_panic(handling).await.is_err() {
                tracing::warn!(%server, "an MCP server panicked");
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled {
    request_id: RawJson,
}

/// How many messages of a server may wait for the CLI.
const MAX_OUTBOX: usize = 64;
