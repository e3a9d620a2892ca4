//! The facts about a whole transcript that are needed to judge its order.

mod tool_calls;

use std::collections::{HashMap, HashSet};

use super::scene::{Scene, What};
use agentwire_testkit::{
    End,
    json::{Json, Value},
    recorded::{Recorded, Role},
};
pub(super) use tool_calls::asks_for_permission;
use tool_calls::{ToolCall, ToolCalls};

/// The facts about a whole transcript that are needed to judge its order.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Whether the session continues an older one, which the transcript does not contain.
    pub(super) resumed: bool,
    /// Whether agents or shells ran in the background, so that frames of several conversations mix.
    pub(super) tasks: bool,
    /// Whether the CLI reports its state.
    pub(super) states: bool,
    /// Whether turns are announced by `system/init`.
    pub(super) inits: bool,
    /// Whether the CLI reports its requests to the model.
    pub(super) requests: bool,
    /// Whether we interrupted a turn.
    pub(super) interrupted: bool,
    /// The line on which each tool use first appears, by its id.
    pub(super) tool_uses: HashMap<Box<str>, usize>,
    /// The ids of the answers that stream.
    pub(super) started: HashSet<Box<str>>,
    /// The line of the first prompt.
    pub(super) first_prompt: Option<usize>,
    /// Whether we sent a signal, or asked the CLI to end itself.
    pub(super) stopped: bool,
    /// Whether the CLI wrote to its stderr.
    pub(super) stderr: bool,
    /// How the CLI ended.
    pub(super) end: Option<End>,
    /// The line on which the CLI confirms the initialization of each MCP server, by its name.
    pub(super) mcp_confirmed: HashMap<Box<str>, usize>,
    /// The `mcp_call` requests of ours that the CLI asked about, by the id that it gave to the tool use.
    pub(super) tool_calls: HashMap<Box<str>, ToolCall>,
    /// Whether our side sent faulty lines on purpose.
    pub(super) faults: bool,
    /// Whether only the CLI's output was captured.
    pub(super) bare: bool,
}

impl Facts {
    pub(super) fn of(scene: &Scene) -> Self {
        let resumes =
            |arg: &String| RESUMING.iter().any(|flag| *arg == **flag || arg.starts_with(&format!("{flag}=")));
        let mut facts = Self {
            resumed: scene.argv.iter().any(resumes),
            tool_calls: ToolCalls::of(scene),
            faults: scene.faults,
            bare: scene.bare,
            ..Self::default()
        };
        for item in &scene.items {
            match &item.what {
                What::Theirs(_, Some(read)) => facts.theirs(item.line, read),
                What::Ours(_, Some(read)) => facts.ours(item.line, read),
                What::Signal => facts.stopped = true,
                What::Stderr => facts.stderr = true,
                What::End(end) => facts.end = Some(end.clone()),
                What::Theirs(_, None) | What::Ours(_, None) | What::EndOfInput => {}
            }
        }
        facts
    }

    /// Returns whether the CLI exited with 0, or its end is not recorded.
    pub(super) fn ended_well(&self) -> bool {
        self.end.as_ref().is_none_or(|end| *end == End::Exit(0))
    }

    fn ours(&mut self, line: usize, read: &Recorded) {
        match &read.role {
            Role::Request { subtype, .. } if **subtype == *"end_session" => self.stopped = true,
            Role::Request { subtype, .. } if **subtype == *"interrupt" => self.interrupted = true,
            Role::Message if is_prompt(read) => {
                self.first_prompt.get_or_insert(line);
            }
            _ => {}
        }
    }

