//! Takes the steps of a scenario, one after the other, each within a limit.

mod calls;
pub(super) mod text;
mod waits;

use std::{collections::HashMap, future::Future, time::Duration};

use agentwire::{ControlError, Error, Incoming, RawJson, Session, SessionBuilder, UserInput};
use agentwire_net::error_chain;
use agentwire_protocol::decode::decode_bytes;
use bytes::Bytes;
use serde_json::Value;
use tokio::{task::JoinHandle, time::timeout};

use super::{
    pattern::Pattern,
    place::Place,
    run::shell,
    spec::{Expect, Step},
    witness::Witness,
    words::Words,
};
use crate::Failure;
use agentwire_testkit::{Recorder, ScriptedModel};

/// A session that is being played.
pub(super) struct Play<'a> {
    session: Session,
    place: &'a Place,
    recorder: &'a Recorder,
    model: &'a ScriptedModel,
    witness: &'a Witness,
    expect: &'a Expect,
    words: Words,
    /// The messages so far, as JSON.
    messages: Vec<Value>,
    number: usize,
    /// How often each callback was waited for.
    waited: Vec<String>,
    /// Requests with replies that no step has awaited yet.
    asked: HashMap<String, JoinHandle<Result<RawJson, ControlError>>>,
}

impl<'a> Play<'a> {
    /// Starts the session and shakes hands.
    pub(super) async fn start(
        builder: SessionBuilder,
        place: &'a Place,
        recorder: &'a Recorder,
        model: &'a ScriptedModel,
        witness: &'a Witness,
        words: Words,
        expect: &'a Expect,
    ) -> Result<Self, Failure> {
        let session = within(0, "the handshake", async {
            builder.connect().await.map_err(|error| error_chain(&error))
        })
        .await?;
        Ok(Self {
            session,
            place,
            recorder,
            model,
            witness,
            expect,
            words,
            messages: Vec::new(),
            number: 0,
            waited: Vec::new(),
            asked: HashMap::new(),
        })
    }

    /// Takes a step.
    pub(super) async fn take(&mut self, step: &RawJson) -> Result<(), Failure> {
        self.number += 1;
        let text = self.words.put_into(step.as_str());
        let (number, name) = (self.number, text::name(&text));
        let step: Step =
            serde_json::from_str(&text).map_err(|error| step_error(number, &name, &error.to_string()))?;
        within(number, &name, self.act(&step)).await
    }

    /// Ends the session, and returns the kept words.
    pub(super) async fn finish(mut self) -> Result<Words, Failure> {
        let after = self.number + 1;
        self.session.end_input();
        within(after, "the end of the session", async {
            while self.next().await?.is_some() {}
            // `next` reported the end already; this waits for the task alone.
            drop(self.session.close().await);
            Ok(self.words)
        })
        .await
    }

    /// Ends the session after a step has failed: the folders of the run must not be deleted while the CLI writes to
    /// them.
    pub(super) async fn give_up(self) {
        // The failure of the session is known already, and its grace periods limit the wait.
        drop(self.session.close().await);
    }

