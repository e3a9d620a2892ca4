//! The router: frames in, events and lines out.

mod decoded;
mod end_input;
mod event;
mod frames;
mod inbound;
mod outbound;
mod prompts;
mod receipts;
mod transmit;
mod turn;

use std::{collections::VecDeque, sync::Arc, time::Duration};

use agentwire_codec::{EncodeError, Frame, FrameError, encode};
use agentwire_protocol::{
    Message, RawJson, RequestId,
    control::{ControlCall, ControlCancelRequest, ControlResponse, Initialize, Interrupt, OutboundRequest},
};
use bytes::Bytes;

pub(crate) use decoded::Decoded;
pub use event::{Event, Ignored, TurnEnd};
pub use receipts::PromptState;

use crate::{ControlError, RequestClosed, SessionEnd};
use inbound::Inbound;
use outbound::{Outbound, Pending};
use receipts::PromptTracker;
use transmit::{Kind, Transmit};
use turn::TurnTracker;

/// Routes the control protocol: no I/O, no clock, no task.
///
/// Put frames in with the `handle_…` verbs and requests with [`call`](Self::call), [`answer`](Self::answer) and
/// [`send_user`](Self::send_user); take what is to be done with the `poll_…` verbs, until each gives `None`.
/// Time is a [`Duration`] since any moment that the caller likes, and must not run backwards.
///
/// # Guarantees
///
/// - Every request of ours ends in exactly one [`Event::Answered`], whatever comes or does not come.
/// - Every request of the CLI's is answered at most once, and not at all once it was cancelled.
/// - A request that can't be read is answered with an error that says why.
/// - Messages come out in the order of their lines; control frames never come out as messages.
/// - A `result` that can't be read ends its turn all the same, unless the stream ended in the middle of it;
///   a turn that has none ends when the CLI goes idle.
/// - Nothing comes after [`Event::Closed`] but the [`Event::Answered`] of requests that are made after it.
/// - Nothing is kept to be written once the input was ended or the session has.
#[derive(Debug, Default)]
pub struct Router {
    outbound: Outbound,
    inbound: Inbound,
    turns: TurnTracker,
    receipts: PromptTracker,
    events: VecDeque<Event>,
    transmit: Transmit,
    ignored: Ignored,
    input: Input,
}

/// Whether anything can still be sent.
#[derive(Debug, Default)]
enum Input {
    #[default]
    Open,
    /// It ends once the CLI is idle: requests of the CLI's are still answered, and nothing else is sent.
    SessionEnd,
    /// Nothing more will be sent.
    Ended,
    /// The peer takes nothing more, though it may still speak.
    Broken {
        reason: Arc<SessionEnd>,
        /// Whether an ending that says more is no longer waited for.
        given_up: bool,
        /// Whether a prompt was among what was dropped.
        lost_prompt: bool,
    },
    /// The session has ended.
    Closed(Arc<SessionEnd>),
}

impl Router {
    /// A router for a fresh session.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next frame of the CLI's.
    pub fn handle_frame(&mut self, frame: Frame) {
        self.handle_decoded(Decoded::of(frame));
    }

    /// Takes the error that stands for a line that was dropped.
    ///
    /// What the line would have been is told by its start, so that nothing waits for it.
    pub fn handle_fault(&mut self, fault: FrameError) {
        if self.is_closed() {
            self.ignored.after_end += 1;
            return;
        }
        self.handle_lost(fault);
    }

    /// The peer takes no more input, for this reason: what waits to be written is dropped, and later prompts fail.
    ///
    /// Open requests stay open, since their replies, or an ending that says more, may be on their way.
    /// Later requests are not sent, and stay open for that ending too.
    /// Give them a while, then [`fail_pending`](Self::fail_pending).
    pub fn handle_broken_input(&mut self, reason: SessionEnd) {
        if !self.is_closed() {
            let lost_prompt = self.prompt_was_lost() || self.transmit.holds_prompt();
            self.input = Input::Broken { reason: Arc::new(reason), given_up: false, lost_prompt };
            self.transmit.clear();
        }
    }

    /// The ending that says why the input is broken was waited for long enough: open requests fail, and later ones do.
    ///
    /// Does nothing while the input is not broken.
    pub fn fail_pending(&mut self) {
        if let Input::Broken { reason, given_up, .. } = &mut self.input {
            *given_up = true;
            let ending = Arc::clone(reason);
            self.fail_calls(|subtype| ControlError::Closed { subtype, ending: Arc::clone(&ending) });
        }
    }

