//! Requests to the host: hook callbacks, permission requests, and requests of an unknown kind.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    Fault,
    frames::{SESSION, TOOL_USE, tool_input},
    session::Session,
    stop::Stop,
};

/// A request to the host.
#[derive(Debug)]
pub(super) struct PendingRequest {
    pub(super) id: String,
    pub(super) answer: Answer,
}

/// The state of a question.
#[derive(Debug)]
pub(super) enum Answer {
    Waiting,
    /// The inner `response` of the answer.
    Response(Value),
    /// We cancelled it.
    Cancelled,
    /// The input has ended.
    Closed,
}

/// A declared hook callback.
#[derive(Debug, Clone)]
pub(super) struct Callback {
    id: String,
    blocks: bool,
}

impl Callback {
    /// Returns the callbacks for `PreToolUse`.
    pub(super) fn declared(request: &Value) -> Vec<Self> {
        let matchers = request["hooks"]["PreToolUse"].as_array().into_iter().flatten();
        let callbacks = matchers.flat_map(|matcher| {
            let blocks = matcher["onFailure"] == "block";
            let ids = matcher["hookCallbackIds"].as_array().into_iter().flatten();
            ids.filter_map(move |id| Some(Self { id: id.as_str()?.to_owned(), blocks }))
        });
        callbacks.collect()
    }

    fn call(&self) -> Value {
        json!({"subtype": "hook_callback", "callback_id": self.id, "tool_use_id": TOOL_USE, "input": {
            "session_id": SESSION, "transcript_path": "/dev/null", "cwd": "/", "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": tool_input(), "tool_use_id": TOOL_USE,
        }})
    }
}

impl Session {
    /// Sends a request and returns its id.
    fn ask(&mut self, request: Value) -> Result<String, Stop> {
        let id = format!("fault-{}", self.frames.next());
        self.open.push(PendingRequest { id: id.clone(), answer: Answer::Waiting });
        self.say(&json!({"type": "control_request", "request_id": id, "request": request}))?;
        Ok(id)
    }

    /// Waits until each of these requests has an answer, and cancels those without one when the limit is over.
    fn wait_for(&mut self, ids: &[String], limit: Option<Duration>) -> Result<Vec<Answer>, Stop> {
        if self.input_has_ended {
            self.close_questions();
        }
        self.listen_until(limit, |session| {
            !session.open.iter().any(|open| ids.contains(&open.id) && matches!(open.answer, Answer::Waiting))
        })?;
        self.cancel(ids)?;
        let (mine, others) =
            std::mem::take(&mut self.open).into_iter().partition(|open| ids.contains(&open.id));
        self.open = others;
        let mine: Vec<PendingRequest> = mine;
        Ok(mine.into_iter().map(|open| open.answer).collect())
    }

    /// Cancels those of the given questions that have no answer.
    fn cancel(&mut self, ids: &[String]) -> Result<(), Stop> {
        for id in ids {
            let waiting =
                |open: &&mut PendingRequest| open.id == *id && matches!(open.answer, Answer::Waiting);
            if let Some(open) = self.open.iter_mut().find(waiting) {
                open.answer = Answer::Cancelled;
                self.say(&json!({"type": "control_cancel_request", "request_id": id}))?;
            }
        }
        Ok(())
    }

    /// Handles an interrupt of the host: cancels open requests and ends the turn.
    pub(super) fn interrupted(&mut self) -> Result<(), Stop> {
        self.is_interrupted |= self.in_turn;
        let ids: Vec<String> = self.open.iter().map(|open| open.id.clone()).collect();
        self.cancel(&ids)
    }

    /// Marks open requests as unanswerable, because the input has ended.
    pub(super) fn close_questions(&mut self) {
        for open in &mut self.open {
            if matches!(open.answer, Answer::Waiting) {
                open.answer = Answer::Closed;
            }
        }
    }

    /// Asks before the handshake is answered.
    pub(super) fn ask_early(&mut self) -> Result<(), Stop> {
        let request = self.callbacks.first().map_or_else(unknown_request, Callback::call);
        let id = self.ask(request)?;
        self.wait_for(&[id], None)?;
        Ok(())
    }

