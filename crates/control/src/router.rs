//! The router: takes frames and calls, returns events and lines to write.

mod end_input;
mod event;
mod frames;
mod inbound;
mod outbound;
mod prompt_state;
mod prompts;
mod transmit;
mod turns;

use std::{collections::VecDeque, sync::Arc, time::Duration};

use agentwire_codec::{EncodeError, encode};
use agentwire_protocol::{
    Message, RawJson, RequestId,
    control::{ControlCall, ControlCancelRequest, ControlResponse, Initialize, Interrupt, OutboundRequest},
};
use bytes::Bytes;
use serde::{Serialize, Serializer, ser::Error as _};

pub use event::{Ignored, RawEvent, Received, RouterEvent, SessionEvent, TurnEnd, TurnInfo};
pub use prompt_state::PromptState;

use crate::{ControlError, RequestClosed, SessionExit};
use inbound::Inbound;
use outbound::{Outbound, Pending};
use transmit::{Kind, Transmit};
use turns::Turns;

/// The state machine of the control protocol, without I/O, clock or tasks.
///
/// Pass frames to the `handle_…` methods and send with [`call`](Self::call), [`answer`](Self::answer) and
/// [`send_user`](Self::send_user). Then drain [`poll_event`](Self::poll_event) and
/// [`poll_transmit`](Self::poll_transmit) until they return `None`.
/// Time is a [`Duration`] since a moment of the caller's choice, and must not run backwards.
///
/// # Guarantees
///
/// - Every call ends in exactly one [`RouterEvent::Answered`], regardless of what the CLI sends.
/// - Every request of the CLI is answered at most once, and never after it was cancelled.
/// - A request that can't be read is answered with an error that names the reason.
/// - Messages keep the order of their lines; control frames come out only as
///   [`Incoming::Unhandled`](agentwire_codec::Incoming::Unhandled), or with the error of a line that can't be read.
/// - A `result` that can't be read ends its turn too, unless it is truncated; a turn without a `result` ends when the CLI
///   goes idle.
/// - After [`RouterEvent::Closed`] only the [`RouterEvent::Answered`] of later calls follow.
/// - After the end of the session, all queued lines are gone.
#[derive(Debug, Default)]
pub struct Router {
    outbound: Outbound,
    inbound: Inbound,
    turns: Turns,
    events: VecDeque<RouterEvent>,
    transmit: Transmit,
    ignored: Ignored,
    input: Input,
}

/// The state of the CLI's input.
#[derive(Debug, Default)]
enum Input {
    #[default]
    Open,
    /// It ends once the CLI is idle: until then, only answers and cancellations are sent.
    EndWhenIdle,
    /// It has ended: queued lines are written, and nothing else is sent.
    Ended,
    /// The peer takes no more input, but may still send output.
    Broken {
        reason: Arc<SessionExit>,
        /// Whether calls no longer wait for an end that names the cause.
        calls_failed: bool,
        /// Whether a prompt or an answer is lost.
        lost_line: bool,
    },
    /// The session has ended.
    Closed(Arc<SessionExit>),
}

impl Router {
    /// Creates the router of a new session.
    pub fn new() -> Self {
        Self::default()
    }

    /// Handles a failed write, or the drop of the writer: the peer takes no more input. Drops queued lines; later prompts fail.
    ///
    /// Open calls stay open, because their replies, or an end of the session that names the cause, may still arrive.
    /// Later calls are not sent and wait for that end too.
    /// Call [`fail_pending`](Self::fail_pending) after a grace period.
    pub fn handle_broken_input(&mut self, reason: SessionExit) {
        if !self.is_closed() {
            let lost_line = self.line_was_lost() || self.transmit.holds_awaited_line();
            self.input = Input::Broken { reason: Arc::new(reason), calls_failed: false, lost_line };
            self.transmit.clear();
        }
    }

    /// Fails open and later calls after a broken input, without waiting longer for the end of the session.
    ///
    /// Does nothing unless the input is broken.
    pub fn fail_pending(&mut self) {
        if let Input::Broken { reason, calls_failed, .. } = &mut self.input {
            *calls_failed = true;
            let ending = Arc::clone(reason);
            self.fail_calls(|subtype| ControlError::Closed { subtype, ending: Arc::clone(&ending) });
        }
    }

    /// Handles the end of the session: fails open calls and cancels open requests.
    pub fn handle_ending(&mut self, mut ending: SessionExit) {
        if self.is_closed() {
            return;
        }
        self.turns.describe_end(&mut ending);
        let ending = Arc::new(ending);
        self.input = Input::Closed(Arc::clone(&ending));
        self.transmit.clear();
        self.fail_calls(|subtype| ControlError::Closed { subtype, ending: Arc::clone(&ending) });
        self.events.extend(self.inbound.drain().map(RouterEvent::InboundCancelled));
        if ending.in_turn {
            self.events.push_back(RouterEvent::Session(SessionEvent::TurnEnded(TurnEnd::NoResult)));
        }
        self.events.push_back(RouterEvent::Closed(ending));
    }

