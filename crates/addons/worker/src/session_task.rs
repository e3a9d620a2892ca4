//! The task of one session: it runs the machine, and owns the process.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agentwire::{
    Incoming, Message, Session, TurnResult,
    protocol::{
        ToolUseId,
        message::{TerminalReason, UserInput},
    },
};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep, sleep_until},
};

use crate::{
    admission::Slot,
    awaited::Awaited,
    command::{Command, View, stopped},
    config::Config,
    gate::{Asked, Gate, Verdict},
    interrupt::{interrupt, interrupted},
    launch::{ENDING, connect, failed, notice},
    machine::{Effect, Ending, Event, Machine},
    observers::Observers,
    outcome::{Outcome, TurnEnd},
    recovery::Recovery,
    turn::{Fence, SessionName, TurnInput, TurnSpec, Way},
};

pub(crate) struct SessionTask {
    config: Arc<Config>,
    name: SessionName,
    observers: Observers,
    view: Arc<Mutex<View>>,
    machine: Machine,
    zero: Instant,
    gate: Gate,
    asked: mpsc::Receiver<Asked>,
    verdicts: HashMap<ToolUseId, oneshot::Sender<Verdict>>,
    session: Option<Session>,
    /// Whether the process has a budget, secrets or a revision of its first turn.
    is_of_one_turn: bool,
    /// The turn to start.
    spec: Option<TurnSpec>,
    fence: Option<Fence>,
    /// The running turn.
    turn: Option<TurnSpec>,
    awaited: Awaited,
    /// The prompt about grants, which follows the end of the deferred tool use.
    notice: Option<String>,
    /// The time by which a resumed CLI should have asked for its deferred tool use.
    resumed: Option<Instant>,
    result: Option<Box<TurnResult>>,
    failure: String,
    /// The cost of the process before the turn.
    spent: f64,
    /// The slot of the process, until it has ended.
    slot: Option<Slot>,
}

