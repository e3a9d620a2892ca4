//! One server in one session.

use std::sync::{
    Arc, Weak,
    atomic::{AtomicU64, Ordering},
};

use agentwire_control::{CallContext, CallbackError, Control, Lock, Reply, panics::catch_panic};
use agentwire_protocol::{RawJson, control::SdkServerManifest};
use serde::Deserialize;
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use super::{
    Entry, answered,
    forward::Forwarder,
    in_flight::{InFlightRequest, InFlightRequests},
    manifest::capture,
    refused,
};
use crate::{
    McpService, Outbox, ResponseFuture, ServerInstance, ServerPolicy,
    check::Schemas,
    failure::note_panic,
    rpc::{self, Kind},
};

/// One server in one session, opened for its manifest or at its first message.
pub(super) struct ServerSlot {
    name: Arc<str>,
    service: Arc<dyn McpService>,
    policy: ServerPolicy,
    gate: CancellationToken,
    instance: Lock<Option<Arc<Instance>>>,
}

impl ServerSlot {
    pub(super) fn new(name: &str, Entry { service, policy }: Entry, gate: CancellationToken) -> Self {
        Self { name: name.into(), service, policy, gate, instance: Lock::default() }
    }

    /// Returns the server's manifest.
    pub(super) async fn manifest(&self, control: &Control) -> Result<SdkServerManifest, String> {
        let opened = catch_panic(async { self.instance(true, control) }).await;
        let instance = opened.map_err(|_| "it panicked when it was opened")?;
        capture(&*instance.ok_or("it has ended")?.server).await
    }

    /// Returns whether the server has announced a change of its tools.
    pub(super) fn tools_have_changed(&self) -> bool {
        let instance = self.instance.lock();
        instance.as_ref().is_some_and(|instance| instance.schemas.have_changed())
    }

    /// Handles a message; called in the order of the messages.
    pub(super) fn handle(&self, message: RawJson, context: CallContext) -> Reply {
        let kind = match rpc::read(&message) {
            Ok(kind) => kind,
            Err(malformed) => {
                let why = format!("the message is not JSON-RPC: {}", malformed.why);
                return answered(rpc::error(&malformed.id, rpc::INTERNAL_ERROR, &why));
            }
        };
        let initializes = matches!(&kind, Kind::Request { method, .. } if &**method == "initialize");
        let Some(instance) = self.instance(initializes, &context.control) else {
            let why =
                format!("the MCP server `{}` has ended; only a new `initialize` starts it again", self.name);
            return match kind {
                Kind::Request { id, .. } => answered(rpc::error(&id, rpc::INTERNAL_ERROR, &why)),
                Kind::Notification { .. } | Kind::Response { .. } => refused(why),
            };
        };
        match kind {
            Kind::Request { id, method, .. } => instance.request(id, &method, message, context),
            Kind::Notification { method, params } => {
                // The server gets the notification first, while the request is still open; dropping the guard then
                // ends the request, regardless of the server.
                let _cancel = (&*method == "notifications/cancelled")
                    .then(|| rpc::params(params))
                    .flatten()
                    .and_then(|Cancelled { request_id }| instance.in_flight.newest(&request_id));
                instance.notify(message)
            }
            Kind::Response { .. } => instance.notify(message),
        }
    }

    /// Returns the instance. Opens one if there is none, or if the last one has ended and the message is `initialize`.
    fn instance(&self, initializes: bool, control: &Control) -> Option<Arc<Instance>> {
        let mut instance = self.instance.lock();
        match &*instance {
            Some(open) if !open.detect_end() => return Some(Arc::clone(open)),
            Some(_) if !initializes => return None,
            _ => {}
        }
        let opened = Instance::open(self, control.clone());
        *instance = Some(Arc::clone(&opened));
        Some(opened)
    }
}

/// An instance of a server.
pub(super) struct Instance {
    pub(super) server: Box<dyn ServerInstance>,
    policy: ServerPolicy,
    schemas: Arc<Schemas>,
    pub(super) in_flight: InFlightRequests,
    /// The number of messages that the server has sent.
    sent: Arc<AtomicU64>,
    /// The number of them that are queued for writing.
    queued: watch::Receiver<u64>,
    /// Cancelled when the bridge detects that the server has ended.
    pub(super) ended: CancellationToken,
    forwarder: JoinHandle<()>,
}

