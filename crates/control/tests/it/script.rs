//! A router with a clock that the test advances, and short texts for its input and its events.

use std::{sync::Arc, time::Duration};

use agentwire_codec::{Frame, FrameError, FrameKind, Incoming, Limits, Line, LineDecoder};
use agentwire_control::{ControlError, Router, RouterEvent, SessionEvent, SessionExit};
use agentwire_protocol::{RawJson, RequestId, message::UserInput};
use agentwire_transport::ExitReport;

/// A router and its time.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) router: Router,
    pub(crate) now: Duration,
}

impl Script {
    /// Creates a router to which the user has sent a prompt.
    pub(crate) fn prompted() -> Self {
        let mut script = Self::default();
        script.router.send_user(&UserInput::new("x")).unwrap();
        script
    }

    /// Passes in a line of the CLI.
    pub(crate) fn line(&mut self, line: &str) -> &mut Self {
        self.router.handle_frame(Frame::new(Line::from(line)));
        self
    }

    /// Passes in the last line of the CLI, without a newline.
    pub(crate) fn last_line(&mut self, line: &str) -> &mut Self {
        self.router.handle_frame(Frame::truncated(Line::from(line)));
        self
    }

    /// Passes in an over-long line of the CLI that begins with `start`.
    pub(crate) fn too_long(&mut self, start: &str) -> &mut Self {
        self.router.handle_fault(too_long(start));
        self
    }

    /// Makes a call with a limit of ten seconds, and returns its id.
    pub(crate) fn call(&mut self) -> RequestId {
        let request = RawJson::parse(r#"{"subtype":"ask"}"#).unwrap();
        self.router.call_raw(self.now, Duration::from_secs(10), "ask", &request)
    }

    /// Sends a prompt with this id.
    pub(crate) fn prompt(&mut self, id: &str) -> &mut Self {
        let mut prompt = UserInput::new("x");
        prompt.uuid = Some(id.into());
        self.router.send_user(&prompt).unwrap();
        self
    }

    /// Advances the clock.
    pub(crate) fn wait(&mut self, seconds: u64) -> &mut Self {
        self.now += Duration::from_secs(seconds);
        self.router.handle_timeout(self.now);
        self
    }

    /// Ends the session with this exit code of the CLI.
    pub(crate) fn exit(&mut self, code: i32) {
        self.router.handle_ending(SessionExit::exited(ExitReport::exited(code)));
    }

    pub(crate) fn end(&mut self) -> &mut Self {
        self.router.handle_ending(SessionExit::default());
        self
    }

    /// Returns the events since the last call.
    pub(crate) fn events(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.router.poll_event()).map(describe).collect()
    }

    /// Returns how the session ended.
    pub(crate) fn ending(&mut self) -> Arc<SessionExit> {
        std::iter::from_fn(|| self.router.poll_event())
            .find_map(|event| if let RouterEvent::Closed(ending) = event { Some(ending) } else { None })
            .unwrap()
    }

    /// Returns the lines to write since the last call.
    pub(crate) fn sent(&mut self) -> Vec<String> {
        let written: Vec<u8> = std::iter::from_fn(|| self.router.poll_transmit()).flatten().collect();
        let written = String::from_utf8(written).unwrap();
        assert!(written.is_empty() || written.ends_with('\n'));
        written.lines().map(str::to_owned).collect()
    }
}

pub(crate) fn too_long(start: &str) -> FrameError {
    let mut decoder = LineDecoder::new(Limits::max_line(start.len()));
    decoder.push(format!("{start}…\n").into());
    decoder.next().unwrap().unwrap_err()
}

/// Returns a request of the CLI.
pub(crate) fn inbound(id: &str) -> String {
    format!(r#"{{"type":"control_request","request_id":"{id}","request":{{"subtype":"new_thing"}}}}"#)
}

/// Returns a cancellation by the CLI.
pub(crate) fn cancel(id: &str) -> String {
    format!(r#"{{"type":"control_cancel_request","request_id":"{id}"}}"#)
}

/// Returns a successful response.
pub(crate) fn success(id: &str, response: &str) -> String {
    let response = format!(r#"{{"subtype":"success","request_id":"{id}","response":{response}}}"#);
    format!(r#"{{"type":"control_response","response":{response}}}"#)
}

/// Returns the reported state of the session.
pub(crate) fn state(state: &str) -> String {
    format!(r#"{{"type":"system","subtype":"session_state_changed","state":"{state}"}}"#)
}

/// Returns the reported state of a prompt.
pub(crate) fn lifecycle(id: &str, state: &str) -> String {
    format!(r#"{{"type":"command_lifecycle","command_uuid":"{id}","state":"{state}"}}"#)
}

/// Returns a report about the task `t`.
pub(crate) fn task(subtype: &str, fields: &str) -> String {
    format!(r#"{{"type":"system","subtype":"{subtype}","task_id":"t","description":"d",{fields}}}"#)
}

/// Two ids of prompts.
pub(crate) const ONE: &str = "00000000-0000-4000-8000-000000000001";
pub(crate) const TWO: &str = "00000000-0000-4000-8000-000000000002";
/// The start of a turn.
pub(crate) const INIT: &str =
    r#"{"type":"system","subtype":"init","session_id":"s","cwd":"c","model":"m","tools":[]}"#;
pub(crate) const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false}"#;
pub(crate) const ERROR_RESULT: &str = r#"{"duration_api_ms":1,"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No such session"]}"#;

fn describe(event: RouterEvent) -> String {
    match event {
        RouterEvent::Session(event) => describe_session(event.decode()),
        RouterEvent::Inbound { id, request, .. } => format!("inbound {id} {}", request.kind()),
        RouterEvent::InboundCancelled(id) => format!("cancelled {id}"),
        RouterEvent::Answered { id, reply: Ok(response) } => format!("answered {id} {response}"),
        RouterEvent::Answered { id, reply: Err(error) } => format!("failed {id} {}", name(&error)),
        RouterEvent::Closed(ending) => format!("closed {ending}"),
        other => panic!("{other:?}"),
    }
}

fn describe_session(event: SessionEvent) -> String {
    match event {
        SessionEvent::Incoming(incoming, _) => match incoming {
            Incoming::Message(_, line) => format!("message {}", line.to_str().unwrap()),
            Incoming::Undecodable(_, line) => format!("undecodable {}", line.to_str().unwrap()),
            Incoming::Unhandled(_, line) => format!("unhandled {}", line.to_str().unwrap()),
            Incoming::NonJson(line) => format!("noise {}", line.to_str().unwrap()),
            Incoming::TooLong(FrameError::TooLong { kind: found, .. }) => {
                format!("too long {}", kind(&found))
            }
            other => panic!("{other:?}"),
        },
        SessionEvent::TurnEnded(end) => format!("turn ended {end:?}"),
        SessionEvent::RunOver => "run over".to_owned(),
        other => panic!("{other:?}"),
    }
}

fn kind(head: &FrameKind) -> &'static str {
    match head {
        FrameKind::Request(_) => "request",
        FrameKind::Response(_) => "response",
        FrameKind::Cancel(_) => "cancel",
        FrameKind::Result => "result",
        _ => "other",
    }
}

fn name(error: &ControlError) -> String {
    let text = format!("{error:?}");
    text.split([' ', '{']).next().unwrap().to_owned()
}
