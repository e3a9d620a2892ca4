//! The CLI's side of a session, scripted by a test line by line.

use std::{collections::VecDeque, fmt::Display, time::Duration};

use agentwire::{
    Closed, Error, Incoming, Query, Session, SessionBuilder, Turn,
    transport::{
        Connected, ExitReport, MemoryPeer, MemoryPeerHandle, MemorySink, MemorySource, MemoryTransport,
        PeerHandle, Signal, Transport, TransportError, memory,
    },
};
use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::timeout};

/// A scripted CLI.
pub(crate) struct Peer {
    pub(crate) raw: MemoryPeer,
    lines: VecDeque<Value>,
    partial: Vec<u8>,
}

impl Peer {
    pub(crate) fn new(raw: MemoryPeer) -> Self {
        Self { raw, lines: VecDeque::new(), partial: Vec::new() }
    }

    /// Returns the host's next line; `None` when it has ended our input.
    pub(crate) async fn line(&mut self) -> Option<Value> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Some(line);
            }
            self.partial.extend_from_slice(&self.raw.read().await?);
            while let Some(end) = self.partial.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.partial.drain(..=end).collect();
                self.lines.push_back(serde_json::from_slice(&line).unwrap());
            }
        }
    }

    /// Expects a prompt and returns its text.
    pub(crate) async fn prompt(&mut self) -> String {
        let line = self.line().await.expect("a prompt");
        assert_eq!(line["type"], "user", "{line}");
        line["message"]["content"].as_str().expect("a text").to_owned()
    }

    /// Expects a request of this subtype.
    pub(crate) async fn request(&mut self, subtype: &str) -> Value {
        let line = self.line().await.expect("a request");
        assert_eq!(line["type"], "control_request", "{line}");
        assert_eq!(line["request"]["subtype"], subtype, "{line}");
        line
    }

    /// Expects a response to the request with this id, and returns its inner object.
    pub(crate) async fn response(&mut self, id: &str) -> Value {
        let line = self.line().await.expect("a response");
        assert_eq!(line["type"], "control_response", "{line}");
        assert_eq!(line["response"]["request_id"], id, "{line}");
        line["response"].clone()
    }

    /// Expects an error response to the request with this id, and returns its text.
    pub(crate) async fn refusal(&mut self, id: &str) -> String {
        let response = self.response(id).await;
        assert_eq!(response["subtype"], "error", "{response}");
        assert!(response.get("response").is_none(), "{response}");
        response["error"].as_str().unwrap().to_owned()
    }

    /// Expects the end of our input.
    pub(crate) async fn input_ended(&mut self) {
        assert_eq!(self.line().await, None);
    }

    /// Expects that nothing arrives and that our input has not ended.
    pub(crate) async fn is_left_alone(&mut self) {
        // The clock is paused: this much time passes only when all tasks are idle.
        let line = timeout(Duration::from_secs(1), self.line()).await;
        assert!(line.is_err(), "{line:?}");
    }

    /// Writes one line.
    pub(crate) async fn say(&self, line: impl Display) {
        self.raw.write(format!("{line}\n")).await.unwrap();
    }

    pub(crate) async fn reply(&self, request: &Value, response: Value) {
        let response =
            json!({"subtype": "success", "request_id": request["request_id"], "response": response});
        self.say(json!({"type": "control_response", "response": response})).await;
    }

    pub(crate) async fn refuse(&self, request: &Value, error: &str, code: &str) {
        let response = json!({
            "subtype": "error", "request_id": request["request_id"], "error": error, "error_code": code,
        });
        self.say(json!({"type": "control_response", "response": response})).await;
    }

    /// Expects a request of this subtype, answers it, and returns it.
    pub(crate) async fn answer(&mut self, subtype: &str, response: Value) -> Value {
        let request = self.request(subtype).await;
        self.reply(&request, response).await;
        request
    }

    /// Starts a turn of the session, and takes its prompt.
    pub(crate) async fn start_turn<'s>(&mut self, session: &'s mut Session, prompt: &str) -> Turn<'s> {
        let turn = session.ask(prompt).await.unwrap();
        self.prompt().await;
        turn
    }

    /// Sends a prompt through the session, and takes it.
    pub(crate) async fn receive_prompt(&mut self, session: &Session, prompt: &str) {
        session.send(prompt).await.unwrap();
        self.prompt().await;
    }

    /// Sends a request to the host.
    pub(crate) async fn ask(&self, id: &str, request: Value) {
        self.say(json!({"type": "control_request", "request_id": id, "request": request})).await;
    }

    /// Ends a turn with an assistant message and a result, both with this text.
    pub(crate) async fn complete_turn(&self, text: &str) {
        self.say(assistant(text)).await;
        self.say(result(text)).await;
    }

    /// Performs the handshake; returns the host's request.
    pub(crate) async fn shake_hands(&mut self) -> Value {
        self.answer("initialize", json!({"pid": 7, "commands": []})).await
    }

    /// Ends like a process: its handle and its output.
    pub(crate) fn exit(&self, report: ExitReport) {
        self.raw.end(report);
        self.raw.close_output();
    }

    /// Ends cleanly after the end of its input.
    pub(crate) async fn exit_after_input(&mut self) {
        self.input_ended().await;
        self.exit(ExitReport::exited(0));
    }

    /// Ends cleanly while the session is closed.
    pub(crate) async fn close(&mut self, session: Session) -> Result<Closed, Error> {
        tokio::join!(session.close(), self.exit_after_input()).0
    }
}