    /// Advances the time. Calls past their limit time out and are cancelled.
    pub fn handle_timeout(&mut self, now: Duration) {
        while let Some((id, Pending { subtype, limit: after, .. })) = self.outbound.remove_expired(now) {
            self.send_cancel(&id);
            self.answered(id, Err(ControlError::TimedOut { subtype, after, detail: String::new() }));
        }
    }

    /// Sends a request to the CLI, with a time limit for its reply, and returns its id.
    ///
    /// The outcome is a [`RouterEvent::Answered`] with that id, even if the request can't be sent.
    pub fn call<C: ControlCall>(&mut self, now: Duration, limit: Duration, call: &C) -> RequestId {
        let id = self.outbound.register(C::SUBTYPE, now, limit);
        let line = encode(&OutboundRequest::new(&id, call));
        self.send_request(id, C::SUBTYPE, line)
    }

    /// Like [`call`](Self::call), with a raw request: an object with this `subtype`. Anything else ends the call with
    /// [`ControlError::Encode`].
    pub fn call_raw(
        &mut self,
        now: Duration,
        limit: Duration,
        subtype: &str,
        request: &RawJson,
    ) -> RequestId {
        #[derive(Serialize)]
        struct Raw<'a> {
            r#type: &'static str,
            request_id: &'a RequestId,
            #[serde(serialize_with = "with_subtype")]
            request: (&'a str, &'a RawJson),
        }
        let id = self.outbound.register(subtype, now, limit);
        let line = encode(&Raw { r#type: "control_request", request_id: &id, request: (subtype, request) });
        self.send_request(id, subtype, line)
    }

    /// Cancels a call. A late reply is ignored.
    ///
    /// A request that is still queued is not written.
    pub fn cancel(&mut self, id: &RequestId) {
        if let Some((id, Pending { subtype, .. })) = self.outbound.remove(id) {
            self.send_cancel(&id);
            self.answered(id, Err(ControlError::Cancelled { subtype }));
        }
    }

    /// Answers a request of the CLI with a `response`, or with the text of an error.
    ///
    /// # Errors
    ///
    /// Returns [`RequestClosed`] and sends nothing if the request is no longer open, or the input takes no answers.
    pub fn answer(&mut self, id: &RequestId, answer: Result<RawJson, String>) -> Result<(), RequestClosed> {
        if !self.inbound.close(id) {
            return Err(RequestClosed);
        }
        self.push_answer(id, answer);
        if self.input_is_open() { Ok(()) } else { Err(RequestClosed) }
    }

    /// Sends a raw line, newline included: a frame of a kind that this crate does not know.
    ///
    /// Send prompts with [`send_user`](Self::send_user): [`end_input_when_idle`](Self::end_input_when_idle) does not
    /// wait for the turn of a prompt in a raw line.
    ///
    /// # Errors
    ///
    /// Returns [`ControlError::Closed`] or [`ControlError::InputEnded`] if the input no longer takes lines.
    pub fn send_line(&mut self, line: Bytes) -> Result<(), ControlError> {
        self.check_input("line")?;
        self.turns.line_sent();
        self.transmit.push(line, Kind::Other);
        Ok(())
    }

    /// Fails and cancels every open call, with an error for its subtype.
    pub fn fail_calls(&mut self, error: impl Fn(Box<str>) -> ControlError) {
        while let Some((id, pending)) = self.outbound.pop() {
            self.send_cancel(&id);
            self.answered(id, Err(error(pending.subtype)));
        }
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<RouterEvent> {
        self.events.pop_front()
    }

    /// Returns the next line to write, with its newline.
    pub fn poll_transmit(&mut self) -> Option<Bytes> {
        self.transmit.pop()
    }

    /// Returns when to call [`handle_timeout`](Self::handle_timeout) next.
    pub fn poll_timeout(&self) -> Option<Duration> {
        self.outbound.next_deadline()
    }

    /// Returns whether [`poll_transmit`](Self::poll_transmit) has bytes to write.
    pub fn can_transmit(&self) -> bool {
        self.transmit.is_ready()
    }

    /// Holds back all lines until an `initialize` request is sent, which is then written first.
    pub fn hold_for_handshake(&mut self) {
        self.transmit.hold_for_handshake();
    }

    /// Returns the bytes of queued lines.
    pub fn transmit_bytes(&self) -> usize {
        self.transmit.bytes()
    }

    /// Returns the bytes of the CLI's open requests and of queued answers.
    ///
    /// The CLI decides how much it requests, so only reading less bounds this.
    pub fn inbound_bytes(&self) -> usize {
        self.inbound.bytes() + self.transmit.answer_bytes()
    }

    /// Returns the bytes of queued answers, which [`inbound_bytes`](Self::inbound_bytes) includes.
    pub fn answer_bytes(&self) -> usize {
        self.transmit.answer_bytes()
    }

    /// Returns the number of open calls, and of open requests of the CLI.
    pub fn open(&self) -> (usize, usize) {
        (self.outbound.len(), self.inbound.len())
    }

    /// Returns the counts of ignored frames.
    pub fn ignored(&self) -> Ignored {
        self.ignored
    }

    /// Returns whether answers and cancellations can still be sent. Other lines can be sent too, unless the input
    /// [is ending](Self::is_ending).
    pub fn input_is_open(&self) -> bool {
        matches!(self.input, Input::Open | Input::EndWhenIdle)
    }

    /// Returns whether the input is broken, and calls wait for an end of the session that names the cause.
    pub fn awaits_ending(&self) -> bool {
        matches!(self.input, Input::Broken { calls_failed: false, .. })
    }

    /// Returns whether the input is broken, and a prompt or an answer did not reach the peer: it was still queued, it
    /// was the last line taken, or the answer was given afterwards.
    ///
    /// The turn of such a prompt or request may never end.
    pub fn line_was_lost(&self) -> bool {
        matches!(self.input, Input::Broken { lost_line: true, .. })
    }

    /// Returns whether every prompt has its result and the CLI is not known to be busy, as before the first prompt.
    pub fn is_idle(&self) -> bool {
        self.turns.is_idle()
    }

    /// Returns whether every prompt has its result and the CLI is idle, so that its input may be ended.
    pub fn run_is_over(&self) -> bool {
        self.turns.run_is_over()
    }

    fn is_closed(&self) -> bool {
        matches!(self.input, Input::Closed(_))
    }

    /// Returns an error if the input takes no calls and prompts.
    pub(crate) fn check_input(&self, subtype: &str) -> Result<(), ControlError> {
        let subtype = subtype.into();
        match &self.input {
            Input::Open => Ok(()),
            Input::EndWhenIdle | Input::Ended => Err(ControlError::InputEnded { subtype }),
            Input::Broken { reason: ending, .. } | Input::Closed(ending) => {
                Err(ControlError::Closed { subtype, ending: Arc::clone(ending) })
            }
        }
    }

    /// Queues the line of the call `id`, or ends the call with an error.
    fn send_request(&mut self, id: RequestId, subtype: &str, line: Result<Bytes, EncodeError>) -> RequestId {
        let line = line.map_err(|source| ControlError::Encode { subtype: subtype.into(), source });
        match self.check_input(subtype).and(line) {
            Ok(line) if subtype == Initialize::SUBTYPE => self.transmit.push_handshake(line, id.clone()),
            Ok(line) => {
                if subtype == Interrupt::SUBTYPE {
                    self.turns.interrupt_sent();
                }
                self.transmit.push(line, Kind::Request(id.clone()));
            }
            // It stays open until the session ends with the cause, or its time limit passes.
            Err(ControlError::Closed { .. }) if self.awaits_ending() => {}
            Err(error) => {
                self.outbound.remove(&id);
                self.answered(id.clone(), Err(error));
            }
        }
        id
    }

    fn push_answer(&mut self, id: &RequestId, answer: Result<RawJson, String>) {
        if let Input::Broken { lost_line, .. } = &mut self.input {
            *lost_line = true;
        }
        let response = match answer {
            Ok(response) => ControlResponse::success(id.clone(), Some(response)),
            Err(why) => ControlResponse::failure(id.clone(), why),
        };
        // A response consists of strings and raw JSON, so encoding it does not fail.
        if self.input_is_open()
            && let Ok(line) = encode(&Message::ControlResponse(Box::new(response)))
        {
            self.transmit.push(line, Kind::Answer);
        }
    }

    fn send_cancel(&mut self, id: &RequestId) {
        // Encoding a string does not fail.
        if !self.transmit.remove_request(id)
            && self.input_is_open()
            && let Ok(line) = encode(&Message::ControlCancelRequest(ControlCancelRequest::new(id.clone())))
        {
            self.transmit.push(line, Kind::Other);
        }
    }

    fn answered(&mut self, id: RequestId, reply: Result<RawJson, ControlError>) {
        self.events.push_back(RouterEvent::Answered { id, reply });
    }
}

/// Writes a raw request. The CLI reads its `subtype`, so it must be an object with that of the call.
fn with_subtype<S: Serializer>((subtype, request): &(&str, &RawJson), to: S) -> Result<S::Ok, S::Error> {
    let fields: std::collections::BTreeMap<Box<str>, RawJson> = request.decode().unwrap_or_default();
    if fields.get("subtype").and_then(|own| own.decode::<String>().ok()).as_deref() != Some(*subtype) {
        return Err(S::Error::custom(format!("a request must be an object whose `subtype` is `{subtype}`")));
    }
    request.serialize(to)
}
