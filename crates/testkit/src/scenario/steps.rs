//! Taking the steps of a scenario, one after the other, each within a limit.

use std::{future::Future, time::Duration};

use agentwire::{ControlError, Error, Incoming, RawJson, Session, SessionBuilder};
use serde::Serialize;
use serde_json::Value;
use tokio::time::{interval, timeout};

use super::{
    ScenarioError,
    pattern::Pattern,
    place::Place,
    spec::{Call, Step},
    witness::{Seen, Witness},
};
use crate::{Recorder, ScriptedModel};

/// A session that is being played.
pub(super) struct Play<'a> {
    session: Session,
    place: &'a Place,
    recorder: &'a Recorder,
    model: &'a ScriptedModel,
    witness: &'a Witness,
    /// What came so far, as JSON.
    messages: Vec<Value>,
    number: usize,
    /// How often each callback was waited for.
    waited: Vec<String>,
}

impl<'a> Play<'a> {
    /// Starts the session and shakes hands.
    pub(super) async fn start(
        builder: SessionBuilder,
        place: &'a Place,
        recorder: &'a Recorder,
        model: &'a ScriptedModel,
        witness: &'a Witness,
    ) -> Result<Self, ScenarioError> {
        let session =
            within(0, "the handshake", async { builder.connect().await.map_err(|error| chain(&error)) })
                .await?;
        Ok(Self {
            session,
            place,
            recorder,
            model,
            witness,
            messages: Vec::new(),
            number: 0,
            waited: Vec::new(),
        })
    }

    /// Takes a step.
    pub(super) async fn take(&mut self, step: &Step) -> Result<(), ScenarioError> {
        self.number += 1;
        let (number, name) = (self.number, name(step));
        within(number, &name, self.act(step)).await
    }

    /// Ends the session, and gives all that came.
    pub(super) async fn finish(mut self) -> Result<Vec<Value>, ScenarioError> {
        let after = self.number + 1;
        self.session.end_input();
        within(after, "the end of the session", async {
            while self.next().await?.is_some() {}
            // The end was told by `next`; this waits for the task alone.
            drop(self.session.close().await);
            Ok(self.messages)
        })
        .await
    }

    /// Ends the session after a step has failed: the folders of the run must not go while the CLI writes to them.
    pub(super) async fn give_up(self) {
        // That the session ended badly is no news any more, and its graces bound the wait.
        drop(self.session.close().await);
    }

    async fn act(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Prompt(text) => self.session.send(text.as_str()).await.map_err(|error| chain(&error)),
            Step::Until(pattern) => self.until(pattern).await,
            Step::Asked(tool) => self.seen("asked", tool, |seen| &seen.asked).await,
            Step::Hooked(event) => self.seen("hooked", event, |seen| &seen.hooked).await,
            Step::Sent(pattern) => self.sent(pattern).await,
            Step::File(file) => self.file(file).await,
            Step::Held(gate) => self.model.held(gate).await.map_err(|error| chain(&error)),
            Step::Release(gate) => self.model.release(gate).map_err(|error| chain(&error)),
            Step::Answer(name) => {
                self.witness.note(|seen| seen.answered.push(name.clone()));
                Ok(())
            }
            Step::Interrupt => done(self.session.interrupt().await),
            Step::SetModel(model) => done(self.session.set_model(model.as_deref()).await),
            Step::SetPermissionMode(mode) => done(self.session.set_permission_mode(mode.clone()).await),
            Step::McpStatus(pattern) => answered(self.session.mcp_status().await, Some(pattern)),
            Step::Call(call) => self.call(call).await,
            Step::EndInput => {
                self.session.end_input();
                Ok(())
            }
        }
    }

    async fn until(&mut self, pattern: &Pattern) -> Result<(), String> {
        let before = self.messages.len();
        loop {
            match self.next().await? {
                Some(message) if pattern.fits(message) => return Ok(()),
                Some(_) => {}
                None => {
                    let came: Vec<String> = self.messages[before..].iter().map(kind_of).collect();
                    return Err(format!("the session ended first; there came {}", came.join(", ")));
                }
            }
        }
    }

    /// Waits until a callback was called once more than it was waited for before.
    async fn seen(&mut self, verb: &str, what: &str, of: fn(&Seen) -> &[String]) -> Result<(), String> {
        let waited = format!("{verb} {what}");
        let times = 1 + self.waited.iter().filter(|before| **before == waited).count();
        self.waited.push(waited);
        self.witness.until(|seen| of(seen).iter().filter(|seen| *seen == what).count() >= times).await;
        Ok(())
    }

    /// Waits until our side has written such a line, as answers are that no step asks for.
    async fn sent(&self, pattern: &Pattern) -> Result<(), String> {
        let mut looks = interval(BETWEEN_LOOKS);
        loop {
            let transcript = self.recorder.transcript().map_err(|error| chain(&error))?;
            let mut lines = transcript.outbound().filter_map(|line| serde_json::from_slice(line).ok());
            if lines.any(|line| pattern.fits(&line)) {
                return Ok(());
            }
            looks.tick().await;
        }
    }

    /// Waits until the file is there: what a tool does in its own process is seen by nothing else.
    async fn file(&self, file: &str) -> Result<(), String> {
        let mut looks = interval(BETWEEN_LOOKS);
        while !self.place.file(file).exists() {
            looks.tick().await;
        }
        Ok(())
    }

    async fn call(&self, call: &Call) -> Result<(), String> {
        let request: Value = call.request.decode().map_err(|error| chain(&error))?;
        let subtype = request["subtype"].as_str().unwrap_or_default();
        let reply = self.session.control().call_raw(subtype, &call.request).await;
        match (reply, &call.error) {
            (reply, None) => answered(reply.map_err(Error::from), call.reply.as_ref()),
            (Ok(reply), Some(_)) => Err(format!("was to be refused, but was answered: {reply}")),
            (Err(ControlError::Rejected { message, code, .. }), Some(pattern)) => {
                let error = serde_json::json!({"message": message, "code": code});
                if pattern.fits(&error) { Ok(()) } else { Err(format!("was refused otherwise: {error}")) }
            }
            (Err(error), Some(_)) => Err(chain(&error)),
        }
    }

    /// The next message; a line that is none is an error, since nothing in a scenario is unknown to the facade's codec.
    async fn next(&mut self) -> Result<Option<&Value>, String> {
        match self.session.next().await {
            Some(Ok(Incoming::Message(_, line))) => {
                let message = serde_json::from_slice(line.as_bytes()).map_err(|error| error.to_string())?;
                self.messages.push(message);
                Ok(self.messages.last())
            }
            Some(Ok(other)) => Err(format!("not a message: {other:?}")),
            // The exit code is looked at with the other expectations.
            Some(Err(Error::Ended(ending))) if !ending.in_turn && ending.transport.is_none() => Ok(None),
            Some(Err(error)) => Err(chain(&error)),
            None => Ok(None),
        }
    }
}