    /// Sends a request that the host can't know or read, and waits for its answer.
    pub(super) fn ask_oddly(&mut self) -> Result<(), Stop> {
        if self.plan.has(Fault::StrayCancel) {
            self.say(&json!({"type": "control_cancel_request", "request_id": "never-made"}))?;
        }
        if self.plan.has(Fault::DuplicateRequest) {
            let id = self.ask(permission_request())?;
            let request =
                json!({"type": "control_request", "request_id": id, "request": permission_request()});
            self.say(&request)?;
            self.wait_for(&[id], None)?;
        }
        for (fault, request) in [
            (Fault::UnknownRequest, unknown_request()),
            (Fault::BrokenRequest, json!({"subtype": "can_use_tool", "tool_name": "Bash"})),
        ] {
            if self.plan.has(fault) {
                let id = self.ask(request)?;
                self.wait_for(&[id], None)?;
            }
        }
        Ok(())
    }

    /// Calls hooks and asks for permission this many times; the tool runs unless it is refused.
    pub(super) fn use_tool(&mut self, hooks: u64, questions: u64) -> Result<(), Stop> {
        let calls = if self.callbacks.is_empty() { 0 } else { hooks };
        if calls == 0 && questions == 0 {
            return Ok(());
        }
        let frame = self.frames.assistant(json!([
            {"type": "tool_use", "id": TOOL_USE, "name": "Bash", "input": tool_input()},
        ]));
        self.say(&frame)?;
        let outcome = match self.call_hooks(calls)? {
            Ok(()) => self.ask_permissions(questions)?,
            refused => refused,
        };
        let (text, is_error) = match outcome {
            Ok(()) => ("the tool ran".to_owned(), false),
            Err(why) => (why, true),
        };
        let frame = self.frames.tool_result(&text, is_error);
        self.say(&frame)
    }

    fn call_hooks(&mut self, calls: u64) -> Result<Result<(), String>, Stop> {
        let callbacks: Vec<Callback> =
            self.callbacks.iter().cycle().take(usize::try_from(calls).unwrap_or(0)).cloned().collect();
        let ids =
            callbacks.iter().map(|callback| self.ask(callback.call())).collect::<Result<Vec<_>, _>>()?;
        let limit = self.plan.number(Fault::HookTimeout).map(Duration::from_millis);
        let answers = self.wait_for(&ids, limit)?;
        Ok(answers.iter().zip(&callbacks).try_for_each(|(answer, callback)| judge_hook(answer, callback)))
    }

    fn ask_permissions(&mut self, questions: u64) -> Result<Result<(), String>, Stop> {
        let limit = self.plan.number(Fault::CancelPermission).map(Duration::from_millis);
        for _ in 0..questions {
            self.state("requires_action")?;
            let id = self.ask(permission_request())?;
            let answers = self.wait_for(&[id], limit)?;
            self.state("running")?;
            if let Err(why) = answers.iter().try_for_each(judge_permission) {
                return Ok(Err(why));
            }
        }
        Ok(Ok(()))
    }
}

fn permission_request() -> Value {
    json!({
        "subtype": "can_use_tool", "tool_name": "Bash", "display_name": "Bash", "input": tool_input(),
        "tool_use_id": TOOL_USE, "description": "Remove a", "permission_suggestions": [],
        "decision_reason": "rm needs approval", "decision_reason_type": "other", "requires_user_interaction": false,
    })
}

fn unknown_request() -> Value {
    json!({"subtype": "from_the_future", "question": "what is this?"})
}

/// Applies a hook's answer as the CLI does: a failure lets the tool run, unless the hook was declared to block.
fn judge_hook(answer: &Answer, callback: &Callback) -> Result<(), String> {
    let response = match answer {
        Answer::Response(response) => response,
        Answer::Cancelled => return Err("a hook has taken too long".to_owned()),
        Answer::Waiting | Answer::Closed => {
            return Err("Hook stream closed before a response came".to_owned());
        }
    };
    if response["subtype"] == "error" && callback.blocks {
        return Err(response["error"].to_string());
    }
    let output = &response["response"]["hookSpecificOutput"];
    if output["permissionDecision"] == "deny" {
        return Err(output["permissionDecisionReason"].as_str().unwrap_or_default().to_owned());
    }
    Ok(())
}

fn judge_permission(answer: &Answer) -> Result<(), String> {
    match answer {
        Answer::Response(response)
            if response["response"]["behavior"] == "allow" && response["subtype"] == "success" =>
        {
            Ok(())
        }
        Answer::Response(response) => {
            let text = response["response"]["message"].as_str().or_else(|| response["error"].as_str());
            Err(text.unwrap_or("denied by a broken answer").to_owned())
        }
        Answer::Cancelled => Err("the question was cancelled".to_owned()),
        Answer::Waiting | Answer::Closed => {
            Err("Tool permission stream closed before response received".to_owned())
        }
    }
}
