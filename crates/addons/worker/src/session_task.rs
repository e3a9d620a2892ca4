//! The task of one session: it runs the machine, and owns the process.

mod end;
mod messages;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use agentwire::{
    Session, TurnResult,
    protocol::{ToolUseId, message::UserInput},
};
use agentwire_net::error_chain;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep, sleep_until},
};

use crate::{
    admission::Slot,
    awaited::Awaited,
    command::{Command, View, stopped},
    config::WorkerConfig,
    gate::{Asked, Gate, Verdict},
    interrupt::{cancel_queued, interrupt},
    launch::{ENDING, is_unstarted, notice, prepare},
    machine::{Effect, Event, Machine, Phase},
    observers::Observers,
    panics::caught,
    turn::{Fence, SessionName, TurnInput, TurnSpec, Way},
};

pub(crate) struct SessionTask {
    config: Arc<WorkerConfig>,
    name: SessionName,
    observers: Observers,
    view: Arc<Mutex<View>>,
    machine: Machine,
    zero: Instant,
    gate: Gate,
    asked: mpsc::Receiver<Asked>,
    verdicts: HashMap<ToolUseId, oneshot::Sender<Verdict>>,
    session: Option<Session>,
    /// The warnings of the process that are logged.
    warned: Vec<String>,
    /// Whether the process can't run the next turn, for example because it has a budget or secrets of this one.
    is_of_one_turn: bool,
    fence: Option<Fence>,
    /// The running turn, from its acceptance to its report.
    turn: Option<TurnSpec>,
    awaited: Awaited,
    /// The prompt about grants, which follows the end of the deferred tool use.
    notice: Option<String>,
    /// The time by which a resumed CLI should have asked for its deferred tool use.
    resumed: Option<Instant>,
    result: Option<Box<TurnResult>>,
    /// The last result of a turn that goes on: with a prompt that was sent into it, or until the CLI is idle.
    earlier: Option<Box<TurnResult>>,
    /// When the CLI last sent a message or got an answer.
    last_activity: Instant,
    failure: String,
    /// Whether the CLI of the turn has not been started.
    is_unstarted: bool,
    /// The cost of the session before the turn; `None` before the first result of the process.
    spent: Option<f64>,
    /// The slot of the process, until it has ended.
    slot: Option<Slot>,
}

impl SessionTask {
    pub(crate) fn new(
        config: Arc<WorkerConfig>,
        name: SessionName,
        view: Arc<Mutex<View>>,
        slot: Slot,
    ) -> Self {
        let (sender, asked) = mpsc::channel(QUESTIONS);
        Self {
            machine: Machine::new(config.question_grace, config.ttl),
            observers: Observers::new(Arc::clone(&config), &name),
            config,
            name,
            view,
            zero: Instant::now(),
            gate: Gate::new(sender),
            asked,
            verdicts: HashMap::new(),
            session: None,
            warned: Vec::new(),
            is_of_one_turn: false,
            fence: None,
            turn: None,
            awaited: Awaited::default(),
            notice: None,
            resumed: None,
            result: None,
            earlier: None,
            last_activity: Instant::now(),
            failure: String::new(),
            is_unstarted: false,
            spent: None,
            slot: Some(slot),
        }
    }

