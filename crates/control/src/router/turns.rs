//! Tracks turns and prompts. Only this module decides which turn a message belongs to, and when a run is over.

use std::{
    collections::{HashMap, HashSet, VecDeque, hash_map::Entry},
    sync::Arc,
};

use agentwire_protocol::{
    Message, System, Uuid,
    message::{
        AssistantError, BackgroundTasksChanged, CommandLifecycle, CommandState, SessionState, TaskEnd,
        TaskStarted, TaskStatus, TurnResult,
    },
};

use super::{PromptState, TurnEnd, TurnInfo};
use crate::SessionExit;

/// The state of the prompts, the current turn and the run, as the messages report it.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// The turn of the next message.
    current: Arc<TurnInfo>,
    /// The last [`MAX_PROMPTS`] prompts that were sent with an id.
    prompts: HashMap<Uuid, PromptState>,
    order: VecDeque<Uuid>,
    /// How many of the last prompts were sent in the current turn. Its result settles such a prompt only if the turn
    /// has named the prompt.
    sent_in_turn: usize,
    /// How many prompts were sent, with and without an id; a prompt that is sent again counts once.
    prompts_sent: u64,
    /// Whether a prompt without an id was sent, which no reported state settles.
    sent_without_id: bool,
    /// Whether the CLI has reported the state of a prompt, which 2.1.197 never does.
    reports_states: bool,
    /// Whether a prompt has no result yet.
    ///
    /// A flag rather than a count: queued prompts may share a turn, and then share its result.
    awaits_result: bool,
    /// Whether a prompt without a result has no id, so that its cancellation would go unnoticed.
    awaits_result_without_id: bool,
    /// Whether an interrupt was sent since the last prompt and the last result.
    interrupted: bool,
    /// Whether an interrupt was sent that may abort the current turn, even if a prompt was sent after it.
    may_be_aborted: bool,
    /// Whether a prompt was ever answered, failed or cancelled.
    has_run: bool,
    /// Whether a prompt or a raw line was sent, or the CLI started a turn on its own.
    given_work: bool,
    /// The last state that the CLI reported; 2.1.197 reports none.
    state: Option<SessionState>,
    /// Whether a state was marked with `sdk_host_only`, as by CLIs that name merged prompts.
    has_host_state: bool,
    /// The last result, if it was an error and no message of the conversation followed.
    error_result: Option<Box<TurnResult>>,
    /// Whether an interrupt was sent that may have aborted the turn that ended last.
    last_interrupted: bool,
    /// The error kind of the last assistant message of the main conversation.
    error_kind: Option<AssistantError>,
    /// The CLI's tasks, and the turn that it starts when a background agent has ended.
    tasks: Tasks,
    /// Whether the end of the run was reported.
    run_over_reported: bool,
}

/// The agents, shells and other tasks that the CLI runs in the background.
///
/// CLI 2.1.197 sends no list of them. If a running turn takes notice of the end of a task, that CLI reports the end
/// only as `task_updated`.
#[derive(Debug, Default)]
struct Tasks {
    /// The ids of the running tasks, each with whether it is an agent.
    running: HashMap<Box<str>, bool>,
    /// Whether a task has ended, so that the CLI may start a turn to report it to the model.
    report_possible: bool,
    /// Whether an agent has ended, but not yet the turn in which the CLI reports that.
    report_pending: bool,
}

impl Turns {
    pub(super) fn prompt_sent(&mut self, prompt: Option<Uuid>) {
        let known = prompt.as_ref().and_then(|id| self.prompt_state(id));
        // The CLI ignores a prompt with the id of an earlier one, whether that was answered, failed or cancelled.
        self.awaits_result |= !known.is_some_and(PromptState::is_settled);
        self.prompts_sent += u64::from(known.is_none());
        self.given_work = true;
        self.awaits_result_without_id |= prompt.is_none();
        self.sent_without_id |= prompt.is_none();
        self.interrupted = false;
        self.run_over_reported = false;
        // A prompt that is sent again keeps its reported state.
        if let Some(prompt) = prompt
            && let Entry::Vacant(entry) = self.prompts.entry(prompt.clone())
        {
            entry.insert(PromptState::Sent);
            self.order.push_back(prompt);
            self.sent_in_turn += usize::from(self.before_a_prompt() > self.current.index);
        }
        if self.order.len() > MAX_PROMPTS
            && let Some(oldest) = self.order.pop_front()
        {
            self.prompts.remove(&oldest);
        }
    }

