//! The requests of the client.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use agent_client_protocol::{
    Agent as Role, Client, Error, JsonRpcMessage as _, UntypedMessage, on_receive_notification,
    on_receive_request,
    v1::{
        ConnectionTo, Responder,
        schema::{
            AuthenticateResponse, CancelNotification, CancelRequestNotification, ClientCapabilities,
            ClientRequest, CloseSessionResponse, DeleteSessionResponse, LoadSessionResponse,
            NewSessionResponse, ResumeSessionResponse, SessionConfigOptionValue,
            SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest,
            SetSessionModeResponse,
        },
    },
};
use agentwire::protocol::session_info::SessionMessage;
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::spawn_blocking,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Settings,
    capabilities::{self, LOGIN},
    config::{MODE, MODEL},
    failure::{invalid, no_session, uninitialized, unreadable},
    features::Features,
    launch::Wanted,
    listing,
    live::{Handle, Live},
    outbox::{Outbox, Room, Warned, lines},
    prompt,
};

/// Serves a client over these streams until it ends its side, and then ends all sessions, within ten seconds.
///
/// Must be called in a tokio runtime with I/O and time.
///
/// # Cancel safety
///
/// Dropping the future ends the sessions in the background.
///
/// # Errors
///
/// If reading or writing fails, or a line is longer than 64 MiB.
pub async fn serve(
    settings: Settings,
    input: impl AsyncRead + Send + 'static,
    output: impl AsyncWrite + Send + 'static,
) -> io::Result<()> {
    let (room, ended) = (Room::new(), CancellationToken::new());
    let transport = lines(input, output, &room, ended.clone());
    let agent = Arc::new(Agent {
        settings,
        room: room.clone(),
        warned: Warned::default(),
        client: Mutex::default(),
        sessions: Mutex::default(),
        tasks: TaskTracker::new(),
        closing: CancellationToken::new(),
    });
    let _closing = agent.closing.clone().drop_guard();
    let (requests, cancels, withdrawals) = (Arc::clone(&agent), Arc::clone(&agent), Arc::clone(&agent));
    let connection = Role
        .v1()
        .name(env!("CARGO_PKG_NAME"))
        .on_receive_request(
            async move |request: UntypedMessage, responder, client| {
                requests.receive(&request, responder, client)
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |cancel: CancelNotification, _client| {
                cancels.cancel(&cancel);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_notification(
            async move |withdrawn: CancelRequestNotification, _client| {
                withdrawals.withdraw(&withdrawn);
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(transport);
    let served = tokio::select! {
        served = connection => served,
        // A client that has ended its side and reads nothing must not keep the sessions.
        () = async { ended.cancelled().await; sleep(READ_LIMIT).await } => Ok(()),
    };
    room.close();
    agent.closing.cancel();
    agent.tasks.close();
    // The grace periods of the sessions are shorter.
    let _ = timeout(CLOSE_LIMIT, agent.tasks.wait()).await;
    served.map_err(io::Error::other)
}

/// The state of a connection.
struct Agent {
    settings: Settings,
    room: Room,
    warned: Warned,
    /// What the client can do, as of the last `initialize`; `None` before that.
    client: Mutex<Option<ClientCapabilities>>,
    sessions: Mutex<HashMap<Arc<str>, Handle>>,
    /// All tasks: those of sessions, and those of requests that wait for one.
    tasks: TaskTracker,
    closing: CancellationToken,
}

impl Agent {
    /// Answers a request, or starts a task that does: the next message is read when this returns.
    fn receive(
        self: &Arc<Self>,
        request: &UntypedMessage,
        responder: Responder<Value>,
        client: ConnectionTo<Client>,
    ) -> Result<(), Error> {
        if self.client().is_none() && request.method() != "initialize" {
            return responder.respond_with_error(uninitialized(request.method()));
        }
        let request = match ClientRequest::parse_message(request.method(), request.params()) {
            Ok(request) => request,
            Err(error) => return responder.respond_with_error(unreadable(error)),
        };
        let agent = Arc::clone(self);
        let outbox = Outbox::new(client, self.room.clone(), self.warned.clone());
        match request {
            ClientRequest::InitializeRequest(request) => {
                let answer = capabilities::initialized(&request.client_capabilities);
                *self.client() = Some(request.client_capabilities);
                return responder.cast().respond(answer);
            }
            // The CLI has logged in at a terminal, and reads the login when a session starts.
            ClientRequest::AuthenticateRequest(request) if &*request.method_id.0 == LOGIN => {
                return responder.cast().respond(AuthenticateResponse::new());
            }
            ClientRequest::AuthenticateRequest(_) => {
                return responder.respond_with_error(unknown("methodId"));
            }
            ClientRequest::NewSessionRequest(request) => {
                self.task(agent.open(request.into(), outbox, responder.cast(), |opened| opened, false));
            }
            ClientRequest::LoadSessionRequest(request) => {
                self.task(agent.open(request.into(), outbox, responder.cast(), loaded, true));
            }
            ClientRequest::ResumeSessionRequest(request) => {
                self.task(agent.open(request.into(), outbox, responder.cast(), resumed, false));
            }
            ClientRequest::ListSessionsRequest(request) => self.task(async move {
                let listed = blocking(move || listing::list(&request)).await;
                responder.cast().respond_with_result(listed)
            }),
            ClientRequest::DeleteSessionRequest(request) => self.task(async move {
                agent.close(&request.session_id.0).await;
                let deleted = blocking(move || listing::delete(&request.session_id.0)).await;
                responder.cast().respond_with_result(deleted.map(|()| DeleteSessionResponse::new()))
            }),
            ClientRequest::CloseSessionRequest(request) => self.task(async move {
                let closed = agent.close(&request.session_id.0).await;
                let answer = closed.then(CloseSessionResponse::new);
                responder.cast().respond_with_result(answer.ok_or_else(|| no_session(request.session_id)))
            }),
            ClientRequest::PromptRequest(request) => {
                return match self.session(&request.session_id.0) {
                    Ok(session) => session.prompt(prompt::blocks(&request.prompt), responder.cast()),
                    Err(error) => responder.respond_with_error(error),
                };
            }
            ClientRequest::SetSessionModeRequest(request) => self.task(async move {
                let set = agent.set_mode(&request).await;
                responder.cast().respond_with_result(set)
            }),
            ClientRequest::SetSessionConfigOptionRequest(request) => self.task(async move {
                let set = agent.set_option(&request).await;
                responder.cast().respond_with_result(set)
            }),
            _ => return responder.respond_with_error(Error::method_not_found()),
        }
        Ok(())
    }

    fn cancel(&self, cancel: &CancelNotification) {
        if let Ok(session) = self.session(&cancel.session_id.0) {
            session.cancel(None, &self.tasks);
        }
    }

    /// Cancels the turn of a prompt that the client withdraws (`$/cancel_request`). A request that opens a session is
    /// cancelled by [`open`](Self::open).
    fn withdraw(&self, withdrawn: &CancelRequestNotification) {
        for session in self.sessions().values() {
            session.cancel(Some(withdrawn.request_id.clone()), &self.tasks);
        }
    }

    /// Opens a session, shows its stored conversation, answers the client, and starts the session's task.
    async fn open<T: agent_client_protocol::JsonRpcResponse>(
        self: Arc<Self>,
        wanted: Wanted,
        outbox: Outbox,
        responder: Responder<T>,
        answer: fn(NewSessionResponse) -> T,
        replays: bool,
    ) -> Result<(), Error> {
        let started = async {
            let features = Features::of(&self.client().clone().unwrap_or_default(), &wanted.cwd);
            let resume = wanted.resume.clone();
            let id: Arc<str> = resume.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string()).into();
            let options = wanted.options(&id, &self.settings, &features)?;
            let history = match resume {
                Some(resume) => self.history(resume).await?,
                None => Vec::new(),
            };
            let (tasks, stop) = (self.tasks.clone(), self.closing.child_token());
            let mut live = Live::start(id, options, &self.settings, features, outbox, tasks, stop).await?;
            live.replay(&history, replays).await;
            Ok(live)
        };
        let cancellation = responder.cancellation();
        let live = match cancellation.run_until_cancelled(started).await {
            Ok(live) => live,
            Err(error) => return responder.respond_with_error(error),
        };
        let handle = live.handle();
        let before = self.sessions().insert(Arc::clone(&handle.id), handle.clone());
        if let Some(before) = before {
            // Another request has opened the session meanwhile: the last one counts.
            before.stop();
        }
        responder.respond(answer(handle.opened()))?;
        let agent = Arc::clone(&self);
        self.tasks.spawn(async move {
            // The end is reported after the removal below, so that a session that is opened again stays in the map.
            let _ended = handle.end_guard();
            live.run().await;
            let mut sessions = agent.sessions();
            // A failure stays in the map, as the answer to later requests.
            if handle.failure().is_none() && sessions.get(&handle.id).is_some_and(|open| open.is(&handle)) {
                sessions.remove(&handle.id);
            }
        });
        Ok(())
    }

    /// Ends a running session that the client opens again, perhaps with other servers, and returns its messages.
    async fn history(&self, id: String) -> Result<Vec<SessionMessage>, Error> {
        let read = || {
            let id = id.clone();
            blocking(move || listing::history(&id))
        };
        // A request that fails must not end the session.
        let history = read().await?;
        if self.close(&id).await { read().await } else { Ok(history) }
    }

    /// Ends a session; returns `false` if there is none.
    async fn close(&self, id: &str) -> bool {
        let session = self.sessions().remove(id);
        match session {
            Some(session) => {
                session.close().await;
                true
            }
            None => false,
        }
    }

    async fn set_mode(&self, request: &SetSessionModeRequest) -> Result<SetSessionModeResponse, Error> {
        let session = self.session(&request.session_id.0)?;
        let mode = session.config().mode(&request.mode_id.0).ok_or_else(|| unknown("modeId"))?;
        session.set_mode(&mode).await?;
        Ok(SetSessionModeResponse::new())
    }

    async fn set_option(
        &self,
        request: &SetSessionConfigOptionRequest,
    ) -> Result<SetSessionConfigOptionResponse, Error> {
        let session = self.session(&request.session_id.0)?;
        let SessionConfigOptionValue::ValueId { value } = &request.value else {
            return Err(unknown("value"));
        };
        match &*request.config_id.0 {
            MODE => {
                let mode = session.config().mode(&value.0).ok_or_else(|| unknown("value"))?;
                session.set_mode(&mode).await?;
            }
            MODEL if session.config().has_model(&value.0) => session.set_model(&value.0).await?,
            MODEL => return Err(unknown("value")),
            _ => return Err(unknown("configId")),
        }
        Ok(SetSessionConfigOptionResponse::new(session.config().options()))
    }

    /// Starts a task that ends with the connection.
    fn task(&self, task: impl Future<Output = Result<(), Error>> + Send + 'static) {
        let closing = self.closing.clone();
        // An error means that the client has gone.
        self.tasks.spawn(async move { closing.run_until_cancelled(task).await });
    }

    fn session(&self, id: &str) -> Result<Handle, Error> {
        let session = self.sessions().get(id).cloned().ok_or_else(|| no_session(id))?;
        session.failure().map_or(Ok(session), Err)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<Arc<str>, Handle>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn client(&self) -> MutexGuard<'_, Option<ClientCapabilities>> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn loaded(opened: NewSessionResponse) -> LoadSessionResponse {
    LoadSessionResponse::new().modes(opened.modes).config_options(opened.config_options)
}

fn resumed(opened: NewSessionResponse) -> ResumeSessionResponse {
    ResumeSessionResponse::new().modes(opened.modes).config_options(opened.config_options)
}

/// Runs work on files outside of the runtime's thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    spawn_blocking(work).await.map_err(Error::into_internal_error)?
}

fn unknown(field: &str) -> Error {
    invalid(format!("`{field}` is not one of those offered"))
}

/// How long the client may take to read the last lines after it has ended its side.
const READ_LIMIT: Duration = Duration::from_secs(2);
/// How long ending all sessions may take after that.
const CLOSE_LIMIT: Duration = Duration::from_secs(8);
