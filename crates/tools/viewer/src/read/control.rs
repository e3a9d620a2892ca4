//! Requests and their answers, in both directions.

use agentwire_protocol::{
    InboundRequest, RawJson,
    control::{CanUseTool, ControlRequest, ControlResponse, HookCallback, Outcome as Answer},
    permission::Decision,
};
use serde_json::Value;

use super::{Reader, UNKNOWN, Way};
use crate::item::{Kind, Outcome};
use crate::part::{Look, Part, Place};

impl Reader<'_> {
    pub(super) fn request(&mut self, way: Way, asked: &ControlRequest) {
        let place = Place::new(self.line, "/request");
        let item = match (&asked.request, way) {
            (InboundRequest::McpMessage(message), way) => self.mcp_message(way, message),
            (request, Way::Out) => self.our_request(request, &place),
            (InboundRequest::HookCallback(hook), Way::In) => self.hook(hook, &place),
            (InboundRequest::CanUseTool(question), Way::In) => self.permission(question, &place),
            (InboundRequest::Elicitation(question), Way::In) => {
                let item = self.push(Kind::Question, "elicitation");
                self.items[item].note = question.mcp_server_name.to_string();
                self.part(item, Part::new(Look::Prose, "", &question.message, place.key("message")));
                item
            }
            (InboundRequest::Unknown(unknown), Way::In) => {
                let item = self.push(Kind::Question, unknown.kind.as_deref().unwrap_or("without a subtype"));
                self.items[item].badges.push(UNKNOWN);
                self.part(item, Part::new(Look::Code, "request", unknown.raw.as_str(), place));
                item
            }
            (other, Way::In) => {
                let item = self.push(Kind::Question, other.kind());
                if let InboundRequest::UserDialog(dialog) = other {
                    self.items[item].note = dialog.dialog_kind.to_string();
                }
                if let Ok(raw) = RawJson::encode(other) {
                    self.items[item].parts = request_parts(&raw, &place);
                }
                item
            }
        };
        self.items[item].outcome.get_or_insert_with(|| Outcome::open("no answer"));
        self.asked.insert((way, asked.request_id.to_string()), item);
    }

    fn our_request(&mut self, request: &InboundRequest, place: &Place) -> usize {
        let kind = request.kind();
        let item = self.push(Kind::Request, if kind.is_empty() { "without a subtype" } else { kind });
        if !self.calls.contains(kind) {
            self.items[item].badges.push(UNKNOWN);
        }
        if let InboundRequest::Unknown(unknown) = request {
            self.items[item].parts = request_parts(&unknown.raw, place);
        }
        item
    }

    fn hook(&mut self, hook: &HookCallback, place: &Place) -> usize {
        let mut input = value(&hook.input);
        let event = input["hook_event_name"].as_str().unwrap_or("a hook without an event");
        let item = self.push(Kind::Hook, event);
        let callback = crate::escape::beginning(&hook.callback_id, 80);
        let tool = input["tool_name"].as_str().unwrap_or_default();
        self.items[item].note = [tool, callback].join(" ").trim_start().to_owned();
        let id = input["tool_use_id"].as_str().map(str::to_owned);
        self.items[item].about = id.or_else(|| hook.tool_use_id.as_ref().map(ToString::to_string));
        self.items[item].agent = input["agent_id"].as_str().map(str::to_owned);
        let known = self.known_input(item, &input["tool_input"]);
        if let Value::Object(fields) = &mut input {
            fields.retain(|key, _| !(EVERY_HOOK.contains(&key.as_str()) || known && key == "tool_input"));
        }
        self.items[item].parts = Part::of_value("input", &input, &place.key("input"));
        item
    }

    fn permission(&mut self, question: &CanUseTool, place: &Place) -> usize {
        let item = self.push(Kind::Permission, format!("May it use {}?", question.tool_name));
        self.items[item].note = question.decision_reason.clone().unwrap_or_default();
        self.items[item].about = Some(question.tool_use_id.to_string());
        self.items[item].agent = question.agent_id.as_deref().map(str::to_owned);
        let input = value(&question.input);
        if !self.known_input(item, &input) {
            self.items[item].parts = Part::of_value("input", &input, &place.key("input"));
        }
        if let Some(path) = &question.blocked_path {
            self.part(item, Part::new(Look::Code, "blocked path", path, place.key("blocked_path")));
        }
        item
    }

    /// Returns whether the tool use of this request already shows this input.
    pub(super) fn known_input(&self, item: usize, input: &Value) -> bool {
        let tool = self.items[item].about.as_ref().and_then(|id| self.tools.get(id));
        tool.is_some_and(|(_, shown)| shown == input)
    }

    pub(super) fn response(&mut self, way: Way, answer: &ControlResponse) {
        let id = match &answer.response {
            Answer::Success(success) => success.request_id.to_string(),
            Answer::Failure(failure) => failure.request_id.to_string(),
            Answer::Unknown(unknown) => {
                unknown.field::<String>("request_id").ok().flatten().unwrap_or_default()
            }
            _ => String::new(),
        };
        let Some(item) = self.asked.get(&(way.other(), id)).copied() else {
            let item = self.push(Kind::Unknown, "an answer to no known request");
            self.items[item].badges.push(UNKNOWN);
            return;
        };
        self.add(item);
        let old = self.items[item].outcome.as_ref().map_or("no answer", |old| &*old.words).to_owned();
        if old != "no answer" {
            // Each part of an MCP exchange is acknowledged, also after the answer.
            if self.items[item].kind != Kind::Mcp || old == "cancelled" {
                self.items[item].outcome = Some(Outcome::plain(format!("{old}, then answered")));
            }
            return;
        }
        let place = Place::new(self.line, "/response/response");
        let outcome = match &answer.response {
            Answer::Success(success) => self.success(item, success.response.as_ref(), &place),
            Answer::Failure(failure) => {
                let place = Place::new(self.line, "/response/error");
                self.part(item, Part::new(Look::Code, "error", &failure.error, place));
                Outcome::bad("error")
            }
            other => {
                self.items[item].badges.push(UNKNOWN);
                Outcome::plain(other.kind())
            }
        };
        self.items[item].outcome = Some(outcome);
    }

    fn success(&mut self, item: usize, reply: Option<&RawJson>, place: &Place) -> Outcome {
        let value = reply.map(value).unwrap_or_default();
        let kind = self.items[item].kind;
        if kind == Kind::Mcp {
            return self.mcp_reply(item, &value, place);
        }
        let long = kind == Kind::Request && reply.is_some_and(|raw| raw.as_str().len() > SHORT_REPLY);
        let parts = if long {
            vec![Part::brief("reply", reply.map_or("", RawJson::as_str), place.clone())]
        } else {
            reply_parts(&value, place)
        };
        self.items[item].parts.extend(parts);
        match kind {
            Kind::Permission => permission_outcome(reply),
            Kind::Hook => hook_outcome(&value),
            _ => Outcome::good("answered"),
        }
    }

    pub(super) fn cancel(&mut self, way: Way, id: &str) {
        match self.asked.get(&(way, id.to_owned())).copied() {
            Some(item) => {
                self.add(item);
                self.items[item].outcome = Some(Outcome::plain("cancelled"));
            }
            None => {
                let item = self.push(Kind::System, "an unknown request is cancelled");
                self.items[item].note = crate::escape::beginning(id, 80).to_owned();
            }
        }
    }
}