    async fn act(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Prompt(text) => self.prompt(text).await,
            Step::Turn(text) => {
                self.prompt(text).await?;
                self.until(&Pattern::idle()).await
            }
            Step::User(fields) => self.line(&text::user(fields)).await,
            Step::Line(line) => self.line(line).await,
            Step::Until(pattern) => self.until(pattern).await,
            Step::Asked(tool) => self.seen("asked", tool, |seen| &seen.asked).await,
            Step::Hooked(event) => self.seen("hooked", event, |seen| &seen.hooked).await,
            Step::Sent(pattern) => self.written(pattern, |seen| seen.outbound().cloned().collect()).await,
            Step::Received(pattern) => self.written(pattern, |seen| seen.inbound().cloned().collect()).await,
            Step::File(file) => self.file(file).await,
            Step::Held(gate) => self.model.held(gate).await.map_err(|error| error_chain(&error)),
            Step::Release(gate) => self.model.release(gate).map_err(|error| error_chain(&error)),
            Step::Answer(name) => {
                self.witness.note(|seen| seen.answered.push(name.clone()));
                Ok(())
            }
            Step::Interrupt => calls::done(self.session.interrupt().await),
            Step::SetModel(model) => calls::done(self.session.set_model(model.as_deref()).await),
            Step::SetPermissionMode(mode) => {
                calls::done(self.session.set_permission_mode(mode.clone()).await)
            }
            Step::McpStatus(pattern) => calls::answered(self.session.mcp_status().await, pattern),
            Step::Call(call) => self.call(call).await,
            Step::Ask(asking) => self.ask(asking),
            Step::Cancel(name) => self.cancel(name).await,
            Step::Replied(call) => self.replied(call).await,
            Step::Keep(names) => self.keep(names),
            Step::Run(command) => shell(command, self.place, self.model).await,
            Step::Signal(name) => self.signal(name).await,
        }
    }

    /// Sends a prompt without an id of ours: the scenario defines the line.
    async fn prompt(&self, text: &str) -> Result<(), String> {
        let prompt = UserInput::from(text);
        self.session.control().send(&prompt).await.map_err(|error| error_chain(&error))
    }

    async fn line(&self, line: &str) -> Result<(), String> {
        let line = Bytes::from(format!("{line}\n"));
        self.session.control().send_line(line).await.map_err(|error| error_chain(&error))
    }

    /// Signals the CLI, using the process id from the handshake.
    async fn signal(&self, name: &str) -> Result<(), String> {
        let pid = self.session.initialized().pid.ok_or("the CLI has not reported its process id")?;
        self.recorder.signal(name);
        let short = name.strip_prefix("SIG").unwrap_or(name);
        shell(&format!("kill -{short} {pid}"), self.place, self.model).await
    }

    /// Keeps the values at these paths of the last message that has such a path.
    fn keep(&mut self, names: &std::collections::BTreeMap<String, String>) -> Result<(), String> {
        for (name, place) in names {
            let found = self.messages.iter().rev().find_map(|message| message.pointer(place));
            let word = text::word(found).ok_or_else(|| format!("no message has a text at {place}"))?;
            self.words.set(name, word);
        }
        Ok(())
    }

    /// Returns the next message. An undecodable line is an error, since scenarios contain only known lines.
    async fn next(&mut self) -> Result<Option<&Value>, String> {
        loop {
            match self.session.next().await {
                Some(Ok(Incoming::Message(_, line))) => {
                    let message = decode_bytes(line.as_bytes()).map_err(|error| error.to_string())?;
                    self.messages.push(message);
                    return Ok(self.messages.last());
                }
                // Such a request came after the end of our input.
                Some(Ok(Incoming::Unhandled(..))) if self.expect.cut => {}
                Some(Ok(other)) => return Err(format!("not a message: {other:?}")),
                // The exit code is checked with the other expectations.
                Some(Err(Error::Ended(ending)))
                    if self.expect.cut || !ending.in_turn && ending.transport.is_none() =>
                {
                    return Ok(None);
                }
                Some(Err(error)) => return Err(error_chain(&error)),
                None => return Ok(None),
            }
        }
    }
}

/// Runs a future within the limit that every wait has.
pub(super) async fn within<T>(
    number: usize,
    name: &str,
    work: impl Future<Output = Result<T, String>>,
) -> Result<T, Failure> {
    match timeout(LIMIT, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(why)) => Err(step_error(number, name, &why)),
        Err(_) => Err(step_error(number, name, &format!("nothing came of it within {LIMIT:?}"))),
    }
}

/// Returns the failure of a step. 0 is the handshake, and the step after the last is the end of the session.
pub(super) fn step_error(number: usize, step: &str, why: &str) -> Failure {
    format!("step {number}, {step}: {why}").into()
}

/// More than any step takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