/// Does something within the limit that every wait has.
async fn within<T>(
    number: usize,
    name: &str,
    work: impl Future<Output = Result<T, String>>,
) -> Result<T, ScenarioError> {
    match timeout(LIMIT, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(why)) => Err(step_error(number, name, why)),
        Err(_) => Err(step_error(number, name, format!("nothing came of it within {LIMIT:?}"))),
    }
}

pub(super) fn step_error(number: usize, step: &str, why: String) -> ScenarioError {
    ScenarioError::Step { number, step: step.to_owned(), why }
}

/// The `type`, and the `subtype` where there is one.
pub(super) fn kind_of(message: &Value) -> String {
    let kind = message["type"].as_str().unwrap_or("?");
    match message["subtype"].as_str() {
        Some(subtype) => format!("{kind}/{subtype}"),
        None => kind.to_owned(),
    }
}

fn done<T>(reply: Result<T, Error>) -> Result<(), String> {
    reply.map(drop).map_err(|error| chain(&error))
}

fn answered<T: Serialize>(reply: Result<T, Error>, pattern: Option<&Pattern>) -> Result<(), String> {
    let reply = reply.map_err(|error| chain(&error))?;
    let reply = RawJson::encode(&reply).and_then(|reply| serde_json::from_str(reply.as_str()));
    let reply: Value = reply.map_err(|error| error.to_string())?;
    match pattern {
        Some(pattern) if !pattern.fits(&reply) => Err(format!("was to be answered with {pattern}: {reply}")),
        _ => Ok(()),
    }
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

fn name(step: &Step) -> String {
    match step {
        Step::Prompt(_) => "prompt".to_owned(),
        Step::Until(pattern) => format!("until {pattern}"),
        Step::Asked(tool) => format!("asked {tool}"),
        Step::Hooked(event) => format!("hooked {event}"),
        Step::Sent(pattern) => format!("sent {pattern}"),
        Step::File(file) => format!("file {file}"),
        Step::Held(gate) => format!("held {gate}"),
        Step::Release(gate) => format!("release {gate}"),
        Step::Answer(name) => format!("answer {name}"),
        Step::Interrupt => "interrupt".to_owned(),
        Step::SetModel(_) => "setModel".to_owned(),
        Step::SetPermissionMode(mode) => format!("setPermissionMode {mode}"),
        Step::McpStatus(_) => "mcpStatus".to_owned(),
        Step::Call(call) => format!("call {}", call.request),
        Step::EndInput => "endInput".to_owned(),
    }
}

/// More than any step takes on a busy machine, and far less than anyone would wait.
const LIMIT: Duration = Duration::from_secs(60);

const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