    /// The session has ended: fails what is open, at once.
    pub fn handle_ending(&mut self, mut ending: SessionEnd) {
        if self.is_closed() {
            return;
        }
        (ending.error_result, ending.error_kind) = self.turns.take_error();
        ending.in_turn = self.turns.in_turn();
        ending.interrupted = ending.in_turn && self.turns.is_interrupted();
        let ending = Arc::new(ending);
        self.input = Input::Closed(Arc::clone(&ending));
        self.transmit.clear();
        self.fail_calls(|subtype| ControlError::Closed { subtype, ending: Arc::clone(&ending) });
        self.events.extend(self.inbound.drain().map(Event::InboundCancelled));
        if ending.in_turn {
            self.end_turn(TurnEnd::NoResult);
        }
        self.events.push_back(Event::Closed(ending));
    }

    /// Takes note of the time: requests whose limit has run out are given up, and the CLI is told.
    pub fn handle_timeout(&mut self, now: Duration) {
        while let Some((id, pending)) = self.outbound.remove_expired(now) {
            self.send_cancel(&id);
            let error = ControlError::TimedOut { subtype: pending.subtype, after: pending.limit };
            self.answered(id, Err(error));
        }
    }

    /// Asks the CLI, with a limit for its reply.
    ///
    /// The reply comes as an [`Event::Answered`] with the id that is returned, also where it can't be sent.
    pub fn call<C: ControlCall>(&mut self, now: Duration, limit: Duration, call: &C) -> RequestId {
        let id = self.outbound.register(C::SUBTYPE, now, limit);
        if C::SUBTYPE == Interrupt::SUBTYPE {
            self.turns.interrupt_sent();
        }
        let line = encode(&OutboundRequest::new(&id, call));
        self.send_request(id, C::SUBTYPE, line)
    }

