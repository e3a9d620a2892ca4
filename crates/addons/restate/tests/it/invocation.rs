//! One invocation of a handler, over the protocol between Restate and its SDKs (version 6).

mod messages;

use agentwire_restate::{Ingress, handlers};
use axum::{
    body::{Body, BodyDataStream, Bytes},
    http::Request,
};
use futures_util::{StreamExt as _, stream};
use prost::Message;
use restate_sdk::prelude::Endpoint;
use serde::Serialize;
use serde_json::Value;
use tokio::{sync::mpsc, time::timeout};

use crate::node::LIMIT;
use messages::{
    Completion, Failed, Input, Named, OneWayCall, Output, Proposal, Resolved, Signal, Start, State,
};

/// A running handler.
pub(crate) struct Invocation {
    input: mpsc::UnboundedSender<Vec<u8>>,
    output: BodyDataStream,
    buffer: Vec<u8>,
    /// The steps that have begun, with their names.
    runs: Vec<Named>,
    /// The last timer.
    timer: u32,
    /// When it ends, in milliseconds since 1970.
    pub(crate) due: u64,
}

/// A command of a handler to Restate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    Set(String, Value),
    Clear(String),
    ClearAll,
    /// A step with its name and its result, which is stored.
    Run(String, Value),
    Sleep,
    /// A call of `SERVICE/KEY/HANDLER` without an answer.
    Send(String, Value),
    /// The resolution of an awakeable.
    Resolve(String, Value),
    /// A signal to another invocation.
    Signal(String),
    /// The result of the handler.
    Return(Value),
    /// The final error of the handler.
    Fail(u32, String),
}

impl Invocation {
    /// Calls `SERVICE/HANDLER` of an object with this state.
    pub(crate) fn new(
        ingress: &str,
        handler: &str,
        key: &str,
        state: &[(&str, Value)],
        body: &impl Serialize,
    ) -> Self {
        let endpoint: Endpoint = handlers(Ingress::new([ingress]).unwrap(), "agents");
        let (input, receiver) = mpsc::unbounded_channel::<Vec<u8>>();
        let body_of_request = stream::unfold(receiver, async |mut receiver| {
            let bytes = receiver.recv().await?;
            Some((Ok::<_, std::convert::Infallible>(Bytes::from(bytes)), receiver))
        });
        let request = Request::post(format!("/invoke/{handler}"))
            .header("content-type", "application/vnd.restate.invocation.v6")
            .body(Body::from_stream(body_of_request))
            .unwrap();
        let output = Body::new(endpoint.handle(request)).into_data_stream();
        let invocation = Self { input, output, buffer: Vec::new(), runs: Vec::new(), timer: 0, due: 0 };
        invocation.write(0x0000, &Start::new(key, state));
        invocation.write(0x0400, &Input::new(json_or_nothing(body)));
        invocation
    }

