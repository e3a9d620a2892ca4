//! Checks the order of a turn: its announcement, its frames, its result.

use std::collections::HashSet;

use super::super::facts::{
    Facts, asks_for_permission, content, has_content, has_rounds, is_made_up, is_main, is_prompt,
};
use super::Report;
use agentwire_testkit::{
    End,
    json::Json,
    recorded::{Recorded, Role},
};

/// The turns of a session, one after the other.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// The line on which the running turn was announced.
    open: Option<usize>,
    /// The prompts that the announcement names.
    named: Option<Json>,
    /// Whether the model has begun to work in the running turn.
    working: bool,
    /// The prompts of ours since the last result that have the priority `now`.
    urgent: usize,
    /// The first frame of a turn that came while none was announced.
    early: Option<usize>,
    /// The last state that the CLI reported.
    state: Box<str>,
    /// The line of that state.
    state_line: usize,
    /// The last prompt that no result has followed.
    prompt: Option<usize>,
    prompted: bool,
    input_ended: bool,
    calls: Calls,
}

/// Tool calls of ours that the CLI may ask about, inside a turn and outside of one.
#[derive(Debug, Default)]
struct Calls {
    /// The calls without a reply.
    open: HashSet<Box<str>>,
    /// The open questions about them.
    questions: HashSet<Box<str>>,
    /// The number of these questions that were settled since the last state for one.
    settled: usize,
}

impl Turns {
    pub(super) fn ours(&mut self, line: usize, read: &Recorded, facts: &Facts) {
        if is_prompt(read) {
            // The CLI may ignore a prompt of a wrong shape.
            if !facts.faults || has_content(read) {
                self.prompt = Some(line);
            }
            self.urgent += usize::from(read.json.text_at(&["priority"]) == Some("now"));
        }
        // A note has a turn too, in which the model does nothing.
        self.prompted |= read.kind() == "user";
        match &read.role {
            Role::Request { id, .. } if asks_for_permission(read) => {
                self.calls.open.insert(id.clone());
            }
            Role::Response { id } => self.calls.settle(id),
            _ => {}
        }
    }

    pub(super) fn input_ended(&mut self) {
        self.input_ended = true;
        self.calls.settled += self.calls.questions.drain().count();
    }

    pub(super) fn see(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        match (read.kind(), read.subtype()) {
            ("system", "init") => self.init(line, read, facts, report),
            ("system", "session_state_changed") => self.state(line, read, facts, report),
            ("result", _) => self.result(line, read, facts, report),
            ("control_request", _) => self.request(line, read, facts, report),
            ("control_response", _) => {
                self.calls.open.remove(read.id().unwrap_or_default());
            }
            ("control_cancel_request", _) => self.calls.settle(read.id().unwrap_or_default()),
            _ => {
                self.working |= is_work(read);
                self.frame(line, read, facts, report);
            }
        }
    }

    /// Checks that a session that exited with 0 has a result for every turn and every prompt.
    pub(super) fn end(&self, facts: &Facts, report: &mut Report) {
        let cleanly = facts.end == Some(End::Exit(0)) && !facts.stopped;
        // After the end of input, the CLI exits with 1 if and only if the last result is an error.
        let with_error =
            facts.end == Some(End::Exit(1)) && self.input_ended && !facts.stderr && !facts.stopped;
        // Without a recorded end, an open turn shows that the tail is missing.
        let lost = facts.end.is_none();
        let why = if lost { "and no end of the CLI is recorded" } else { "though the CLI ended by itself" };
        if let Some(line) = self.open.filter(|_| lost || cleanly || with_error) {
            report.find(line, format!("the turn has no result, {why}"));
        }
        if let Some(line) = self.prompt.filter(|_| lost || cleanly) {
            report.find(line, format!("no result follows the prompt, {why}"));
        }
        if !self.state.is_empty()
            && &*self.state != "idle"
            && (lost || ((cleanly || with_error) && !facts.tasks))
        {
            report.find(self.state_line, format!("the CLI is `{}` to the last, {why}", self.state));
        }
    }

    fn init(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let is_instead = self.is_instead(read);
        if let Some(open) = self.open.replace(line).filter(|_| !is_instead) {
            report.find(line, format!("a turn starts, and that of line {open} has no result"));
        }
        if facts.states && &*self.state != "running" && &*self.state != "requires_action" {
            report.find(line, "a turn starts while the CLI is not `running`");
        }
        if let Some(early) = self.early.take().filter(|_| !facts.tasks) {
            report.find(line, format!("the turn starts after its frame of line {early}"));
        }
        self.needs_prompt(line, facts, report);
    }

