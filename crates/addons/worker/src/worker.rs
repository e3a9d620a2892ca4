//! The worker: the sessions of one process, behind fences and within limits.

mod state;

use std::{
    fmt, slice,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use agentwire::{
    hooks::HooksError,
    protocol::{ToolUseId, message::UserInput},
};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until, timeout},
};

use crate::{
    admission::AdmissionNumbers,
    command::{Command, View},
    config::{WorkerConfig, approvals_hook},
    launch::ENDING,
    machine::Phase,
    patient_store::PatientStore,
    recovery::{Recovery, RecoveryError},
    session_task::SessionTask,
    turn::{Answer, Fence, Question, SessionName, TurnInput, TurnSpec},
};
pub(crate) use state::Room;
use state::{SessionHandle, State, Use};

/// A worker, which runs turns of sessions, each session in a CLI process.
///
/// Clones refer to the same worker. When the last one is dropped, all processes end.
#[derive(Clone)]
pub struct Worker {
    shared: Arc<Shared>,
}

/// The answer to [`Worker::start`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "an engine must handle each answer")]
pub enum Start {
    /// The turn has been started, now or by an earlier call with the same fence. Its end is reported.
    Started,
    /// There is no room, the session runs another turn, or the worker drains. The turn may be started elsewhere, or
    /// here later.
    Busy,
    /// The fence is of an earlier run of the worker or of an earlier turn, or was cancelled. The turn may have run.
    Lost,
}

/// The numbers of a [`Worker`], for metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerNumbers {
    /// The slots and their use.
    pub admission: AdmissionNumbers,
    /// The number of running turns, without those that wait for a person.
    pub running: usize,
    /// How many turns wait for a person.
    pub asking: usize,
    /// How many processes wait for a turn.
    pub idle: usize,
}

/// An error of a [`Worker`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The lease is too short to end all processes within half of it.
    #[error("a lease of {lease:?} is too short: the processes need {ENDING:?} to end, within half of it")]
    Lease {
        /// The lease.
        lease: Duration,
    },
    /// A name in [`WorkerConfig::approvals`] is not the name of a tool, so the intended tool would run without a
    /// question.
    #[error("`{name}` in the approvals is not the name of a tool: {why}")]
    Approvals {
        /// The name.
        name: String,
        /// The reason.
        why: String,
    },
}

impl Worker {
    /// Starts a worker with these settings, in a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`WorkerError::Lease`] if the lease is too short to end processes within half of it, and
    /// [`WorkerError::Approvals`] if a name of [`WorkerConfig::approvals`] is not the name of a tool.
    pub fn new(mut config: WorkerConfig) -> Result<Self, WorkerError> {
        for name in &config.approvals {
            approvals_hook(slice::from_ref(name)).check().map_err(|error| no_tool(name, error))?;
        }
        if let Some(lease) = config.lease.filter(|lease| *lease < ENDING * 2) {
            return Err(WorkerError::Lease { lease });
        }
        config.store = Arc::new(PatientStore::new(config.store, &config.options));
        let lease = config.lease;
        let freed = Mutex::new(config.admission.freed());
        let shared = Arc::new(Shared { config: Arc::new(config), state: Mutex::new(State::new()), freed });
        if let Some(lease) = lease {
            let watched = Arc::downgrade(&shared);
            shared.state().watchdog.spawn(async move {
                while let Some(shared) = watched.upgrade() {
                    let due = shared.state().renewed + lease / 2;
                    if due <= Instant::now() {
                        let mut state = shared.state();
                        if !state.handles.is_empty() {
                            let sessions = state.handles.len();
                            tracing::warn!("the lease was not renewed: ending {sessions} sessions");
                        }
                        state.abort_all();
                    }
                    drop(shared);
                    sleep_until(due).await;
                }
            });
        }
        Ok(Self { shared })
    }

    /// Returns a fence for a turn of a session on this run of the worker.
    ///
    /// `epoch` is the number of the turn in its session. An engine stores the fence before it starts the turn. A turn
    /// whose number does not follow that of the process's last turn gets a new process, since another worker may have
    /// run the turns between.
    pub fn fence(&self, session: &SessionName, epoch: u64) -> Fence {
        let mut state = self.shared.state();
        state.fences += 1;
        Fence { session: session.clone(), epoch, boot: state.boot.clone(), number: state.fences }
    }