    /// Runs until the session has no process.
    pub(crate) async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        while let Err(why) = caught("the session's task", self.events(&mut commands)).await {
            self.panicked(why, &mut commands).await;
        }
    }

    async fn events(&mut self, commands: &mut mpsc::Receiver<Command>) {
        loop {
            if self.released() {
                return;
            }
            let is_stopped = self.machine.in_turn() && self.view().is_stopped;
            let event = if is_stopped { Some(Event::Stop) } else { self.next(commands).await };
            for event in self.withdrawn().into_iter().chain(event) {
                self.apply(event, commands).await;
            }
        }
    }

    /// Waits for the machine's next event. Returns `None` for an occurrence that the machine need not handle.
    async fn next(&mut self, commands: &mut mpsc::Receiver<Command>) -> Option<Event> {
        let deadline = self.machine.deadline().and_then(|deadline| self.zero.checked_add(deadline));
        let (resumed, idle) = (self.resumed, self.idle_deadline());
        let incoming = async {
            match &mut self.session {
                Some(session) => session.next().await,
                None => std::future::pending().await,
            }
        };
        let at = async |deadline: Option<Instant>| match deadline {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        };
        tokio::select! {
            biased;
            command = commands.recv() => self.command(command?).await,
            asked = self.asked.recv() => Some(self.ask(asked?).await),
            incoming = incoming => self.received(incoming).await,
            () = at(deadline) => Some(Event::Tick),
            () = at(idle) => Some(self.idle_timeout()),
            () = at(resumed) => {
                self.resumed = None;
                let answers = self.gate.answers_as_grants();
                match notice(&answers) {
                    Some(notice) => self.send(UserInput::new(notice)).await,
                    None => None,
                }
            }
        }
    }

    async fn command(&mut self, command: Command) -> Option<Event> {
        match command {
            Command::Start(turn) => {
                let (fence, spec) = *turn;
                // Options of a process can't be changed.
                let is_of_one_turn =
                    spec.budget_usd.is_some() || !spec.secrets.is_empty() || spec.revision.is_some();
                // Another worker may have run the turns between, which the process does not know.
                let is_next =
                    self.fence.as_ref().is_none_or(|last| last.epoch.checked_add(1) == Some(fence.epoch));
                // The CLI would silently ignore a prompt that it has. A resumed CLI reports that it has it.
                let is_known = match (&spec.input, &self.session) {
                    (TurnInput::Prompt { id, .. }, Some(session)) => {
                        session.control().prompt_state(id).is_some()
                    }
                    _ => false,
                };
                let was_of_one_turn = std::mem::replace(&mut self.is_of_one_turn, is_of_one_turn);
                if was_of_one_turn || is_of_one_turn || is_known || !is_next {
                    self.close().await;
                }
                (self.fence, self.turn, self.is_unstarted) =
                    (Some(fence), Some(spec), self.session.is_none());
                Some(Event::Start)
            }
            Command::Answer(id, answer) => Some(Event::Answered(id, answer)),
            Command::Stop => None,
            Command::Finish => Some(Event::Finish),
            Command::Drain => Some(Event::Drain),
            Command::Evict => Some(Event::Evict),
            Command::Interrupt => {
                // The turn ends with the result of the interrupt, so no grant may start another prompt.
                (self.notice, self.resumed) = (None, None);
                interrupt(self.session.as_ref()).await;
                None
            }
            Command::Steer(prompt) => {
                self.steer(*prompt).await;
                None
            }
        }
    }

    async fn steer(&mut self, prompt: UserInput) {
        // While the turn is parked, another prompt would make the CLI discard the deferred tool use.
        let is_open = matches!(self.machine.phase(), Phase::Running | Phase::Asking);
        let (true, Some(session)) = (is_open, &self.session) else { return };
        let is_note = prompt.should_query == Some(false);
        // The CLI ignores a prompt that it has got before.
        let is_known = prompt.uuid.as_ref().is_some_and(|id| session.control().prompt_state(id).is_some());
        self.last_activity = Instant::now();
        match session.send(prompt).await {
            Ok(_) if is_known => {}
            Ok(id) if is_note => self.awaited.note(id),
            Ok(id) => self.awaited.steer(id),
            Err(error) => {
                tracing::warn!(session = %self.name, "a prompt for a running turn was not sent: {error}");
            }
        }
    }

    async fn ask(&mut self, asked: Asked) -> Event {
        let Asked { question, verdict } = asked;
        self.observers.question(&question).await;
        self.verdicts.insert(question.id.clone(), verdict);
        Event::Asked(question)
    }

    /// Returns the questions that the CLI has withdrawn.
    fn withdrawn(&mut self) -> Vec<Event> {
        // The machine does not know a question that was withdrawn before `Event::Asked`.
        let open = self.machine.questions();
        let is_known = |id: &ToolUseId| open.iter().any(|question| question.id == *id);
        let gone = self.verdicts.extract_if(|id, verdict| verdict.is_closed() && is_known(id));
        let gone: Vec<Event> = gone.map(|(id, _)| Event::Withdrawn(id)).collect();
        if !gone.is_empty() {
            self.last_activity = Instant::now();
        }
        gone
    }

    async fn apply(&mut self, event: Event, commands: &mut mpsc::Receiver<Command>) {
        let mut next = Some(event);
        while let Some(event) = next.take() {
            let effects = self.machine.apply(self.zero.elapsed(), event);
            if self.machine.in_turn() {
                self.publish();
            }
            for effect in effects {
                next = self.execute(effect, commands).await;
            }
            self.publish();
        }
    }

    async fn execute(&mut self, effect: Effect, commands: &mut mpsc::Receiver<Command>) -> Option<Event> {
        match effect {
            Effect::Launch => return self.launch(commands).await,
            Effect::Decide(id, answer) => self.decide(&id, Verdict::Answer(answer)),
            Effect::Defer(id) => {
                cancel_queued(self.session.as_ref(), &self.awaited.forget_steered()).await;
                self.decide(&id, Verdict::Defer);
            }
            Effect::Interrupt => interrupt(self.session.as_ref()).await,
            Effect::Close => self.close().await,
            Effect::Report(ending) => self.report(ending).await,
        }
        None
    }

    /// Starts the process unless one waits, then the turn.
    async fn launch(&mut self, commands: &mut mpsc::Receiver<Command>) -> Option<Event> {
        let spec = self.turn.clone()?;
        (self.result, self.notice, self.resumed, self.failure) = (None, None, None, String::new());
        self.awaited.start(None);
        self.awaited.forget_steered();
        self.observers.started(self.fence.as_ref()?, &spec.input).await;
        // A resumed CLI may ask for its tool use before `connect` returns.
        self.gate.grant(&spec.input);
        let (mut later, view) = (Vec::new(), Arc::clone(&self.view));
        if self.session.is_none() {
            let connect = async {
                let builder = prepare(&self.config, &self.name, &self.gate, &spec).await?;
                self.is_unstarted = false;
                builder.connect().await.map_err(|error| {
                    self.is_unstarted = is_unstarted(&error);
                    error_chain(&error)
                })
            };
            tokio::select! {
                session = connect => match session {
                    Ok(session) => {
                        (self.session, self.spent, self.warned) = (Some(session), None, Vec::new());
                        self.log_warnings(&[]);
                    }
                    Err(why) => return self.gone(why),
                },
                event = stopped(commands, &view, &mut later) => {
                    // A process that was starting ends within this time.
                    sleep(ENDING).await;
                    return Some(event);
                }
            }
        }
        let mut event = self.begin(spec.input).await;
        for command in later {
            event = event.or(self.command(command).await);
        }
        event
    }

    /// Sends the input of a turn.
    async fn begin(&mut self, input: TurnInput) -> Option<Event> {
        match input {
            TurnInput::Prompt { id, text } => self.send(UserInput::new(text).with_uuid(id)).await,
            TurnInput::Answers(answers) => {
                let notice = notice(&answers);
                if answers.iter().any(|(question, _)| question.way == Way::Defer) {
                    (self.notice, self.resumed) = (notice, Some(Instant::now() + RESUMED));
                    return None;
                }
                self.send(UserInput::new(notice?)).await
            }
        }
    }

    async fn send(&mut self, prompt: UserInput) -> Option<Event> {
        match self.session.as_ref()?.send(prompt).await {
            Ok(id) => {
                self.awaited.start(Some(id));
                None
            }
            Err(error) => self.gone(error_chain(&error)),
        }
    }

    fn gone(&mut self, why: String) -> Option<Event> {
        self.failure = why;
        Some(Event::Gone)
    }

    fn view(&self) -> MutexGuard<'_, View> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self) {
        let mut view = self.view();
        view.fence.clone_from(&self.fence);
        view.questions = self.machine.questions().to_vec();
        if view.phase != self.machine.phase() {
            (view.phase, view.since) = (self.machine.phase(), Instant::now());
        }
    }
}

/// How many questions may wait before callbacks wait themselves.
const QUESTIONS: usize = 64;

/// How long a resumed CLI may take to ask for its deferred tool use. Measured: half a second.
const RESUMED: Duration = Duration::from_secs(30);
