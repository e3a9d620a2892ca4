//! Tracks turns: which prompt runs, and when the run is over.

use agentwire_protocol::{
    Message, System,
    message::{Assistant, AssistantError, BackgroundTasksChanged, SessionState, TurnResult},
};

/// What the messages tell of the run.
#[derive(Debug, Default)]
pub(super) struct TurnTracker {
    /// Whether a prompt waits for a result.
    ///
    /// Prompts that wait together may share a turn, so that they can't be counted against results.
    prompt_waits: bool,
    /// Whether the CLI has said that a turn begins, and no result came since.
    turn_runs: bool,
    /// Whether one of the prompts that wait has no id, so that it can't be known to be cancelled.
    nameless_waits: bool,
    /// Whether an interrupt was sent since the last prompt and the last result.
    interrupted: bool,
    /// How many prompts were sent.
    prompts: u64,
    /// How many results came.
    results: u64,
    /// Whether anything has come of a prompt.
    used: bool,
    /// Whether the CLI was given work: something was sent beside requests and answers, or a turn has begun by itself.
    given_work: bool,
    /// The last state that the CLI told, if it tells it at all.
    state: Option<SessionState>,
    /// The last result, where it was an error and no ordinary message followed.
    error_result: Option<Box<TurnResult>>,
    /// The kind of failure that the last message of the main conversation stands for.
    error_kind: Option<AssistantError>,
    /// Agents that work in the background, and the turn that the CLI starts when one has ended.
    agents: Agents,
    /// Whether the end of the run was told.
    told: bool,
}

/// Agents in the background, for a CLI that tells no state.
#[derive(Debug, Default)]
struct Agents {
    running: usize,
    /// Whether one has ended and its turn has not: the CLI wakes by itself to tell of it.
    to_be_told: bool,
}

impl TurnTracker {
    pub(super) fn prompt_sent(&mut self, has_id: bool) {
        self.prompt_waits = true;
        self.given_work = true;
        self.prompts += 1;
        self.nameless_waits |= !has_id;
        self.interrupted = false;
        self.told = false;
    }

    /// A line of the caller was sent, which may be a prompt.
    pub(super) fn line_sent(&mut self) {
        self.given_work = true;
    }

    pub(super) fn was_given_work(&self) -> bool {
        self.given_work
    }

    pub(super) fn interrupt_sent(&mut self) {
        self.interrupted = true;
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// Every prompt that has an id was answered, has failed or was cancelled.
    pub(super) fn prompts_settled(&mut self) {
        self.used = true;
        self.prompt_waits = self.nameless_waits;
    }

    pub(super) fn result(&mut self, result: Option<&TurnResult>) {
        (self.prompt_waits, self.nameless_waits, self.turn_runs) = (false, false, false);
        self.interrupted = false;
        self.results += 1;
        (self.used, self.given_work) = (true, true);
        self.agents.to_be_told = false;
        self.error_result = result.filter(|result| result.is_error).map(|result| Box::new(result.clone()));
    }

    /// Takes note of a message. Returns whether it ends a turn that had no `result`: the CLI goes idle behind the
    /// `result` of a turn, never before it.
    pub(super) fn message(&mut self, message: &Message) -> bool {
        match message {
            Message::System(System::SessionStateChanged(changed)) => {
                self.state = Some(changed.state.clone());
                if changed.state == SessionState::Idle {
                    return self.turn_runs;
                }
                self.given_work = true;
                self.told = false;
            }
            // It comes once for each turn, so this is the turn of a prompt that waited behind the last result.
            Message::System(System::Init(_)) => {
                (self.turn_runs, self.given_work) = (true, true);
                self.told = false;
                self.error_result = None;
            }
            Message::System(System::BackgroundTasksChanged(changed)) => self.agents.changed(changed),
            // The conversation went on, so an exit that follows is no echo of the old error.
            Message::Assistant(message) => {
                self.error_result = None;
                self.note_error(message);
            }
            Message::User(_) | Message::StreamEvent(_) => self.conversation(),
            _ => {}
        }
        false
    }

    /// The conversation went on, as above.
    pub(super) fn conversation(&mut self) {
        self.error_result = None;
    }

    /// Whether a turn is cut, if the session ends now.
    ///
    /// A CLI that is still busy after the result, or never said that it is not, has cut no turn.
    pub(super) fn in_turn(&self) -> bool {
        self.prompt_waits || self.turn_runs
    }

    fn note_error(&mut self, message: &Assistant) {
        if message.parent_tool_use_id.is_none() {
            self.error_kind.clone_from(&message.error);
        }
    }

    /// The last result, where it was an error and nothing followed it, and the kind of failure that came before it.
    pub(super) fn take_error(&mut self) -> (Option<Box<TurnResult>>, Option<AssistantError>) {
        let kind = self.error_kind.take().filter(|_| self.error_result.is_some());
        (self.error_result.take(), kind)
    }

    pub(super) fn turns_ended(&self) -> u64 {
        self.results
    }

    /// Whether each prompt has a result of its own; prompts that share a turn have not.
    pub(super) fn has_result_for_each(&self) -> bool {
        self.results >= self.prompts
    }

    /// Whether neither a turn nor an agent in the background is known to run, whatever state the CLI has told.
    #[cfg(feature = "driver")]
    pub(super) fn seems_over(&self) -> bool {
        !self.in_turn() && self.agents.are_done()
    }

    /// A result ends a turn, not the run: background agents hold the state at `running`.
    /// A CLI that tells no state is taken to be idle after a result when it tells of no agent in the background.
    pub(super) fn run_is_over(&self) -> bool {
        self.used && self.is_idle()
    }

    /// Whether no prompt waits for its result and the CLI is not known to be busy.
    pub(super) fn is_idle(&self) -> bool {
        let is_idle = match &self.state {
            Some(state) => *state == SessionState::Idle,
            None => self.agents.are_done(),
        };
        is_idle && !self.in_turn()
    }

    /// Whether the run is over and that was not told yet.
    pub(super) fn take_run_over(&mut self) -> bool {
        self.run_is_over() && !std::mem::replace(&mut self.told, true)
    }
}

impl Agents {
    /// Shells do not count: they ask nothing of us.
    fn changed(&mut self, changed: &BackgroundTasksChanged) {
        let running = changed.tasks.iter().filter(|task| task.task_type.ends_with("agent")).count();
        self.to_be_told |= running < self.running;
        self.running = running;
    }

    fn are_done(&self) -> bool {
        self.running == 0 && !self.to_be_told
    }
}