    /// Starts a turn, at most once for each fence.
    pub fn start(&self, fence: &Fence, spec: &TurnSpec) -> Start {
        let mut state = self.shared.state();
        let state = &mut *state;
        match state.used.get(&fence.number) {
            _ if fence.boot != state.boot || fence.number <= state.forgotten => return Start::Lost,
            Some(Use::Started) => return Start::Started,
            Some(Use::Refused) => return Start::Lost,
            None => {}
        }
        let start = self.try_start(state, fence, spec);
        match start {
            Start::Started => state.remember(fence.number, Use::Started),
            Start::Lost => state.remember(fence.number, Use::Refused),
            Start::Busy => {}
        }
        start
    }

    /// Starts the turn of a fence that was not used.
    fn try_start(&self, state: &mut State, fence: &Fence, spec: &TurnSpec) -> Start {
        if state.is_draining || Instant::now() < state.blocked {
            return Start::Busy;
        }
        let turn = Box::new((fence.clone(), spec.clone()));
        if let Some(handle) = state.handles.get(&fence.session) {
            let mut view = handle.view();
            if handle.is_open(&view) {
                if view.is_busy || handle.commands.capacity() == 0 {
                    return Start::Busy;
                }
                if view.fence.as_ref().is_some_and(|last| last.epoch >= fence.epoch) {
                    return Start::Lost;
                }
                view.is_busy = handle.commands.try_send(Command::Start(turn)).is_ok();
                if !view.is_busy {
                    return Start::Busy;
                }
                (view.accepted, view.is_stopped, view.ends_for) = (fence.number, false, None);
                return Start::Started;
            }
        }
        let Some(slot) = self.shared.config.admission.take() else {
            state.evict(&fence.session);
            return Start::Busy;
        };
        let (commands, receiver) = mpsc::channel(COMMANDS);
        let view = Arc::new(Mutex::new(View::new(fence.number)));
        let task =
            SessionTask::new(Arc::clone(&self.shared.config), fence.session.clone(), Arc::clone(&view), slot);
        if commands.try_send(Command::Start(turn)).is_err() {
            return Start::Busy;
        }
        state.handles.retain(|_, handle| !handle.commands.is_closed());
        state.reporting.retain(|commands| !commands.is_closed());
        while state.tasks.try_join_next().is_some() {}
        state.tasks.spawn(task.run(receiver));
        let replaced = state.handles.insert(fence.session.clone(), SessionHandle { commands, view });
        state.reporting.extend(replaced.map(|handle| handle.commands));
        Start::Started
    }

    /// Returns whether a turn has room. If it needs the slot of another session, an idle process ends for it.
    pub(crate) fn make_room(&self, session: &SessionName) -> Room {
        self.shared.state().make_room(session, &self.shared.config.admission)
    }

    /// Waits until a process has ended since the last call, so that a turn that was [`Start::Busy`] may have room.
    /// For one caller at a time.
    pub async fn room(&self) {
        let lock = || self.shared.freed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut freed = lock().clone();
        // The sender lives as long as the configuration.
        let _ = freed.changed().await;
        *lock() = freed;
    }

    /// Ends the turn of a fence and its process, or prevents the start of the turn. Returns whether the end of the turn is
    /// reported, or was.
    ///
    /// A turn of an earlier run of the worker counts as reported: the engine reports it as lost.
    pub fn cancel(&self, fence: &Fence) -> bool {
        let mut state = self.shared.state();
        if state.alive(fence) {
            state.stop(&fence.session);
            return true;
        }
        let is_reported = fence.boot != state.boot || state.used.get(&fence.number) == Some(&Use::Started);
        if !is_reported {
            state.remember(fence.number, Use::Refused);
        }
        is_reported
    }

    /// Returns whether the turn of this fence runs here.
    pub fn alive(&self, fence: &Fence) -> bool {
        self.shared.state().alive(fence)
    }

    /// Returns the phase of a session on this worker, and its open questions.
    pub fn phase(&self, session: &SessionName) -> (Phase, Vec<Question>) {
        let state = self.shared.state();
        state.handles.get(session).map_or((Phase::Cold, Vec::new()), |handle| {
            let view = handle.view();
            (view.phase, view.questions.clone())
        })
    }

    /// Answers an open question, and returns whether a turn of the session runs here. If 64 requests for the turn wait,
    /// `answer`, `interrupt` and `steer` return `false` too, and do nothing.
    ///
    /// A question that has just been parked takes no answer: the engine keeps the answer, and starts a turn with it
    /// ([`TurnSpec::answers`]) once the turn is reported as parked.
    pub fn answer(&self, session: &SessionName, question: &ToolUseId, answer: Answer) -> bool {
        self.command(session, Command::Answer(question.clone(), answer))
    }

