//! Brings the progress of a call to who waits for it, in order and before the answer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::{
    RoleClient,
    model::{
        GetExtensions, GetMeta, JsonRpcMessage, ProgressNotificationParam, ProgressToken, ServerNotification,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{sync::mpsc, time::timeout_at};

use super::{Back, lifecycle::Probe, unanswered::Unanswered};
use crate::excerpt::head;

/// How far a call has come, as the server says (`notifications/progress`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done.
    pub progress: f64,
    /// How much there is to do, if known.
    pub total: Option<f64>,
    /// What is being done; of a message of more than 4 KiB, its beginning.
    pub message: Option<String>,
}

/// Goes with a request as an extension: who is to hear of its progress.
///
/// The token of a request is known to the caller only after it was sent, which may be too late for the first progress:
/// it is registered as the request goes out.
#[derive(Clone)]
pub(crate) struct Waiting(mpsc::Sender<Progress>);

/// The end at which the progress of one request is heard; it is registered no more when this is dropped.
#[derive(Debug)]
pub(crate) struct Heard {
    progress: mpsc::Receiver<Progress>,
    routes: Arc<Routes>,
    token: Option<ProgressToken>,
}

impl Heard {
    /// Both ends; the one that waits goes with the request.
    pub(crate) fn new(back: &Back) -> (Waiting, Self) {
        let (sender, progress) = mpsc::channel(MAX_UNHEARD);
        (Waiting(sender), Self { progress, routes: Arc::clone(&back.routes), token: None })
    }

    /// The request has been sent with this token.
    pub(crate) fn sent(&mut self, token: ProgressToken) {
        self.token = Some(token);
    }

    /// The next progress; loses nothing when dropped. `None` once the connection has ended.
    pub(crate) async fn recv(&mut self) -> Option<Progress> {
        self.progress.recv().await
    }

    /// Progress that has come already.
    pub(crate) fn try_recv(&mut self) -> Option<Progress> {
        self.progress.try_recv().ok()
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        // First closed, then removed: a request that has not gone out yet is not registered after this.
        self.progress.close();
        if let Some(token) = &self.token {
            self.routes.lock().remove(token);
        }
    }
}

/// Who waits for progress, by the token of the request.
#[derive(Debug, Default)]
pub(crate) struct Routes(Mutex<HashMap<ProgressToken, mpsc::Sender<Progress>>>);

impl Routes {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ProgressToken, mpsc::Sender<Progress>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn register(&self, token: ProgressToken, Waiting(sender): Waiting) {
        let mut routes = self.lock();
        if !sender.is_closed() {
            routes.insert(token, sender);
        }
    }

    fn hear(&self, heard: ProgressNotificationParam) {
        let ProgressNotificationParam { progress_token, progress, total, mut message, .. } = heard;
        // Progress of what nobody waits for any more is of no use.
        let Some(sender) = self.lock().get(&progress_token).cloned() else { return };
        if let Some(message) = &mut message {
            message.truncate(head(message, MAX_MESSAGE).len());
            message.shrink_to_fit();
        }
        if sender.try_send(Progress { progress, total, message }).is_err() {
            tracing::warn!("progress of a call is lost: it comes faster than it is taken");
        }
    }
}

/// A transport that takes progress out of what is received, and tells the end of it at once: rmcp first waits for the
/// answers to questions that are open, which nobody is there to hear.
///
/// It receives nothing while too many requests of the server are unanswered.
pub(super) struct Routed<T> {
    transport: T,
    back: Back,
    unanswered: Unanswered,
    /// While it may still matter how the connection is opened.
    probe: Option<Probe>,
}

impl<T: Transport<RoleClient>> Routed<T> {
    pub(super) fn new(transport: T, back: Back, probe: Option<Probe>) -> Self {
        Self { transport, back, unanswered: Unanswered::default(), probe }
    }

    /// The next message of the server, or the answer to a probe that the server has not answered in time.
    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let deadline = self.probe.as_ref().and_then(Probe::deadline);
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
            && let Some(waiting) = request.request.extensions().get::<Waiting>()
            && let Some(token) = request.request.get_meta().get_progress_token()
        {
            self.back.routes.register(token, waiting.clone());
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
                self.back.end.cancel();
                return None;
            };
            self.back.life.hear();
            match message {
                JsonRpcMessage::Notification(notification)
                    if matches!(notification.notification, ServerNotification::ProgressNotification(_)) =>
                {
                    if let ServerNotification::ProgressNotification(progress) = notification.notification {
                        self.back.routes.hear(progress.params);
                    }
                }
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

/// How much of a message is kept, in bytes.
const MAX_MESSAGE: usize = 4096;
/// How much progress may wait for a caller who takes none: more is lost, as it must not hold up other calls.
const MAX_UNHEARD: usize = 1024;
