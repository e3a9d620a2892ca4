//! One server in one session.

use std::sync::{
    Arc, Mutex, PoisonError, Weak,
    atomic::{AtomicU64, Ordering},
};

use agentwire_control::{CallContext, Control, Reply};
use agentwire_hooks::catch_panic;
use agentwire_protocol::{RawJson, control::SdkServerManifest};
use serde::Deserialize;
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use super::{
    answered, calls::Calls, forward::Forward, gate::Gate, manifest::capture, refused, settle::settle,
};
use crate::{
    McpService, Outbox, ResponseFuture, ServerInstance, ServerPolicy,
    check::{Schemas, ToolError},
    failure::note_panic,
    registry::Entry,
    rpc::{self, Kind},
};

/// One server in one session, opened for its manifest or at its first message.
pub(super) struct ServerSlot {
    name: Arc<str>,
    serve: Arc<dyn McpService>,
    policy: ServerPolicy,
    gate: Gate,
    instance: Mutex<Option<Arc<Instance>>>,
}

impl ServerSlot {
    pub(super) fn new(name: &str, Entry { serve, policy }: Entry, gate: Gate) -> Self {
        Self { name: name.into(), serve, policy, gate, instance: Mutex::default() }
    }

    /// What the server says of itself and of its tools.
    pub(super) async fn manifest(&self, control: &Control) -> Result<SdkServerManifest, String> {
        let opened = catch_panic(async { self.instance(true, control) }).await;
        let instance = opened.map_err(|_| "it panicked when it was opened")?;
        capture(&*instance.ok_or("it has ended")?.session).await
    }

    /// Whether the server has said that its tools have changed.
    pub(super) fn tools_have_changed(&self) -> bool {
        let instance = self.instance.lock().unwrap_or_else(PoisonError::into_inner);
        instance.as_ref().is_some_and(|instance| instance.schemas.have_changed())
    }

    /// Takes a message; called in the order of the messages.
    pub(super) fn take(&self, message: RawJson, context: CallContext) -> Reply {
        let kind = match rpc::read(&message) {
            Ok(kind) => kind,
            Err(malformed) => {
                let why = format!("the message is no JSON-RPC: {}", malformed.why);
                return answered(rpc::error(&malformed.id, rpc::INTERNAL_ERROR, &why));
            }
        };
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
            Kind::Request { id, method } if &*method == "tools/call" && self.denies(&message) => {
                // A CLI that does not know the policy would have it called.
                answered(rpc::result(&id, ToolError::new(DENIED.to_owned())))
            }
            Kind::Request { id, method } => instance.request(id, &method, message, context),
            Kind::Notification { method } => {
                // The server hears of it first, while it still knows the request; then the request ends, whatever the
                // server does.
                let _cancel = (&*method == "notifications/cancelled")
                    .then(|| rpc::params(&message))
                    .flatten()
                    .and_then(|Cancelled { request_id }| instance.calls.newest(&request_id));
                instance.inform(message)
            }
            Kind::Response => instance.inform(message),
        }
    }

    /// Whether the call is of a tool that the policy denies.
    fn denies(&self, call: &RawJson) -> bool {
        self.policy.denies_any() && rpc::params(call).is_some_and(|Called { name }| self.policy.denies(&name))
    }

    /// The instance, opened where there is none yet, or where the last one has ended and this message starts it again.
    fn instance(&self, initializes: bool, control: &Control) -> Option<Arc<Instance>> {
        let mut instance = self.instance.lock().unwrap_or_else(PoisonError::into_inner);
        match &*instance {
            Some(open) if !open.has_ended() => return Some(Arc::clone(open)),
            Some(_) if !initializes => return None,
            _ => {}
        }
        let opened = Instance::open(&self.name, &*self.serve, &self.gate, control.clone());
        *instance = Some(Arc::clone(&opened));
        Some(opened)
    }
}

/// An instance of a server.
pub(super) struct Instance {
    pub(super) session: Box<dyn ServerInstance>,
    schemas: Arc<Schemas>,
    pub(super) calls: Calls,
    /// How many messages the server has given out.
    taken: Arc<AtomicU64>,
    /// How many of them are on their way to the CLI.
    begun: watch::Receiver<u64>,
    /// Fires when the server is seen to have ended.
    pub(super) ended: CancellationToken,
    forwarder: JoinHandle<()>,
}

impl Instance {
    fn open(name: &Arc<str>, serve: &dyn McpService, gate: &Gate, control: Control) -> Arc<Self> {
        let (messages, to_forward) = mpsc::channel(MAX_OUTBOX);
        let (schemas, taken) = (Arc::<Schemas>::default(), Arc::<AtomicU64>::default());
        let outbox = Outbox::new(messages, Arc::clone(&taken), Arc::clone(&schemas), control.clone());
        let session = serve.open(outbox);
        let (begin, begun) = watch::channel(0);
        Arc::new_cyclic(|instance| {
            let forward = Forward { server: Arc::clone(name), control, instance: Weak::clone(instance) };
            let forwarder = tokio::spawn(forward.run(to_forward, gate.clone(), begin));
            let (calls, ended) = (Calls::default(), CancellationToken::new());
            Self { session, schemas, calls, taken, begun, ended, forwarder }
        })
    }

    /// Whether the server has ended; then nothing of what is open gets an answer from it.
    pub(super) fn has_ended(&self) -> bool {
        let has_ended = self.session.has_ended();
        if has_ended {
            self.ended.cancel();
        }
        has_ended
    }

    /// What the server has said so far is on its way, before what is written from now on.
    pub(super) async fn spoken(&self) {
        let taken = self.taken.load(Ordering::Acquire);
        if *self.begun.borrow() >= taken {
            return;
        }
        // Where nothing is forwarded any more, nothing comes before the answer.
        let mut begun = self.begun.clone();
        let _ended = begun.wait_for(|begun| *begun >= taken).await.is_err();
    }

    fn request(self: Arc<Self>, id: RawJson, method: &str, message: RawJson, context: CallContext) -> Reply {
        if method == "initialize" {
            self.calls.connect();
        }
        let call = match self.calls.enter(&id, &context.cancelled) {
            Ok(call) => call,
            Err(why) => return refused(why),
        };
        let response: ResponseFuture = if method == "tools/call" {
            let (instance, id) = (Arc::clone(&self), id.clone());
            Box::pin(async move {
                match instance.schemas.check(&*instance.session, &id, &message).await {
                    Ok(check) => {
                        let answer = instance.session.handle(message).await?;
                        Some(check.apply(&id, answer))
                    }
                    Err(refusal) => Some(refusal),
                }
            })
        } else {
            self.session.handle(message)
        };
        let carried = Box::pin(async move { response.await.map(|answer| rpc::carried(&answer)) });
        Box::pin(settle(self, carried, id, call, context))
    }

    /// Takes a message that wants no answer.
    fn inform(self: Arc<Self>, message: RawJson) -> Reply {
        let response = self.session.handle(message);
        Box::pin(async move {
            if let Err(panic) = catch_panic(response).await {
                note_panic(&panic);
                return Err(format!("the MCP server panicked: {panic}").into());
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled {
    request_id: RawJson,
}

#[derive(Deserialize)]
struct Called {
    name: Box<str>,
}

/// What the model is told of a call that the policy denies.
const DENIED: &str = "this tool may not be called: the program that offers it denies it";
/// How many messages of a server may wait for the CLI.
const MAX_OUTBOX: usize = 64;