    /// Handles a line of the caller's, which may be a prompt.
    pub(super) fn line_sent(&mut self) {
        self.given_work = true;
    }

    pub(super) fn interrupt_sent(&mut self) {
        self.interrupted |= self.in_turn();
        self.may_be_aborted |= self.interrupted;
    }

    /// Handles a message. Returns whether it ends a turn without a `result`: the CLI went idle before it sent one.
    pub(super) fn message(&mut self, message: &Message) -> bool {
        match message {
            Message::System(System::SessionStateChanged(changed)) => {
                self.state = Some(changed.state.clone());
                self.has_host_state |= changed.sdk_host_only;
                if changed.state == SessionState::Idle {
                    self.tasks.report_possible = false;
                    return self.current.has_begun;
                }
                self.given_work = true;
                self.run_over_reported = false;
            }
            // The CLI sends it once a turn, so a prompt that was queued behind the last result has started.
            Message::System(System::Init(init)) => {
                (self.given_work, self.run_over_reported) = (true, false);
                (self.error_result, self.error_kind) = (None, None);
                self.update_current(true, init.user_message_uuids.iter().flatten());
            }
            Message::System(System::BackgroundTasksChanged(changed)) => self.tasks.changed(changed),
            Message::System(System::TaskStarted(task)) => self.tasks.started(task),
            Message::System(System::TaskUpdated(task)) => match task.patch.status {
                Some(TaskStatus::Completed | TaskStatus::Failed) => self.tasks.ended(&task.task_id, false),
                Some(TaskStatus::Killed) => self.tasks.ended(&task.task_id, true),
                _ => {}
            },
            Message::System(System::TaskNotification(task)) => {
                self.tasks.ended(&task.task_id, task.status == TaskEnd::Stopped);
            }
            // An exit after this message is not a consequence of the error result before it.
            Message::Assistant(message) => {
                self.error_result = None;
                let is_main = message.parent_tool_use_id.is_none();
                if is_main {
                    self.error_kind.clone_from(&message.error);
                }
                let prompts = message.user_message_uuids.iter().flatten().chain(&message.user_message_uuid);
                self.update_current(is_main, prompts);
            }
            Message::CommandLifecycle(change) => self.lifecycle(change),
            _ => {}
        }
        false
    }

    /// Handles a message of the conversation that is not decoded. Before a stream event, another message has begun the
    /// turn and named the prompt.
    pub(super) fn conversation_continued(&mut self) {
        self.error_result = None;
    }

    /// Applies the reported state of a prompt. A started prompt begins its turn, or joins the running one.
    fn lifecycle(&mut self, change: &CommandLifecycle) {
        if change.state == CommandState::Started {
            self.update_current(true, [&change.command_uuid]);
        }
        let Some(state) = self.prompts.get_mut(&change.command_uuid) else { return };
        self.reports_states = true;
        *state = state.after(&change.state);
        if *state == PromptState::Started {
            // It waited for its turn at the last result, or joins the running turn.
            self.awaits_result = true;
        } else if state.is_settled() && self.all_settled() {
            // No later message of a cancelled prompt could end the run.
            self.has_run = true;
            self.awaits_result = self.awaits_result_without_id;
        }
    }

