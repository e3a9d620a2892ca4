//! A running session: prompts in, updates out.

mod asking;
mod handle;

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use agent_client_protocol::{
    Error,
    v1::{
        Responder,
        schema::{
            CompleteElicitationNotification, PromptResponse, RequestId, SessionInfoUpdate, SessionUpdate,
            StopReason,
        },
    },
};
use agentwire::{
    Block, Incoming, Message, Options, Session, System,
    protocol::{
        Uuid,
        control::GetSettings,
        message::{Origin, PlainOrigin, UserInput},
        session_info::SessionMessage,
    },
};
use futures_util::FutureExt as _;
use tokio::{
    sync::{mpsc, oneshot},
    task::coop::unconstrained,
    time::{Instant, sleep_until, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    config::Config,
    failure::{internal, invalid, not_logged_in},
    features::Features,
    mapping::{Mapping, available_commands},
    outbox::Outbox,
    settings::Settings,
    turns::Turns,
};
use asking::Asking;
pub(crate) use handle::Handle;

/// A request to the task of a session.
#[derive(Debug)]
enum Command {
    Prompt(Vec<Block>, Box<Responder<PromptResponse>>),
    /// Cancels the turn; with a request id, only if a prompt with this id waits for its answer.
    Cancel(Option<RequestId>),
    /// Answers when everything that the CLI has sent so far is shown.
    Flush(oneshot::Sender<()>),
}

/// The task of a session.
pub(crate) struct Live {
    session: Session,
    mapping: Mapping,
    /// Whether the client opens pages for MCP servers.
    pages: bool,
    /// How many warnings of the session were read.
    warned: usize,
    turns: Turns,
    responders: HashMap<Uuid, Responder<PromptResponse>>,
    /// Prompts that wait until the CLI has answered the last one.
    held: VecDeque<(Vec<Block>, Responder<PromptResponse>)>,
    commands: mpsc::Receiver<Command>,
    handle: Handle,
    tasks: TaskTracker,
}

impl Live {
    /// Starts the CLI.
    pub(crate) async fn start(
        id: Arc<str>,
        options: Options,
        settings: &Settings,
        features: Features,
        outbox: Outbox,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) -> Result<Self, Error> {
        let (sender, commands) = mpsc::channel(COMMANDS);
        let asking = Asking {
            session: Arc::clone(&id),
            outbox: outbox.clone(),
            commands: sender.clone(),
            features: features.clone(),
        };
        let session = Session::builder()
            .options(options)
            .permissions(asking.clone().permissions())
            .elicitation(asking.elicitation())
            .grace(GRACE, GRACE / 2)
            .connect()
            .await
            .map_err(start_error)?;
        let mut config = Config::of(session.initialized(), settings.allow_bypass);
        // The handshake does not name the model of the settings, or of a stored conversation. Without an answer, the
        // first turn names it.
        let active = session.control().within(SETTINGS_LIMIT).call(&GetSettings::default()).await;
        if let Some(model) = active.ok().and_then(|reply| reply.applied?.model) {
            config.used_model(&model);
        }
        let handle = Handle {
            id,
            commands: sender,
            control: session.control().clone(),
            config: Arc::new(Mutex::new(config)),
            outbox,
            stop,
            ended: CancellationToken::new(),
            failure: Arc::default(),
        };
        let (pages, mapping) = (features.pages, Mapping::new(features));
        Ok(Self {
            session,
            mapping,
            pages,
            warned: 0,
            turns: Turns::default(),
            responders: HashMap::new(),
            held: VecDeque::new(),
            commands,
            handle,
            tasks,
        })
    }

    /// Returns the handle of the session.
    pub(crate) fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Reads a stored conversation, on which later updates depend, and shows it again if `shows` is set.
    pub(crate) async fn replay(&mut self, messages: &[SessionMessage], shows: bool) {
        let shown = |updates: Vec<_>| if shows { updates } else { Vec::new() };
        for message in messages {
            let updates = self.mapping.stored(message);
            self.handle.show(shown(updates)).await;
        }
        // The turns of these calls are over.
        let updates = self.mapping.end_turn();
        self.handle.show(shown(updates)).await;
    }

    /// Runs until the CLI ends, or the session is stopped, which interrupts its turn, and then waits for the CLI's exit.
    pub(crate) async fn run(mut self) {
        self.handle.show(vec![available_commands(&self.session.initialized().commands)]).await;
        let stop = self.handle.stop.clone();
        let why = tokio::select! {
            () = stop.cancelled() => None,
            why = self.serve() => Some(why),
        };
        let Self { session, mut mapping, mut responders, held, mut commands, handle, .. } = self;
        if let Some(why) = &why {
            let _ = handle.failure.set(why.clone());
        }
        let report = async {
            // A client that does not read must not keep the session.
            let _ = timeout(GRACE, handle.show(mapping.end_session())).await;
            // Prompts that wait get the same answer as those that were sent.
            commands.close();
            let mut waiting: Vec<_> = responders.drain().map(|(_, responder)| responder).collect();
            waiting.extend(held.into_iter().map(|(_, responder)| responder));
            while let Ok(command) = commands.try_recv() {
                if let Command::Prompt(_, responder) = command {
                    waiting.push(*responder);
                }
            }
            for responder in waiting {
                let _ = match &why {
                    Some(why) => responder.respond_with_error(internal(why.clone())),
                    None => responder.respond(PromptResponse::new(StopReason::Cancelled)),
                };
            }
        };
        let interrupt = async {
            // If only its input ended, the CLI would continue its turn for the whole grace period.
            if why.is_none() {
                let _ = handle.control.interrupt_and_cancel_queued().await;
            }
        };
        // Each prompt gets an answer, so errors here can be ignored. The interrupt is queued before the input ends.
        let _ = tokio::join!(biased; interrupt, session.close(), report);
    }

    /// Serves until the CLI ends, and returns the reason.
    async fn serve(&mut self) -> String {
        loop {
            let cancelled = self.turns.cancelled_at();
            let answer_by = cancelled.unwrap_or_else(Instant::now) + CANCEL_LIMIT;
            tokio::select! {
                incoming = self.session.next() => match incoming {
                    Some(Ok(incoming)) => self.receive(&incoming).await,
                    ended => return end_reason(ended),
                },
                Some(command) = self.commands.recv() => {
                    if let Err(why) = self.obey(command).await {
                        return why;
                    }
                }
                () = sleep_until(answer_by), if cancelled.is_some() => {
                    for prompt in cancelled.map(|at| self.turns.drain_cancelled(at)).unwrap_or_default() {
                        self.answer(&prompt, Ok(StopReason::Cancelled));
                    }
                    self.send_held().await;
                }
            }
        }
    }

    /// Shows the new warnings of the session that no session of the connection has shown. The start of a turn may add
    /// some.
    ///
    /// They wait for a prompt, because some clients show no text outside of a turn.
    async fn show_warnings(&mut self) {
        if self.responders.is_empty() {
            return;
        }
        let warnings = self.session.warnings();
        let new = warnings[self.warned..].iter().filter(|warning| self.handle.outbox.is_first(warning));
        let new = new.filter_map(|warning| self.mapping.warning(warning)).collect();
        self.warned = warnings.len();
        self.handle.show(new).await;
    }

    async fn receive(&mut self, incoming: &Incoming) {
        self.show_warnings().await;
        let Some(message) = incoming.message() else { return };
        if let Message::System(System::ElicitationComplete(done)) = message
            && self.pages
        {
            let completed = CompleteElicitationNotification::new(done.elicitation_id.to_string());
            // A client that has gone needs no news.
            let _ = self.handle.outbox.client().send_notification(completed);
        }
        let is_reported = self.turns.will_report(message);
        let mut updates = if is_reported { Vec::new() } else { self.mapping.updates(message) };
        updates.extend(self.handle.config().updates(message));
        if matches!(message, Message::Result(_)) {
            let now = SessionInfoUpdate::new().updated_at(jiff::Timestamp::now().to_string());
            updates.push(SessionUpdate::SessionInfoUpdate(now));
        }
        self.handle.show(updates).await;
        for (prompt, outcome) in self.turns.settled(message) {
            self.answer(&prompt, outcome);
        }
        self.send_held().await;
    }

    /// Returns the reason as an error if the CLI has ended.
    async fn obey(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::Prompt(blocks, responder) => self.prompt(blocks, *responder).await,
            Command::Cancel(request) => {
                let mut waiting = self.responders.values().chain(self.held.iter().map(|(_, held)| held));
                if let Some(request) = request
                    && !waiting.any(|responder| *responder.id() == request)
                {
                    return Ok(());
                }
                self.turns.cancel();
                for (_, responder) in self.held.drain(..) {
                    let _ = responder.respond(PromptResponse::new(StopReason::Cancelled));
                }
                let control = self.handle.control.clone();
                let mut interrupt = Box::pin(async move { control.interrupt_and_cancel_queued().await });
                // The first poll queues the request, so that no later prompt is sent before it.
                if interrupt.as_mut().now_or_never().is_none() {
                    self.tasks.spawn(interrupt);
                }
            }
            Command::Flush(done) => {
                // Without the task's budget, which would hide the rest of the messages.
                while let Some(next) = unconstrained(self.session.next()).now_or_never() {
                    match next {
                        Some(Ok(incoming)) => self.receive(&incoming).await,
                        ended => return Err(end_reason(ended)),
                    }
                }
                let _ = done.send(());
            }
        }
        Ok(())
    }

    /// Sends a prompt, or keeps it until the last one is answered.
    async fn prompt(&mut self, blocks: Vec<Block>, responder: Responder<PromptResponse>) {
        if !self.turns.must_hold() {
            self.send(blocks, responder).await;
        } else if self.held.len() < COMMANDS {
            self.held.push_back((blocks, responder));
        } else {
            let _ = responder.respond_with_error(too_many());
        }
    }

    /// Sends the prompts that no longer wait for an answer.
    async fn send_held(&mut self) {
        while !self.turns.must_hold()
            && let Some((blocks, responder)) = self.held.pop_front()
        {
            self.send(blocks, responder).await;
        }
    }

    /// Sends a prompt. The CLI starts a turn with it, or a running turn absorbs it.
    async fn send(&mut self, blocks: Vec<Block>, responder: Responder<PromptResponse>) {
        let id = Uuid::from(uuid::Uuid::new_v4().to_string());
        self.turns.sent(id.clone());
        self.responders.insert(id.clone(), responder);
        self.show_warnings().await;
        let mut input = UserInput::from(blocks).with_uuid(id.clone());
        input.origin = Some(Origin::Human(PlainOrigin::default()));
        if let Err(error) = self.session.send(input).await {
            self.turns.not_sent(&id);
            self.answer(&id, Err(internal(error.report().to_string())));
        }
    }

    fn answer(&mut self, prompt: &Uuid, outcome: Result<StopReason, Error>) {
        let Some(responder) = self.responders.remove(prompt) else { return };
        // A client that has gone needs no answer.
        let _ = responder.respond_with_result(outcome.map(PromptResponse::new));
    }
}

/// Returns the reason for the end of the CLI's messages.
fn end_reason(ended: Option<Result<Incoming, agentwire::Error>>) -> String {
    match ended {
        Some(Err(error)) => error.report().to_string(),
        _ => "the CLI has ended".to_owned(),
    }
}

fn too_many() -> Error {
    invalid("too many prompts wait; await an answer")
}

fn start_error(error: agentwire::Error) -> Error {
    match error {
        agentwire::Error::NotLoggedIn { text, .. } => not_logged_in(&text),
        // `{:?}` has the remedy.
        other => internal(format!("{other:?}")),
    }
}

/// How many requests may wait for a session.
const COMMANDS: usize = 64;
/// How long the CLI may take to report its model, while the client waits for the session.
const SETTINGS_LIMIT: Duration = Duration::from_secs(5);
/// How long the CLI may take to exit.
const GRACE: Duration = Duration::from_secs(4);
/// How long the CLI may take to end a cancelled turn.
const CANCEL_LIMIT: Duration = Duration::from_secs(20);