/// Connects a session while `handshake` plays the peer; returns the results of both.
pub(crate) async fn connect<T>(
    builder: SessionBuilder,
    handshake: impl AsyncFnOnce(&mut Peer) -> T,
) -> (Result<Session, Error>, Peer, T) {
    let (transport, peer) = memory(1 << 20);
    let mut peer = Peer::new(peer);
    let (session, played) = tokio::join!(builder.transport(transport).connect(), handshake(&mut peer));
    (session, peer, played)
}

/// Returns a session with a peer and pipes of ample capacity.
pub(crate) async fn connected(builder: SessionBuilder) -> (Session, Peer) {
    connected_with(builder, 1 << 20).await
}

pub(crate) async fn connected_with(builder: SessionBuilder, capacity: usize) -> (Session, Peer) {
    let (transport, peer) = memory(capacity);
    let mut peer = Peer::new(peer);
    let (session, _) = tokio::join!(builder.transport(transport).connect(), peer.shake_hands());
    (session.unwrap(), peer)
}

/// Returns a session with a peer that looks like a process.
pub(crate) async fn connected_to_a_process(builder: SessionBuilder) -> (Session, Peer) {
    let (transport, peer) = memory(1 << 20);
    let mut peer = Peer::new(peer);
    let (session, _) = tokio::join!(builder.transport(Process(transport)).connect(), peer.shake_hands());
    (session.unwrap(), peer)
}

/// The transport and the handle of a peer that looks like a process.
struct Process<T>(T);

impl Transport for Process<MemoryTransport> {
    type Source = MemorySource;
    type Sink = MemorySink;
    type Handle = Process<MemoryPeerHandle>;

    async fn open(
        self,
    ) -> Result<Connected<MemorySource, MemorySink, Process<MemoryPeerHandle>>, TransportError> {
        let Connected { source, sink, handle } = self.0.open().await?;
        Ok(Connected { source, sink, handle: Process(handle) })
    }
}

impl PeerHandle for Process<MemoryPeerHandle> {
    async fn wait(&self) -> ExitReport {
        self.0.wait().await
    }

    fn signal(&self, signal: Signal) -> Result<(), TransportError> {
        self.0.signal(signal)
    }

    fn has_process(&self) -> bool {
        true
    }
}