impl Instance {
    fn open(slot: &ServerSlot, control: Control) -> Arc<Self> {
        let (messages, to_forward) = mpsc::channel(MAX_OUTBOX);
        let (schemas, sent) = (Arc::<Schemas>::default(), Arc::<AtomicU64>::default());
        let outbox = Outbox::new(messages, Arc::clone(&sent), Arc::clone(&schemas), control.clone());
        let server = slot.service.open(outbox);
        let (queue, queued) = watch::channel(0);
        Arc::new_cyclic(|instance| {
            let forwarder =
                Forwarder { server: Arc::clone(&slot.name), control, instance: Weak::clone(instance) };
            let forwarder = tokio::spawn(forwarder.run(to_forward, slot.gate.clone(), queue));
            let (in_flight, ended) = (InFlightRequests::default(), CancellationToken::new());
            Self { server, policy: slot.policy.clone(), schemas, in_flight, sent, queued, ended, forwarder }
        })
    }

    /// Checks whether the server has ended. If so, all open requests fail.
    pub(super) fn detect_end(&self) -> bool {
        let has_ended = self.server.has_ended();
        if has_ended {
            self.ended.cancel();
        }
        has_ended
    }

    /// Waits until all messages that the server has sent so far are queued for writing.
    pub(super) async fn flush(&self) {
        let sent = self.sent.load(Ordering::Acquire);
        // An error means that the forwarder has ended, so there is nothing to wait for.
        let mut queued = self.queued.clone();
        let _ended = queued.wait_for(|queued| *queued >= sent).await.is_err();
    }

    fn request(self: Arc<Self>, id: RawJson, method: &str, message: RawJson, context: CallContext) -> Reply {
        if method == "initialize" {
            self.in_flight.cancel();
        }
        let request = match self.in_flight.enter(&id, &context.cancelled) {
            Ok(request) => request,
            Err(why) => return refused(why),
        };
        let response: ResponseFuture = if method == "tools/call" {
            let (instance, id) = (Arc::clone(&self), id.clone());
            Box::pin(async move {
                match instance.schemas.check(&*instance.server, &instance.policy, &id, &message).await {
                    Ok(check) => {
                        let answer = instance.server.handle(message).await?;
                        Some(check.apply(&id, answer))
                    }
                    Err(refusal) => Some(refusal),
                }
            })
        } else {
            self.server.handle(message)
        };
        Box::pin(self.wait_for_answer(response, id, request, context))
    }

    /// Waits for the answer to a request or for its cancellation. Returns the answer in the form of a control response.
    async fn wait_for_answer(
        self: Arc<Self>,
        response: ResponseFuture,
        id: RawJson,
        request: InFlightRequest,
        context: CallContext,
    ) -> Result<RawJson, CallbackError> {
        let failed = |why: &str| rpc::error(&id, rpc::INTERNAL_ERROR, why);
        let response = async {
            let answer = response.await;
            self.flush().await;
            self.detect_end();
            answer
        };
        let answer = tokio::select! {
            biased;
            () = request.cancelled.cancelled() => rpc::error(&id, rpc::CANCELLED, "the request was cancelled"),
            () = context.cancelled.cancelled() => return Err("the request was cancelled".into()),
            answer = catch_panic(response) => match answer {
                Ok(Some(answer)) if rpc::answers(&answer, &id) => answer,
                // The CLI waits for a response with its id, without a limit.
                Ok(Some(_)) => failed("the MCP server's answer is not a response to this request"),
                Ok(None) => failed("the MCP server did not answer"),
                Err(panic) => {
                    note_panic(&panic);
                    failed(&format!("the MCP server panicked: {panic}"))
                }
            },
            () = self.ended.cancelled() => failed("the MCP server has ended"),
        };
        Ok(rpc::carried(answer))
    }

    /// Handles a notification or a response.
    fn notify(self: Arc<Self>, message: RawJson) -> Reply {
        let response = self.server.handle(message);
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

/// The limit of a server's messages that wait for the forwarder.
const MAX_OUTBOX: usize = 64;