    /// Returns the next command. The result of a step is stored at once.
    pub(crate) async fn next(&mut self) -> Command {
        loop {
            let (kind, body) = timeout(LIMIT, self.read()).await.unwrap();
            let body = body.as_slice();
            return match kind {
                0x0001 => panic!("the handler is suspended"),
                0x0002 => panic!("{:?}", Failed::decode(body).unwrap()),
                0x0005 => {
                    let Proposal { id, value } = Proposal::decode(body).unwrap();
                    let run = self.runs.iter().find(|run| run.completion == id).unwrap();
                    let command = Command::Run(run.name.clone(), value_of(&value));
                    self.write(0x8011, &Completion::of(id, Some(value)));
                    command
                }
                0x0401 => match Output::decode(body).unwrap() {
                    Output { failure: Some(failure), .. } => Command::Fail(failure.code, failure.message),
                    Output { value, .. } => Command::Return(value_of(&value.unwrap_or_default().content)),
                },
                0x0403 => {
                    let State { key, value } = State::decode(body).unwrap();
                    Command::Set(key, value_of(&value.unwrap_or_default().content))
                }
                0x0404 => Command::Clear(State::decode(body).unwrap().key),
                0x0405 => Command::ClearAll,
                0x040C => {
                    let timer = Named::decode(body).unwrap();
                    (self.timer, self.due) = (timer.completion, timer.due);
                    Command::Sleep
                }
                0x040E => {
                    let OneWayCall { service, handler, parameter, key } = OneWayCall::decode(body).unwrap();
                    Command::Send(format!("{service}/{key}/{handler}"), value_of(&parameter))
                }
                0x0410 => Command::Signal(State::decode(body).unwrap().key),
                0x0411 => {
                    self.runs.push(Named::decode(body).unwrap());
                    continue;
                }
                0x0414 => {
                    let Resolved { target, value } = Resolved::decode(body).unwrap();
                    Command::Resolve(target, value_of(&value.unwrap_or_default().content))
                }
                // Reads of the state, which came with the call.
                0x0407 | 0x0408 => continue,
                other => panic!("the command {other:#06x} is not part of this test"),
            };
        }
    }

    /// Returns the commands up to one of this kind, which is the last of them.
    pub(crate) async fn until(&mut self, is_last: impl Fn(&Command) -> bool) -> Vec<Command> {
        let mut commands = Vec::new();
        loop {
            let command = self.next().await;
            let found = is_last(&command);
            commands.push(command);
            if found {
                return commands;
            }
        }
    }

    /// Returns the commands up to the step of this name.
    pub(crate) async fn until_run(&mut self, step: &str) -> Vec<Command> {
        self.until(|command| matches!(command, Command::Run(name, _) if name == step)).await
    }

    /// Returns the commands up to the result of the handler, or its error.
    pub(crate) async fn ended(&mut self) -> Vec<Command> {
        self.until(|command| matches!(command, Command::Return(_) | Command::Fail(..))).await
    }

    /// Resolves an awakeable: the handler's first one is 0.
    pub(crate) fn resolve(&self, number: u32, value: &impl Serialize) {
        self.write(0xFBFF, &Signal::of(FIRST_AWAKEABLE + number, Some(json_or_nothing(value))));
    }

    /// Ends the last timer.
    pub(crate) fn wake(&self) {
        self.write(0x800C, &Completion::of(self.timer, None));
    }

    /// Asks the handler to end.
    pub(crate) fn cancel(&self) {
        self.write(0xFBFF, &Signal::of(CANCEL, None));
    }

    fn write(&self, kind: u16, message: &impl Message) {
        let length = u32::try_from(message.encoded_len()).unwrap();
        let mut bytes = [kind.to_be_bytes(), [0; 2]].concat();
        bytes.extend(length.to_be_bytes());
        bytes.extend(message.encode_to_vec());
        // The handler may have ended.
        let _ = self.input.send(bytes);
    }

    async fn read(&mut self) -> (u16, Vec<u8>) {
        let head = self.take(8).await;
        let length = u32::from_be_bytes(head[4..].try_into().unwrap());
        (u16::from_be_bytes([head[0], head[1]]), self.take(length as usize).await)
    }

    async fn take(&mut self, length: usize) -> Vec<u8> {
        while self.buffer.len() < length {
            let written = self.output.next().await;
            self.buffer.extend(written.unwrap_or_else(|| panic!("the handler has ended")).unwrap());
        }
        self.buffer.drain(..length).collect()
    }
}

fn value_of(bytes: &[u8]) -> Value {
    if bytes.is_empty() { Value::Null } else { serde_json::from_slice(bytes).unwrap() }
}

/// A handler without input takes no body.
fn json_or_nothing(value: &impl Serialize) -> Vec<u8> {
    let text = serde_json::to_vec(value).unwrap();
    if text == b"null" { Vec::new() } else { text }
}

const CANCEL: u32 = 1;
const FIRST_AWAKEABLE: u32 = 17;