/// Returns the kind of a message, or how decoding failed, in a word.
pub(crate) fn kind(incoming: &Incoming) -> String {
    match incoming {
        Incoming::Message(message, _) => message.kind().to_owned(),
        Incoming::Undecodable(..) => "undecodable".to_owned(),
        Incoming::NonJson(_) => "noise".to_owned(),
        Incoming::TooLong(_) => "too long".to_owned(),
        Incoming::Unhandled(message, _) => format!("unhandled {}", message.kind()),
        other => panic!("{other:?}"),
    }
}

/// Returns the kinds of the rest of a turn, which must not fail.
pub(crate) async fn rest(turn: &mut Turn<'_>) -> Vec<String> {
    let mut kinds = Vec::new();
    while let Some(incoming) = turn.next().await {
        kinds.push(kind(&incoming.unwrap()));
    }
    kinds
}

/// Returns the kind of the session's next message, which must not be its end.
pub(crate) async fn next_kind(session: &mut Session) -> String {
    kind(&session.next().await.expect("a message").unwrap())
}

/// A query that is read: the kinds of its messages, and the error at its end.
pub(crate) type Reading = JoinHandle<(Vec<String>, Option<Error>)>;

/// Reads a query to its end in the background.
pub(crate) fn read(mut query: Query) -> Reading {
    tokio::spawn(async move {
        let (mut kinds, mut error) = (Vec::new(), None);
        while let Some(incoming) = query.next().await {
            assert!(error.is_none(), "{incoming:?} after {error:?}");
            match incoming {
                Ok(incoming) => kinds.push(kind(&incoming)),
                Err(failure) => error = Some(failure),
            }
        }
        assert!(query.next().await.is_none());
        (kinds, error)
    })
}

/// Starts a query of the prompt `hi`, reads it in the background, and takes its prompt.
pub(crate) async fn query(builder: SessionBuilder) -> (Reading, Peer) {
    let (session, mut peer) = connected(builder).await;
    let query = session.into_query("hi").await.unwrap();
    assert_eq!(peer.prompt().await, "hi");
    (read(query), peer)
}

/// Returns the one error that a session ends with.
pub(crate) async fn fails(session: &mut Session) -> Error {
    let error = session.next().await.expect("an error").expect_err("an error");
    assert!(session.next().await.is_none());
    error
}

/// Returns a question whether this tool may be used.
pub(crate) fn can_use_tool(tool: &str) -> Value {
    json!({"subtype": "can_use_tool", "tool_name": tool, "input": {}, "tool_use_id": "toolu_1"})
}

/// Returns a call of the first hook, for a use of this tool.
pub(crate) fn pre_tool_use(tool: &str) -> Value {
    json!({"subtype": "hook_callback", "callback_id": "hook_0", "tool_use_id": "toolu_1", "input": {
        "session_id": "s", "transcript_path": "/t", "cwd": "/w", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {}, "tool_use_id": "toolu_1",
    }})
}

pub(crate) fn assistant(text: &str) -> Value {
    json!({
        "type": "assistant", "parent_tool_use_id": null, "session_id": "s",
        "message": {"id": "msg_1", "model": "m", "content": [{"type": "text", "text": text}], "stop_reason": null},
    })
}

/// Returns a result that does not start with its type, like the real ones.
pub(crate) fn result(text: &str) -> String {
    format!(
        r#"{{"duration_api_ms":1,"subtype":"success","is_error":false,"result":"{text}","type":"result","num_turns":1}}"#
    )
}

pub(crate) fn error_result(text: &str) -> Value {
    json!({"type": "result", "subtype": "error_during_execution", "is_error": true, "errors": [text]})
}

pub(crate) fn state(state: &str) -> Value {
    json!({"type": "system", "subtype": "session_state_changed", "state": state, "session_id": "s", "uuid": "u"})
}

/// Returns the start of a turn.
pub(crate) fn init() -> Value {
    json!({"type": "system", "subtype": "init", "session_id": "s", "cwd": "/", "model": "m", "uuid": "u"})
}