impl SessionTask {
    pub(crate) fn new(config: Arc<Config>, name: SessionName, view: Arc<Mutex<View>>, slot: Slot) -> Self {
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
            is_of_one_turn: false,
            spec: None,
            fence: None,
            turn: None,
            awaited: Awaited::default(),
            notice: None,
            resumed: None,
            result: None,
            failure: String::new(),
            spent: 0.0,
            slot: Some(slot),
        }
    }

    /// Runs until the session has no process.
    pub(crate) async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        loop {
            let event = self.next(&mut commands).await;
            for event in self.withdrawn().into_iter().chain(event) {
                self.apply(event, &mut commands).await;
            }
            if self.released() {
                return;
            }
        }
    }

    /// Waits for the machine's next event. Returns `None` for an occurrence that the machine need not handle.
    async fn next(&mut self, commands: &mut mpsc::Receiver<Command>) -> Option<Event> {
        let deadline = self.machine.deadline().map(|deadline| self.zero + deadline);
        let resumed = self.resumed;
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
                if std::mem::replace(&mut self.is_of_one_turn, is_of_one_turn) || is_of_one_turn {
                    self.close().await;
                }
                (self.fence, self.spec) = (Some(fence), Some(spec));
                Some(Event::Start)
            }
            Command::Answer(id, answer) => Some(Event::Answered(id, answer)),
            Command::Stop => Some(Event::Stop),
            Command::Finish => Some(Event::Finish),
            Command::Drain => Some(Event::Drain),
            Command::Evict => Some(Event::Evict),
            Command::Interrupt => {
                interrupt(self.session.as_ref()).await;
                None
            }
            Command::Steer(prompt) => {
                if let (true, Some(session)) = (self.machine.in_turn(), &self.session)
                    && let Err(error) = session.send(*prompt).await
                {
                    tracing::warn!(session = %self.name, "a prompt for a running turn was not sent: {error}");
                }
                None
            }
        }
    }

    async fn ask(&mut self, asked: Asked) -> Event {
        let Asked { question, verdict } = asked;
        self.observers.question(&question).await;
        self.verdicts.insert(question.id.clone(), verdict);
        Event::Asked(question)
    }

    async fn received(&mut self, incoming: Option<Result<Incoming, agentwire::Error>>) -> Option<Event> {
        let incoming = match incoming {
            Some(Ok(incoming)) => incoming,
            Some(Err(error)) => {
                self.failure = failed(&error);
                return None;
            }
            None => {
                if self.failure.is_empty() {
                    "the CLI ended in the turn".clone_into(&mut self.failure);
                }
                return Some(Event::Gone);
            }
        };
        self.observers.message(&incoming).await;
        if !self.awaited.is_answered_by(&incoming) {
            return None;
        }
        if let Some(notice) = self.notice.take() {
            return self.send(UserInput::new(notice)).await;
        }
        // A result that can't be read, or never comes, ends the turn too.
        self.result = match incoming {
            Incoming::Message(Message::Result(result), _) => Some(result),
            _ => None,
        };
        let is_deferred = |result: &TurnResult| result.terminal_reason == Some(TerminalReason::ToolDeferred);
        Some(Event::Result { deferred: self.result.as_deref().is_some_and(is_deferred) })
    }

    /// Returns the questions that the CLI has withdrawn.
    fn withdrawn(&mut self) -> Vec<Event> {
        let gone: Vec<_> = self
            .verdicts
            .iter()
            .filter(|(_, verdict)| verdict.is_closed())
            .map(|(id, _)| id.clone())
            .collect();
        gone.into_iter()
            .map(|id| {
                self.verdicts.remove(&id);
                Event::Withdrawn(id)
            })
            .collect()
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
            Effect::Defer(id) => self.decide(&id, Verdict::Defer),
            Effect::Interrupt => interrupt(self.session.as_ref()).await,
            Effect::Close => self.close().await,
            Effect::Report(ending) => self.report(ending).await,
        }
        None
    }

    /// Starts the process unless one waits, then the turn.
    async fn launch(&mut self, commands: &mut mpsc::Receiver<Command>) -> Option<Event> {
        let spec = self.spec.take()?;
        (self.result, self.notice, self.resumed, self.failure) = (None, None, None, String::new());
        self.awaited.start(None);
        self.observers.started(self.fence.as_ref()?, &spec.input).await;
        self.turn = Some(spec.clone());
        // A resumed CLI may ask for its tool use before `connect` returns.
        self.gate.grant(&spec.input);
        if self.session.is_none() {
            let connect = connect(&self.config, &self.name, &self.gate, &spec);
            tokio::select! {
                session = connect => match session {
                    Ok(session) => (self.session, self.spent) = (Some(session), 0.0),
                    Err(why) => return self.gone(why),
                },
                event = stopped(commands) => {
                    // A process that was starting ends within this time.
                    sleep(ENDING).await;
                    return Some(event);
                }
            }
        }
        match spec.input {
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
            Err(error) => self.gone(failed(&error)),
        }
    }

    fn gone(&mut self, why: String) -> Option<Event> {
        self.failure = why;
        Some(Event::Gone)
    }

    fn decide(&mut self, id: &ToolUseId, verdict: Verdict) {
        if let Some(sender) = self.verdicts.remove(id) {
            // The callback may have been withdrawn just now.
            let _ = sender.send(verdict);
        }
    }

    /// Ends the process, and waits until it is gone.
    async fn close(&mut self) {
        self.verdicts.clear();
        let Some(mut session) = self.session.take() else { return };
        if self.turn.is_some() && self.result.is_none() {
            // The CLI records the end of the turn, and a running tool ends. The result has the cost.
            self.result = interrupted(&mut session, &mut self.observers).await;
        }
        if let Err(error) = session.close().await {
            tracing::debug!(session = %self.name, "the session ended with: {error}");
        }
    }

    async fn report(&mut self, ending: Ending) {
        let Some(fence) = self.fence.clone() else { return };
        let result = self.result.take();
        let total = result.as_ref().map_or(self.spent, |result| result.total_cost_usd);
        let cost_usd = (total - self.spent).max(0.0);
        self.spent = total;
        let outcome = match ending {
            Ending::Done => result.map_or_else(
                || self.awaited.without_result(),
                |result| Outcome::Done {
                    is_error: result.is_error,
                    text: result.result.unwrap_or_else(|| result.errors.join("\n")),
                },
            ),
            Ending::Parked(questions) => Outcome::Parked(questions),
            Ending::Cancelled => Outcome::Cancelled,
            Ending::Drained => Outcome::Drained,
            Ending::Interrupted => {
                let why = std::mem::take(&mut self.failure);
                self.interrupted(why).await
            }
        };
        let revision = match self.config.workspace.snapshot(&self.name).await {
            Ok(revision) => revision,
            Err(error) => {
                tracing::warn!(session = %self.name, "the workspace was not stored: {error}");
                None
            }
        };
        self.config.admission.observe();
        // The engine may start the next turn within the callback.
        self.view.lock().unwrap_or_else(PoisonError::into_inner).is_busy = false;
        self.released();
        let ticket = self.turn.take().and_then(|turn| turn.ticket);
        self.observers.ended(TurnEnd { fence, outcome, cost_usd, revision, ticket }).await;
    }

    /// Returns the outcome of a turn that was cut, as far as the store shows.
    async fn interrupted(&self, why: String) -> Outcome {
        let Some(TurnSpec { input, .. }) = &self.turn else {
            return Outcome::Interrupted { why, state: Recovery::Unstarted };
        };
        match Recovery::of(&self.config.store, &self.name, input).await {
            Ok(state) => Outcome::Interrupted { why, state },
            // It may have begun.
            Err(error) => Outcome::Interrupted {
                why: format!("{why}; {error}"),
                state: Recovery::Interrupted { tools: Vec::new() },
            },
        }
    }

    /// Frees the slot if the process has ended and no turn is accepted, and returns whether this is so.
    fn released(&mut self) -> bool {
        if self.session.is_none() {
            let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
            if !view.is_busy {
                view.is_closed = true;
                self.slot = None;
            }
        }
        self.slot.is_none()
    }

    fn publish(&self) {
        let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
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
