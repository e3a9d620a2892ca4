//! Delivers the progress of a call, log messages and changes in order and before the answer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use agentwire_net::head;
use rmcp::{
    RoleClient,
    model::{
        GetExtensions, GetMeta, JsonRpcMessage, ProgressNotificationParam, ProgressToken, ServerNotification,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{sync::mpsc, time::timeout_at};

use super::{Client, Inbound, lifecycle::Probe, unanswered::Unanswered};
use crate::lock::locked;

/// The progress of a call, as reported by the server (`notifications/progress`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The amount that is done.
    pub progress: f64,
    /// The total amount, if known.
    pub total: Option<f64>,
    /// A description, cut to 4 KiB.
    pub message: Option<String>,
}

/// The receiver of a request's progress, as an extension of the request.
///
/// The caller learns the token of a request only after it was sent, which may be too late for the first progress. So the
/// transport registers the receiver when it sends the request.
#[derive(Clone)]
pub(crate) struct ProgressSender(mpsc::Sender<Progress>);

/// The receiving half for the progress of one request. Dropping it removes the registration.
#[derive(Debug)]
pub(crate) struct ProgressReceiver {
    pub(crate) progress: mpsc::Receiver<Progress>,
    routes: Arc<Routes>,
    /// The token of the request, after it was sent.
    pub(crate) token: Option<ProgressToken>,
}

impl ProgressReceiver {
    /// Creates both halves. The sending half goes into the request.
    pub(crate) fn new(inbound: &Inbound) -> (ProgressSender, Self) {
        let (sender, progress) = mpsc::channel(CAPACITY);
        (ProgressSender(sender), Self { progress, routes: Arc::clone(&inbound.routes), token: None })
    }
}

impl Drop for ProgressReceiver {
    fn drop(&mut self) {
        // Close first: a request that is sent later is then not registered any more.
        self.progress.close();
        if let Some(token) = &self.token {
            locked(&self.routes.0).remove(token);
        }
    }
}

/// The receivers of progress, by the token of the request.
#[derive(Debug, Default)]
pub(crate) struct Routes(Mutex<HashMap<ProgressToken, mpsc::Sender<Progress>>>);

impl Routes {
    fn register(&self, token: ProgressToken, ProgressSender(sender): ProgressSender) {
        let mut routes = locked(&self.0);
        if !sender.is_closed() {
            routes.insert(token, sender);
        }
    }

    fn deliver(&self, notification: ProgressNotificationParam) {
        let ProgressNotificationParam { progress_token, progress, total, mut message, .. } = notification;
        // The request has ended: drop its progress.
        let Some(sender) = locked(&self.0).get(&progress_token).cloned() else { return };
        if let Some(message) = &mut message {
            message.truncate(head(message, MAX_MESSAGE).len());
            message.shrink_to_fit();
        }
        if sender.try_send(Progress { progress, total, message }).is_err() {
            tracing::warn!("progress of a call is lost: it comes faster than it is taken");
        }
    }
}

/// A transport that delivers progress, log messages and changes itself and reports the end of the connection at once. rmcp
/// reports the end only after the answers to open questions of the server.
///
/// It receives nothing while too many requests of the server are unanswered.
pub(super) struct Routed<T> {
    transport: T,
    client: Client,
    unanswered: Unanswered,
    /// `Some` for a connection that is opened with a probe.
    probe: Option<Probe>,
}

impl<T: Transport<RoleClient>> Routed<T> {
    pub(super) fn new(transport: T, client: Client, probe: Option<Probe>) -> Self {
        Self { transport, client, unanswered: Unanswered::default(), probe }
    }

    /// Returns the next message of the server, or a generated answer to a probe after its time limit.
    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let deadline = self.probe.as_ref().and_then(|probe| probe.deadline);
            let message = match deadline {
                Some(deadline) => match timeout_at(deadline, self.transport.receive()).await {
                    Ok(message) => message?,
                    Err(_) => return self.probe.as_mut()?.expire(),
                },
                None => self.transport.receive().await?,
            };
            if self.probe.as_mut().is_none_or(|probe| !probe.discards(&message)) {
                return Some(message);
            }
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Routed<T> {
    type Error = T::Error;

    fn name() -> std::borrow::Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        if let Some(probe) = &mut self.probe {
            probe.send(&message);
        }
        if let JsonRpcMessage::Request(request) = &message
            && let Some(waiting) = request.request.extensions().get::<ProgressSender>()
            && let Some(token) = request.request.get_meta().get_progress_token()
        {
            self.client.inbound.routes.register(token, waiting.clone());
        }
        let is_answer = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let open = is_answer.then(|| self.unanswered.open());
        let sending = self.transport.send(message);
        async move {
            let sent = sending.await;
            drop(open);
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            self.unanswered.room().await;
            let Some(message) = self.next().await else {
                self.client.inbound.end.cancel();
                return None;
            };
            self.client.inbound.activity.note_message();
            match message {
                JsonRpcMessage::Notification(sent) => match sent.notification {
                    ServerNotification::ProgressNotification(step) => {
                        self.client.inbound.routes.deliver(step.params);
                    }
                    ServerNotification::LoggingMessageNotification(log) => self.client.logged(log.params),
                    other => {
                        self.client.notified(&other);
                        return Some(JsonRpcMessage::notification(other));
                    }
                },
                JsonRpcMessage::Request(mut request) => {
                    // rmcp keeps it until the handler has answered.
                    request.request.extensions_mut().insert(self.unanswered.open());
                    return Some(JsonRpcMessage::Request(request));
                }
                message => return Some(message),
            }
        }
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.transport.close().await
    }
}

/// The maximum length of a message, in bytes.
const MAX_MESSAGE: usize = 4096;
/// The capacity of the channel. Further progress is lost, because a slow caller must not block other calls.
const CAPACITY: usize = 1024;