    fn theirs(&mut self, line: usize, read: &Recorded) {
        match (read.kind(), read.subtype()) {
            ("system", "session_state_changed") => self.states = true,
            ("system", "init") => self.inits = true,
            // Every turn of the model is announced.
            ("result", _) if is_plain_success(read) && has_rounds(read) => self.inits = true,
            ("system", "status") if read.json.text_at(&["status"]) == Some("requesting") => {
                self.requests = true;
            }
            ("system", "task_started") => self.tasks = true,
            ("assistant", _) => {
                for block in content(read) {
                    if let Some(id) = block.text_at(&["id"]) {
                        self.tool_uses.entry(id.into()).or_insert(line);
                    }
                }
            }
            ("stream_event", _) => {
                self.started.extend(read.json.text_at(&["event", "message", "id"]).map(Box::from));
            }
            ("control_request", _) => {
                let confirmed = read.json.text_at(&["request", "message", "method"]);
                if confirmed == Some("notifications/initialized")
                    && let Some(server) = read.json.text_at(&["request", "server_name"])
                {
                    self.mcp_confirmed.entry(server.into()).or_insert(line);
                }
            }
            _ => {}
        }
    }
}

/// Returns the blocks of a message's content; none if it is text.
pub(super) fn content(read: &Recorded) -> &[Json] {
    read.json.at(&["message", "content"]).map_or(&[], Json::list)
}

/// Returns the ids of the hook callbacks that a handshake declares.
pub(super) fn callbacks(handshake: &Recorded) -> HashSet<Box<str>> {
    let hooks = handshake.json.at(&["request", "hooks"]).map_or(&[][..], Json::fields);
    let ids = hooks.iter().flat_map(|(_, matchers)| matchers.list());
    let ids = ids.filter_map(|matcher| matcher.field("hookCallbackIds")).flat_map(Json::list);
    ids.filter_map(Json::text).map(Box::from).collect()
}

/// Returns whether a line of ours is a prompt for the model, and not a note.
pub(super) fn is_prompt(read: &Recorded) -> bool {
    let is_silent = read.json.field("shouldQuery").is_some_and(|value| !value.is_true());
    read.kind() == "user" && !is_silent
}

/// Returns whether the content of a prompt is a text or a list of blocks.
pub(super) fn has_content(read: &Recorded) -> bool {
    let content = read.json.at(&["message", "content"]).map(|content| &content.value);
    matches!(content, Some(Value::Text(_) | Value::List(_)))
}

/// Returns whether a message belongs to the main conversation.
pub(super) fn is_main(read: &Recorded) -> bool {
    read.json.field("parent_tool_use_id").is_none_or(Json::is_null)
}

/// Returns whether a request comes from an agent.
pub(super) fn is_of_agent(request: &Recorded) -> bool {
    let paths: [&[&str]; 2] = [&["request", "agent_id"], &["request", "input", "agent_id"]];
    paths.iter().any(|path| request.json.at(path).is_some())
}

/// Returns whether a message is an echo of a prompt.
pub(super) fn is_replay(read: &Recorded) -> bool {
    read.json.field("isReplay").is_some_and(Json::is_true)
}

/// Returns whether the model completed its turn, without an error or a limit.
pub(super) fn is_plain_success(result: &Recorded) -> bool {
    let json = &result.json;
    result.subtype() == "success"
        && !json.field("is_error").is_some_and(Json::is_true)
        && json.text_at(&["terminal_reason"]) == Some("completed")
}

/// Returns whether the turn of a result had a request to the model.
pub(super) fn has_rounds(result: &Recorded) -> bool {
    result.json.field("num_turns").and_then(Json::number).is_some_and(|rounds| rounds != "0")
}

/// Returns whether an `assistant` frame contains text of the CLI and not of the model.
pub(super) fn is_made_up(read: &Recorded) -> bool {
    let json = &read.json;
    json.text_at(&["message", "model"]) == Some("<synthetic>")
        || json.field("local_command_source").is_some()
        || json.field("error").is_some_and(|error| !error.is_null())
}

/// Arguments that continue an older session.
const RESUMING: &[&str] = &["--resume", "-r", "--continue", "-c", "--resume-session-at", "--from-pr"];