    /// As [`call`](Self::call), with a request written by the caller: an object with its `subtype`.
    pub fn call_raw(
        &mut self,
        now: Duration,
        limit: Duration,
        subtype: &str,
        request: &RawJson,
    ) -> RequestId {
        #[derive(serde::Serialize)]
        struct Raw<'a> {
            r#type: &'static str,
            request_id: &'a RequestId,
            request: &'a RawJson,
        }
        let id = self.outbound.register(subtype, now, limit);
        let line = encode(&Raw { r#type: "control_request", request_id: &id, request });
        self.send_request(id, subtype, line)
    }

    /// Takes a request of ours back; a reply that comes all the same is ignored.
    ///
    /// One that still waits to be written is not written.
    pub fn cancel(&mut self, id: &RequestId) {
        if let Some(Pending { subtype, .. }) = self.outbound.remove(id) {
            self.send_cancel(id);
            self.answered(id.clone(), Err(ControlError::Cancelled { subtype }));
        }
    }

    /// Answers a request of the CLI's: with what it asked for, or with a text that says why not.
    ///
    /// # Errors
    ///
    /// [`RequestClosed`] where the request is no longer open, or nothing can be sent any more; nothing is sent then.
    pub fn answer(&mut self, id: &RequestId, reply: Result<RawJson, String>) -> Result<(), RequestClosed> {
        if !self.inbound.close(id) || !self.input_is_open() {
            return Err(RequestClosed);
        }
        self.push_answer(id, reply);
        Ok(())
    }

    /// Sends a line as it is, newline included, as an outbound frame of a kind that this crate does not know.
    ///
    /// # Errors
    ///
    /// [`ControlError::Closed`] or [`ControlError::InputEnded`] where nothing can be sent any more.
    pub fn send_line(&mut self, line: Bytes) -> Result<(), ControlError> {
        self.check_input("line")?;
        self.turns.line_sent();
        self.transmit.push(line, Kind::Other);
        Ok(())
    }

    /// Gives every open request of ours up, for a reason that depends on its subtype, and takes them back.
    pub fn fail_calls(&mut self, error: impl Fn(Box<str>) -> ControlError) {
        while let Some((id, pending)) = self.outbound.pop() {
            self.send_cancel(&id);
            self.answered(id, Err(error(pending.subtype)));
        }
    }

    /// What happened, in order.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// What is to be written, in order, each a line with its newline.
    pub fn poll_transmit(&mut self) -> Option<Bytes> {
        self.transmit.pop()
    }

    /// As [`poll_transmit`](Self::poll_transmit), and short answers in a row at once: each write costs a system call.
    #[cfg(feature = "driver")]
    pub(crate) fn poll_write(&mut self) -> Option<Bytes> {
        self.transmit.pop_run()
    }

    /// When to call [`handle_timeout`](Self::handle_timeout) next.
    pub fn poll_timeout(&self) -> Option<Duration> {
        self.outbound.next_deadline()
    }

    /// Whether something waits to be written, or the input is to be ended.
    #[cfg(feature = "driver")]
    pub(crate) fn has_to_write(&self) -> bool {
        self.transmit.is_ready() || !self.input_is_open()
    }

    /// Holds back what is sent until an `initialize` request was sent, which is then written first.
    #[cfg(feature = "driver")]
    pub(crate) fn put_handshake_first(&mut self) {
        self.transmit.put_handshake_first();
    }

    /// The bytes that wait to be written.
    pub fn transmit_bytes(&self) -> usize {
        self.transmit.bytes()
    }

    /// The bytes that the CLI's requests hold: those of the open ones, and answers that wait to be written.
    ///
    /// Only reading less keeps this bounded, since the CLI decides how much it asks.
    pub fn inbound_bytes(&self) -> usize {
        self.inbound.bytes() + self.transmit.answer_bytes()
    }

    /// The part of [`inbound_bytes`](Self::inbound_bytes) that answers hold.
    pub fn answer_bytes(&self) -> usize {
        self.transmit.answer_bytes()
    }

    /// How many requests of ours and of the CLI's are open.
    pub fn open(&self) -> (usize, usize) {
        (self.outbound.len(), self.inbound.len())
    }

    /// What was ignored so far.
    pub fn ignored(&self) -> Ignored {
        self.ignored
    }

    /// Whether answers can still be sent, and everything else too unless the input [is ending](Self::is_ending).
    pub fn input_is_open(&self) -> bool {
        matches!(self.input, Input::Open | Input::SessionEnd)
    }

    /// Whether the input is broken, and an ending that says why may be on its way.
    pub fn awaits_ending(&self) -> bool {
        matches!(self.input, Input::Broken { given_up: false, .. })
    }

    /// Whether the input broke with a prompt that waited to be written, or that was the last line to be taken: the
    /// peer will not answer it.
    pub fn prompt_was_lost(&self) -> bool {
        matches!(self.input, Input::Broken { lost_prompt: true, .. })
    }

    /// Whether no prompt waits for its result and the CLI is not known to be busy; so also before the first prompt.
    pub fn is_idle(&self) -> bool {
        self.turns.is_idle()
    }

    /// Whether every prompt has its result and the CLI is idle, so that its input may be ended.
    pub fn run_is_over(&self) -> bool {
        self.turns.run_is_over()
    }

    fn is_closed(&self) -> bool {
        matches!(self.input, Input::Closed(_))
    }

    /// Why nothing can be sent, where that is so.
    fn check_input(&self, subtype: &str) -> Result<(), ControlError> {
        let subtype = subtype.into();
        match &self.input {
            Input::Open => Ok(()),
            Input::SessionEnd | Input::Ended => Err(ControlError::InputEnded { subtype }),
            Input::Broken { reason: ending, .. } | Input::Closed(ending) => {
                Err(ControlError::Closed { subtype, ending: Arc::clone(ending) })
            }
        }
    }

    /// Sends the request that is registered under `id`, or says why it can't be sent.
    fn send_request(&mut self, id: RequestId, subtype: &str, line: Result<Bytes, EncodeError>) -> RequestId {
        let line = line.map_err(|source| ControlError::Encode { subtype: subtype.into(), source });
        match self.check_input(subtype).and(line) {
            Ok(line) if subtype == Initialize::SUBTYPE => self.transmit.push_handshake(line, id.clone()),
            Ok(line) => self.transmit.push(line, Kind::Request(id.clone())),
            // It stays open until the ending tells the cause, or its limit runs out.
            Err(ControlError::Closed { .. }) if self.awaits_ending() => {}
            Err(error) => {
                self.outbound.remove(&id);
                self.answered(id.clone(), Err(error));
            }
        }
        id
    }

    /// Answers with an error's text.
    fn refuse_with(&mut self, id: &RequestId, why: String) {
        self.push_answer(id, Err(why));
    }

    fn push_answer(&mut self, id: &RequestId, reply: Result<RawJson, String>) {
        let response = match reply {
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
        // As above: a string can always be written.
        if !self.transmit.remove_request(id)
            && self.input_is_open()
            && let Ok(line) = encode(&Message::ControlCancelRequest(ControlCancelRequest::new(id.clone())))
        {
            self.transmit.push(line, Kind::Other);
        }
    }

    fn answered(&mut self, id: RequestId, reply: Result<RawJson, ControlError>) {
        self.events.push_back(Event::Answered { id, reply });
    }

    fn end_turn(&mut self, end: TurnEnd) {
        self.events.push_back(Event::TurnEnded(end));
        self.check_run();
    }

    fn check_run(&mut self) {
        self.check_ending();
        if self.turns.take_run_over() {
            self.events.push_back(Event::RunOver);
        }
    }
}