    /// Interrupts the running turn, which then ends. Prompts that were sent into it and wait are dropped. Returns
    /// whether a turn runs here.
    pub fn interrupt(&self, session: &SessionName) -> bool {
        self.command(session, Command::Interrupt)
    }

    /// Sends a prompt into the running turn, by its priority. Returns whether a turn runs here.
    ///
    /// A prompt that comes while the process starts follows the prompt of the turn. If the CLI answers a prompt after the
    /// result of the turn, the turn goes on, and its outcome is that answer. After the end of the turn, or while it is
    /// parked, a prompt is dropped, and so is one that waits in the CLI when a question is parked.
    pub fn steer(&self, session: &SessionName, prompt: UserInput) -> bool {
        self.command(session, Command::Steer(Box::new(prompt)))
    }

    /// Ends the running turn and its process, also if many requests wait. Returns whether a turn runs here.
    pub fn stop(&self, session: &SessionName) -> bool {
        self.shared.state().stop(session)
    }

    /// Renews the lease: no other worker takes over the sessions until the length of a lease has passed since `sent`.
    ///
    /// `sent` is when the request to the engine was sent, since the answer may have been late.
    pub fn renew(&self, sent: std::time::Instant) {
        let mut state = self.shared.state();
        state.renewed = state.renewed.max(sent.into());
    }

    /// Ends all processes without a report, as at the end of the lease: for an engine that reports the turns as lost.
    pub fn expire(&self) {
        self.shared.state().abort_all();
    }

    /// Returns the id of this run of the worker, which its fences name. A lost lease changes it.
    pub fn boot(&self) -> Box<str> {
        self.shared.state().boot.clone()
    }

    /// Reads the state of a turn of a lost worker from the store; see [`Recovery::of`].
    ///
    /// # Errors
    ///
    /// [`RecoveryError`].
    pub async fn recovery(
        &self,
        session: &SessionName,
        input: &TurnInput,
    ) -> Result<Recovery, RecoveryError> {
        Recovery::of(&self.shared.config.store, session, input).await
    }

    /// Starts no further turn, parks open questions, waits `grace` for running turns, ends the others, and returns when
    /// all processes have ended and all turns are reported. A report that can't be delivered delays it without a limit: set
    /// one if the program must end.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the worker still takes no further turns.
    pub async fn drain(&self, grace: Duration) {
        let sessions: Vec<_> = {
            let mut state = self.shared.state();
            state.is_draining = true;
            let handles = state.handles.values().map(|handle| &handle.commands);
            handles.chain(&state.reporting).cloned().collect()
        };
        let ended = async |command: fn() -> Command| {
            for session in &sessions {
                // An error means that the session has ended.
                let _ = session.send(command()).await;
            }
            for session in &sessions {
                session.closed().await;
            }
        };
        if timeout(grace, ended(|| Command::Finish)).await.is_err() {
            ended(|| Command::Drain).await;
        }
    }

    /// Returns the current numbers.
    pub fn numbers(&self) -> WorkerNumbers {
        let admission = self.shared.config.admission.numbers();
        let mut numbers = WorkerNumbers { admission, running: 0, asking: 0, idle: 0 };
        for handle in self.shared.state().handles.values() {
            let view = handle.view();
            match view.phase {
                Phase::Running => numbers.running += 1,
                Phase::Asking | Phase::Parking => numbers.asking += 1,
                Phase::Idle => numbers.idle += 1,
                _ => {}
            }
        }
        numbers
    }

    fn command(&self, session: &SessionName, command: Command) -> bool {
        self.shared.state().command(session, command)
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("numbers", &self.numbers()).finish_non_exhaustive()
    }
}

fn no_tool(name: &str, error: HooksError) -> WorkerError {
    let why = match error {
        HooksError::Matcher { why, .. } => why,
        other => other.to_string(),
    };
    WorkerError::Approvals { name: name.to_owned(), why }
}

struct Shared {
    config: Arc<WorkerConfig>,
    state: Mutex<State>,
    /// Remembers which freed slots [`Worker::room`] has reported.
    freed: Mutex<watch::Receiver<()>>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many commands may wait for a session.
const COMMANDS: usize = 64;