    /// Updates the current turn by a message that names `prompts` and, if `begins`, only occurs inside a turn.
    fn update_current<'a>(&mut self, begins: bool, prompts: impl IntoIterator<Item = &'a Uuid>) {
        if begins && !self.current.has_begun {
            Arc::make_mut(&mut self.current).has_begun = true;
            self.error_result = None;
        }
        for prompt in prompts {
            if let Some(state) = self.prompts.get_mut(prompt)
                && !state.has_begun()
            {
                *state = PromptState::Started;
            }
            let named = &self.current.prompts;
            if named.len() < MAX_NAMED_PROMPTS && named.iter().all(|known| **known != *prompt) {
                Arc::make_mut(&mut self.current).prompts.push(Arc::new(prompt.clone()));
            }
        }
    }

    /// Ends the turn, and returns it for its last message.
    pub(super) fn end(&mut self, end: TurnEnd, result: Option<&TurnResult>) -> Arc<TurnInfo> {
        if let Some(result) = result {
            let prompts = result.user_message_uuids.iter().flatten().chain(&result.user_message_uuid);
            self.update_current(true, prompts);
        }
        (self.awaits_result, self.awaits_result_without_id) = (false, false);
        (self.last_interrupted, self.interrupted) = (self.may_be_aborted, false);
        // The CLI may have begun the turn of a waiting prompt before it read the interrupt.
        self.may_be_aborted &= self.prompt_waits() && result.is_some_and(|result| !result.was_aborted());
        (self.has_run, self.given_work) = (true, true);
        self.tasks.report_pending = false;
        // The turn may have begun before the task ended. Then the CLI reports idle only after a turn for the report.
        self.tasks.report_possible &= self.state.is_some();
        self.error_result = result.filter(|result| result.is_error).map(|result| Box::new(result.clone()));
        if !self.reports_states {
            let failed = result.is_none_or(|result| result.is_error);
            let settled = if failed { PromptState::Failed } else { PromptState::Completed };
            let later: HashSet<&Uuid> = self.order.iter().rev().take(self.sent_in_turn).collect();
            for (prompt, state) in &mut self.prompts {
                if !state.is_settled() && (state.has_begun() || !later.contains(prompt)) {
                    *state = settled;
                }
            }
        }
        self.sent_in_turn = 0;
        Arc::make_mut(&mut self.current).end = Some(end);
        let next = self.current.next();
        std::mem::replace(&mut self.current, next)
    }

    /// Returns the turn of the next message.
    pub(super) fn current(&self) -> &Arc<TurnInfo> {
        &self.current
    }

    /// Returns how many turns end before the turn of a prompt sent now, unless the CLI merges it into the running turn.
    ///
    /// CLI 2.1.197 does not name merged prompts, so that the running turn may be the prompt's. It reports no state, or one
    /// without `sdk_host_only`.
    pub(super) fn before_a_prompt(&self) -> u64 {
        self.current.index + u64::from(self.current.has_begun && self.has_host_state)
    }

    /// Adds the state of the turn to the end of the session.
    pub(super) fn describe_end(&mut self, ending: &mut SessionExit) {
        ending.error_kind = self.error_kind.take().filter(|_| self.error_result.is_some());
        ending.error_result = self.error_result.take();
        ending.in_turn = self.in_turn();
        ending.interrupted = if ending.in_turn { self.interrupted } else { self.last_interrupted };
    }

    pub(super) fn was_given_work(&self) -> bool {
        self.given_work
    }

    pub(super) fn prompt_state(&self, prompt: &Uuid) -> Option<PromptState> {
        self.prompts.get(prompt).copied()
    }

    pub(super) fn reports_states(&self) -> bool {
        self.reports_states
    }

    /// Returns whether the CLI is idle, no prompt is open and no task runs, so that ending the input cuts nothing short.
    ///
    /// A prompt without a state needs a result.
    pub(super) fn may_end_input(&self) -> bool {
        let has_result_for_each = self.current.index >= self.prompts_sent;
        let has_states = self.reports_states && !self.sent_without_id;
        let all_settled = !self.reports_states || self.all_settled();
        self.is_idle() && self.tasks.are_reported() && all_settled && (has_states || has_result_for_each)
    }

    /// Returns whether no turn, waiting prompt or task is known, regardless of the reported state.
    pub(super) fn seems_over(&self) -> bool {
        let all_begun = !self.reports_states || self.prompts.values().all(|state| state.has_begun());
        !self.in_turn() && self.tasks.are_reported() && all_begun
    }

    /// Returns whether the run is over: at least one turn has ended, and the CLI is idle.
    ///
    /// Background agents keep the reported state at `running` after a result. A CLI that reports no state counts as idle
    /// after a result if no agent is known to run or to be unreported.
    pub(super) fn run_is_over(&self) -> bool {
        self.has_run && self.is_idle()
    }

    /// Returns whether every prompt has its result and the CLI is not known to be busy.
    pub(super) fn is_idle(&self) -> bool {
        let is_idle = match &self.state {
            Some(state) => *state == SessionState::Idle,
            None => self.tasks.agents_are_done(),
        };
        is_idle && !self.in_turn()
    }

    /// Returns whether the run is over and this was not reported yet.
    pub(super) fn take_run_over(&mut self) -> bool {
        let is_new = !self.run_over_reported && self.run_is_over();
        self.run_over_reported |= is_new;
        is_new
    }

    /// Returns whether the session would end in the middle of a turn if it ended now.
    ///
    /// After the result it would not, even if the CLI is still busy or never reported that it is idle.
    fn in_turn(&self) -> bool {
        self.awaits_result || self.current.has_begun || self.prompt_waits()
    }

    /// Returns whether a prompt has not begun its turn, so that the result of an earlier turn does not answer it.
    ///
    /// Known only if the CLI reports the states of prompts and of the session.
    fn prompt_waits(&self) -> bool {
        self.reports_states && self.state.is_some() && self.prompts.values().any(|state| !state.has_begun())
    }

    fn all_settled(&self) -> bool {
        self.prompts.values().all(|state| state.is_settled())
    }
}