    /// Returns whether a turn starts in the place of the running one, which then has no result of its own.
    ///
    /// If a prompt with the priority `now` comes before the first request to the model, the CLI puts the prompt of the
    /// running turn back into its queue.
    fn is_instead(&mut self, init: &Recorded) -> bool {
        let named = init.json.field("user_message_uuids").cloned();
        let is_other = match (&self.named, &named) {
            (Some(before), Some(now)) => !before.same(now),
            (before, now) => before.is_some() != now.is_some(),
        };
        let is_instead = self.open.is_some() && !self.working && self.urgent > 0 && is_other;
        self.urgent -= usize::from(is_instead);
        (self.named, self.working) = (named, false);
        is_instead
    }

    fn state(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let state = read.json.text_at(&["state"]).unwrap_or_default();
        // The end of a question about a call of ours leads back to the state before it, once for each question.
        let ends_question = state != "requires_action" && self.calls.settled > 0;
        if ends_question {
            self.calls.settled -= 1;
        }
        let is_lost = match (&*self.state, state) {
            ("running", "running") | ("idle", "idle") => !ends_question,
            ("idle", "requires_action") => self.calls.open.is_empty(),
            ("requires_action", "idle") => !ends_question && !facts.interrupted && !facts.stopped,
            ("", "idle") => !facts.resumed && !facts.bare,
            _ => false,
        };
        if is_lost && !facts.tasks {
            report.find(line, format!("the CLI is `{state}`, and a state before that is missing"));
        }
        (self.state, self.state_line) = (state.into(), line);
        match (&*self.state, self.open) {
            ("idle", Some(open)) => {
                report.find(line, format!("the CLI is `idle`, and the turn of line {open} has no result"));
            }
            ("running", _) => self.needs_prompt(line, facts, report),
            _ => {}
        }
    }

    /// Checks that nothing runs before the first prompt, except earlier work of a resumed session.
    fn needs_prompt(&self, line: usize, facts: &Facts, report: &mut Report) {
        if !self.prompted && !facts.bare && !facts.resumed && facts.first_prompt.is_some() {
            report.find(line, "a turn starts before the first prompt");
        }
    }

    fn result(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let is_error = read.json.field("is_error").is_some_and(Json::is_true);
        let was_open = self.open.take().is_some();
        if facts.inits && !was_open && has_rounds(read) && !is_error && !facts.tasks {
            report.find(line, "a result comes while no turn is open");
        }
        self.prompt = None;
        self.urgent = 0;
        self.early = None;
    }

    fn request(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let Role::Request { id, subtype } = &read.role else { return };
        let tool_use = read.json.text_at(&["request", "tool_use_id"]).unwrap_or_default();
        if **subtype == *"can_use_tool" && facts.tool_calls.contains_key(tool_use) {
            self.calls.questions.insert(id.clone());
        }
        if facts.states && **subtype == *"can_use_tool" && &*self.state != "requires_action" {
            report.find(line, "a permission request comes while the state is not `requires_action`");
        }
    }

    /// Checks that frames of the main conversation come between the start of their turn and its result.
    fn frame(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        if !facts.inits || facts.tasks || self.open.is_some() || !is_main(read) {
            return;
        }
        let is_tool_result =
            || content(read).iter().any(|block| block.text_at(&["type"]) == Some("tool_result"));
        let what = match read.kind() {
            "stream_event" => "a piece of an answer",
            "assistant" if !is_made_up(read) => "an answer",
            "user" if is_tool_result() && read.json.field("isReplay").is_none() => "a tool result",
            "system" if read.json.text_at(&["status"]) == Some("requesting") => "a request for an answer",
            _ => return,
        };
        self.early.get_or_insert(line);
        report.find(line, format!("{what} comes while no turn is open"));
    }
}

/// Returns whether a message shows that the model works for the main conversation.
fn is_work(read: &Recorded) -> bool {
    is_main(read)
        && (matches!(read.kind(), "assistant" | "stream_event")
            || (read.kind() == "system" && read.json.text_at(&["status"]) == Some("requesting")))
}

impl Calls {
    /// Settles a request: it was answered or cancelled.
    fn settle(&mut self, question: &str) {
        if self.questions.remove(question) {
            self.settled += 1;
        }
    }
}
