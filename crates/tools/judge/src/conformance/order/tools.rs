//! Checks the order of tools: the use, then the questions about it, then the result.

use std::collections::{BTreeMap, HashSet};

use super::super::facts::{
    Facts, callbacks, content, is_made_up, is_main, is_of_agent, is_plain_success, is_replay,
};
use super::Report;
use agentwire_testkit::recorded::{Recorded, Role};

/// The state of each tool use.
#[derive(Debug, Default)]
pub(super) struct Tools {
    used: HashSet<Box<str>>,
    finished: HashSet<Box<str>>,
    /// The open questions about tool uses, by the id of the request.
    questions: BTreeMap<Box<str>, (usize, Box<str>)>,
    /// Tool uses of the main conversation that have no result yet, with their line and their answer.
    waiting: Vec<(Box<str>, usize, Box<str>)>,
    /// The requests of ours that have their reply.
    replied: HashSet<Box<str>>,
    callbacks: HashSet<Box<str>>,
    initialized: bool,
    /// The session of the running turn.
    session: Option<Box<str>>,
    input_ended: bool,
}

impl Tools {
    pub(super) fn ours(&mut self, read: &Recorded) {
        match &read.role {
            Role::Response { id } => {
                self.questions.remove(id);
            }
            Role::Request { subtype, .. } if **subtype == *"initialize" => {
                self.initialized = true;
                self.callbacks.extend(callbacks(read));
            }
            _ => {}
        }
    }

    pub(super) fn input_ended(&mut self) {
        self.input_ended = true;
    }

    pub(super) fn see(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        self.parent(line, read, facts, report);
        self.session(line, read, report);
        match read.kind() {
            "assistant" => self.answer(line, read, facts, report),
            "user" => self.results(line, read, facts, report),
            "stream_event" if is_main(read) => {
                if let Some(id) = read.json.text_at(&["event", "message", "id"]) {
                    self.next_answer(line, id, facts, report);
                }
            }
            "system" if read.json.text_at(&["status"]) == Some("requesting") => {
                self.next_answer(line, "", facts, report);
            }
            "result" => self.result(line, read, facts, report),
            "conversation_reset" => self.session = None,
            "control_cancel_request" => {
                self.questions.remove(read.id().unwrap_or_default());
            }
            "control_request" => self.request(line, read, facts, report),
            "control_response" => self.reply(line, read, facts, report),
            _ => {}
        }
    }

    /// Checks that a tool call of ours gets its reply only after the requests about it are settled.
    fn reply(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let Some(id) = read.id() else { return };
        self.replied.insert(id.into());
        let is_about = |tool_use: &str| facts.tool_calls.get(tool_use).is_some_and(|call| *call.id == *id);
        let open = self.questions.values().find(|(_, about)| is_about(about));
        if let Some((asked, _)) = open.filter(|_| !self.input_ended) {
            report.find(line, format!("the reply to {id} comes while the question of line {asked} is open"));
        }
    }

    fn answer(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let answer = read.json.text_at(&["message", "id"]).unwrap_or_default();
        if is_main(read) && !is_made_up(read) {
            self.next_answer(line, answer, facts, report);
        }
        for block in content(read).iter().filter(|block| block.text_at(&["type"]) == Some("tool_use")) {
            let Some(id) = block.text_at(&["id"]) else { continue };
            self.used.insert(id.into());
            if is_main(read) && !self.finished.contains(id) {
                self.waiting.push((id.into(), line, answer.into()));
            }
        }
    }

    /// Checks that the next request to the model follows the results of all tool uses.
    fn next_answer(&mut self, line: usize, answer: &str, facts: &Facts, report: &mut Report) {
        if facts.tasks {
            return;
        }
        let overdue = self.waiting.iter().find(|(_, _, of)| **of != *answer);
        if let Some((id, used, _)) = overdue {
            report.find(line, format!("the next answer comes before the result of {id} of line {used}"));
            self.waiting.clear();
        }
    }