/// Returns JSON as a value; as its text if it is nested too deeply.
pub(super) fn value(json: &RawJson) -> Value {
    json.decode().unwrap_or_else(|_| json.as_str().into())
}

/// Returns the fields of a request without its kind.
fn request_parts(request: &RawJson, place: &Place) -> Vec<Part> {
    let mut value = value(request);
    if let Value::Object(fields) = &mut value {
        fields.remove("subtype");
    }
    Part::of_value("request", &value, place)
}

/// Returns the fields of a reply; the event-specific output of a hook stands beside the others.
fn reply_parts(reply: &Value, place: &Place) -> Vec<Part> {
    let Value::Object(fields) = reply else { return Part::of_value("reply", reply, place) };
    let mut fields = fields.clone();
    let Some(Value::Object(mut specific)) = fields.remove(SPECIFIC) else {
        return Part::of_value("reply", reply, place);
    };
    specific.remove("hookEventName");
    let mut parts = Part::of_value("reply", &Value::Object(fields), place);
    parts.extend(Part::of_value("reply", &Value::Object(specific), &place.key(SPECIFIC)));
    parts
}

fn permission_outcome(reply: Option<&RawJson>) -> Outcome {
    match reply.map(RawJson::decode::<Decision>) {
        Some(Ok(Decision::Allow(_))) => Outcome::good("allowed"),
        Some(Ok(Decision::Deny(_))) => Outcome::bad("denied"),
        _ => Outcome::bad("no valid decision"),
    }
}

/// Returns the outcome of a hook: its decision, or that it has none.
fn hook_outcome(reply: &Value) -> Outcome {
    let specific = &reply[SPECIFIC];
    let decision = [&specific["permissionDecision"], &specific["decision"]["behavior"], &reply["decision"]];
    if let Some(word) = decision.iter().find_map(|word| word.as_str()) {
        return match word {
            "allow" | "approve" => Outcome::good(word),
            "deny" | "block" => Outcome::bad(word),
            other => Outcome::plain(crate::escape::beginning(other, 80)),
        };
    }
    match (&reply["continue"], &reply["async"]) {
        (Value::Bool(false), _) => Outcome::bad("stop"),
        (_, Value::Bool(true)) => Outcome::plain("async"),
        _ if reply.as_object().is_none_or(serde_json::Map::is_empty) => Outcome::plain("no opinion"),
        _ => Outcome::good("answered"),
    }
}

const SPECIFIC: &str = "hookSpecificOutput";
/// Fields of every hook's input, which only the frame shows.
const EVERY_HOOK: &[&str] = &[
    "agent_id",
    "agent_type",
    "cwd",
    "effort",
    "hook_event_name",
    "permission_mode",
    "prompt_id",
    "session_id",
    "tool_name",
    "tool_use_id",
    "transcript_path",
];
/// A longer reply to a request of ours is shown by its beginning alone.
const SHORT_REPLY: usize = 800;