impl Tasks {
    fn started(&mut self, task: &TaskStarted) {
        // A task in the foreground ends before its turn does.
        let is_awaited = task.ambient != Some(true) && task.is_backgrounded != Some(false);
        if is_awaited && self.running.len() < MAX_TASKS {
            self.running.insert(task.task_id.clone(), task.task_type.as_deref().is_some_and(is_agent));
        }
    }

    /// Removes a task at the first report of its end.
    fn ended(&mut self, id: &str, is_stopped: bool) {
        let Some(was_agent) = self.running.remove(id) else { return };
        self.report_pending |= was_agent;
        // A stopped shell causes no turn.
        self.report_possible |= was_agent || !is_stopped;
    }

    /// Replaces the tasks by those of the list, which contains all tasks in the background.
    fn changed(&mut self, changed: &BackgroundTasksChanged) {
        let listed = changed.tasks.iter().filter(|task| task.ambient != Some(true));
        let listed = listed.map(|task| (task.task_id.clone(), is_agent(&task.task_type))).collect();
        let before = std::mem::replace(&mut self.running, listed);
        let ended = || before.iter().filter(|(id, _)| !self.running.contains_key(*id));
        self.report_possible |= ended().next().is_some();
        self.report_pending |= ended().any(|(_, is_agent)| *is_agent);
    }

    /// Returns whether no task runs, and the CLI has reported the end of each, so that none causes a turn.
    fn are_reported(&self) -> bool {
        self.running.is_empty() && !self.report_possible
    }

    /// Background shells do not count: they send no requests.
    fn agents_are_done(&self) -> bool {
        !self.running.values().any(|is_agent| *is_agent) && !self.report_pending
    }
}

/// Returns whether a task runs agents, whose end the CLI reports to the model.
fn is_agent(task_type: &str) -> bool {
    task_type.ends_with("agent") || task_type == "local_workflow"
}

/// How many prompts are remembered: far more than are open at once, in a few hundred kilobytes.
const MAX_PROMPTS: usize = 4096;
/// How many prompts of a turn are listed. The CLI names at most 64 in a message, and reports each one that starts a turn.
///
/// Each unread message that names a prompt has a list of its own, so the memory of a turn grows with the square of this.
const MAX_NAMED_PROMPTS: usize = 1024;
/// How many tasks are remembered: far more than run at once.
const MAX_TASKS: usize = 4096;
