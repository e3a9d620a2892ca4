//! Tracks turns: whether one runs, and when the run is over.

use agentwire_protocol::{
    Message, System,
    message::{Assistant, AssistantError, BackgroundTasksChanged, SessionState, TurnResult},
};

/// The state of the current turn and run, as the messages report it.
#[derive(Debug, Default)]
pub(super) struct TurnTracker {
    /// Whether a prompt has no result yet.
    ///
    /// A flag and no count: queued prompts may share a turn, and then share its result.
    awaits_result: bool,
    /// Whether the CLI has reported the start of a turn, and no result since.
    turn_runs: bool,
    /// Whether one of those prompts has no id, so that its cancellation would go unnoticed.
    awaits_result_without_id: bool,
    /// Whether an interrupt was sent since the last prompt and the last result.
    interrupted: bool,
    /// How many prompts were sent.
    prompts: u64,
    /// How many results arrived.
    results: u64,
    /// Whether a prompt was ever answered, failed or cancelled.
    has_run: bool,
    /// Whether a prompt or a raw line was sent, or the CLI started a turn on its own.
    given_work: bool,
    /// The last state that the CLI reported; 2.1.197 reports none.
    state: Option<SessionState>,
    /// The last result, if it was an error and no message of the conversation followed.
    error_result: Option<Box<TurnResult>>,
    /// The error kind of the last assistant message of the main conversation.
    error_kind: Option<AssistantError>,
    /// Background agents, and the turn that the CLI starts when one has ended.
    agents: BackgroundAgents,
    /// Whether the end of the run was reported.
    run_over_reported: bool,
}

/// The background agents, for a CLI that reports no session state.
#[derive(Debug, Default)]
struct BackgroundAgents {
    running: usize,
    /// Whether an agent has ended and the turn in which the CLI reports it has not.
    report_pending: bool,
}

impl TurnTracker {
    pub(super) fn prompt_sent(&mut self, has_id: bool) {
        self.awaits_result = true;
        self.given_work = true;
        self.prompts += 1;
        self.awaits_result_without_id |= !has_id;
        self.interrupted = false;
        self.run_over_reported = false;
    }

    /// Handles a line of the caller's, which may be a prompt.
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

    /// Handles the last open prompt with an id reaching a final state.
    pub(super) fn prompts_settled(&mut self) {
        self.has_run = true;
        self.awaits_result = self.awaits_result_without_id;
    }

    pub(super) fn result(&mut self, result: Option<&TurnResult>) {
        (self.awaits_result, self.awaits_result_without_id, self.turn_runs) = (false, false, false);
        self.interrupted = false;
        self.results += 1;
        (self.has_run, self.given_work) = (true, true);
        self.agents.report_pending = false;
        self.error_result = result.filter(|result| result.is_error).map(|result| Box::new(result.clone()));
    }

    /// Handles a message. Returns whether it ends a turn without a `result`: otherwise the CLI goes idle only after that.
    pub(super) fn message(&mut self, message: &Message) -> bool {
        match message {
            Message::System(System::SessionStateChanged(changed)) => {
                self.state = Some(changed.state.clone());
                if changed.state == SessionState::Idle {
                    return self.turn_runs;
                }
                self.given_work = true;
                self.run_over_reported = false;
            }
            // The CLI sends it once a turn, so a prompt that was queued behind the last result has started.
            Message::System(System::Init(_)) => {
                (self.turn_runs, self.given_work) = (true, true);
                self.run_over_reported = false;
                self.error_result = None;
            }
            Message::System(System::BackgroundTasksChanged(changed)) => self.agents.changed(changed),
            // An exit after this message is no consequence of the error result before it.
            Message::Assistant(message) => {
                self.error_result = None;
                self.note_error(message);
            }
            _ => {}
        }
        false
    }

    /// Handles a message of the conversation that is not decoded.
    pub(super) fn conversation_continued(&mut self) {
        self.error_result = None;
    }

    /// Returns whether the session would end in the middle of a turn if it ended now.
    ///
    /// After the result it would not, even if the CLI is still busy or never reported that it is idle.
    pub(super) fn in_turn(&self) -> bool {
        self.awaits_result || self.turn_runs
    }

    fn note_error(&mut self, message: &Assistant) {
        if message.parent_tool_use_id.is_none() {
            self.error_kind.clone_from(&message.error);
        }
    }

    /// Returns the last result, if it was an error and nothing followed it, and the error kind reported before it.
    pub(super) fn take_error(&mut self) -> (Option<Box<TurnResult>>, Option<AssistantError>) {
        let kind = self.error_kind.take().filter(|_| self.error_result.is_some());
        (self.error_result.take(), kind)
    }

    pub(super) fn turns_ended(&self) -> u64 {
        self.results
    }

    /// Returns whether there is a result for each prompt. Prompts that share a turn share a result.
    pub(super) fn has_result_for_each(&self) -> bool {
        self.results >= self.prompts
    }

    /// Returns whether no turn and no background agent is known to run, regardless of the reported state.
    pub(super) fn seems_over(&self) -> bool {
        !self.in_turn() && self.agents.are_done()
    }

    /// Returns whether the run is over: at least one turn has ended, and the CLI is idle.
    ///
    /// Background agents keep the reported state at `running` after a result. A CLI that reports no state counts as idle
    /// after a result if it lists no background agent.
    pub(super) fn run_is_over(&self) -> bool {
        self.has_run && self.is_idle()
    }

    /// Returns whether every prompt has its result and the CLI is not known to be busy.
    pub(super) fn is_idle(&self) -> bool {
        let is_idle = match &self.state {
            Some(state) => *state == SessionState::Idle,
            None => self.agents.are_done(),
        };
        is_idle && !self.in_turn()
    }

    /// Returns whether the run is over and this was not reported yet.
    pub(super) fn take_run_over(&mut self) -> bool {
        self.run_is_over() && !std::mem::replace(&mut self.run_over_reported, true)
    }
}

impl BackgroundAgents {
    /// Counts the running agents. Background shells do not count: they send no requests.
    fn changed(&mut self, changed: &BackgroundTasksChanged) {
        let running = changed.tasks.iter().filter(|task| task.task_type.ends_with("agent")).count();
        self.report_pending |= running < self.running;
        self.running = running;
    }

    fn are_done(&self) -> bool {
        self.running == 0 && !self.report_pending
    }
}