    fn results(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        if is_replay(read) {
            return;
        }
        for block in content(read).iter().filter(|block| block.text_at(&["type"]) == Some("tool_result")) {
            let Some(id) = block.text_at(&["tool_use_id"]) else { continue };
            self.needs_use(line, id, "a tool result", facts, report);
            if !self.finished.insert(id.into()) {
                report.find(line, format!("a second result of {id}"));
            }
            self.waiting.retain(|(waiting, ..)| **waiting != *id);
            let open = self.questions.values().find(|(_, about)| **about == *id);
            if let Some((asked, _)) = open.filter(|_| !self.input_ended) {
                report.find(
                    line,
                    format!("the result of {id} comes while the question of line {asked} is open"),
                );
            }
        }
    }

    /// Checks that a turn that ends well has a result for each tool use. A task may bring its own later.
    fn result(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let waiting = std::mem::take(&mut self.waiting);
        if facts.tasks || !is_plain_success(read) {
            return;
        }
        for (id, used, _) in waiting {
            report.find(line, format!("the turn ends before the result of {id} of line {used}"));
        }
    }

    fn request(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let (Role::Request { id, subtype }, Some(request)) = (&read.role, read.request()) else { return };
        let event = request.text_at(&["input", "hook_event_name"]).unwrap_or_default();
        if let Some(callback) = request.text_at(&["callback_id"])
            && self.initialized
            && !self.callbacks.contains(callback)
        {
            report.find(line, format!("the hook callback {callback} was never declared"));
        }
        let tool_use = match &**subtype {
            "can_use_tool" => request.text_at(&["tool_use_id"]),
            "hook_callback" if event == "PreToolUse" => request.text_at(&["tool_use_id"]),
            "mcp_message" => request.text_at(&["message", "params", "_meta", "claudecode/toolUseId"]),
            _ => return,
        };
        let Some(tool_use) = tool_use else { return };
        if !is_of_agent(read) {
            self.needs_use(line, tool_use, "a question", facts, report);
        }
        if facts.tool_calls.get(tool_use).is_some_and(|call| self.replied.contains(&call.id)) {
            report.find(line, format!("a question about {tool_use} comes after the reply to its call"));
        }
        if self.finished.contains(tool_use) {
            report.find(line, format!("a question about {tool_use} comes after its result"));
        }
        if **subtype != *"mcp_message" {
            self.questions.insert(id.clone(), (line, tool_use.into()));
        }
    }

    /// Checks that a tool use precedes all other lines about it.
    fn needs_use(&self, line: usize, id: &str, what: &str, facts: &Facts, report: &mut Report) {
        if self.used.contains(id) {
            return;
        }
        match facts.tool_uses.get(id) {
            Some(used) => report.find(line, format!("{what} comes before the use of {id} on line {used}")),
            None if facts.resumed || facts.tasks => {}
            None if facts.tool_calls.get(id).is_some_and(|call| call.line <= line) => {}
            None => report.find(line, format!("{what} names {id}, which no tool use has")),
        }
    }

    fn parent(&self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        if let Some(parent) = read.json.text_at(&["parent_tool_use_id"])
            && !self.used.contains(parent)
            && let Some(used) = facts.tool_uses.get(parent)
        {
            report.find(line, format!("an agent speaks before its start on line {used}"));
        }
    }

    /// Checks that the frames of a turn have the session of its start.
    fn session(&mut self, line: usize, read: &Recorded, report: &mut Report) {
        let Some(session) = read.json.text_at(&["session_id"]) else { return };
        match (read.kind(), read.subtype()) {
            ("system", "init") => self.session = Some(session.into()),
            ("assistant" | "stream_event" | "result", _)
                if self.session.as_ref().is_some_and(|own| **own != *session) =>
            {
                report.find(line, format!("it bears the session {session}, and its turn another"));
            }
            _ => {}
        }
    }
}
