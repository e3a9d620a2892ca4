//! The router: frames in, events and lines out.

mod event;
mod inbound;
mod outbound;
mod turn;

use std::{collections::VecDeque, sync::Arc, time::Duration};

use agentwire_codec::{EncodeError, Frame, FrameError, Head, Incoming, encode};
use agentwire_protocol::{
    Message, RawJson, RequestId,
    control::{ControlCall, ControlCancelRequest, ControlResponse, OutboundRequest},
    message::UserInput,
};
use bytes::Bytes;

pub use event::{Event, Ignored, TurnEnd};

use crate::{ControlError, Ending, Stale};
use inbound::Inbound;
use outbound::{Outbound, Pending};
use turn::Ledger;

/// Routes the control protocol: no I/O, no clock, no task.
///
/// Put frames in with the `handle_…` verbs and requests with [`call`](Self::call), [`answer`](Self::answer) and
/// [`send_user`](Self::send_user); take what is to be done with the `poll_…` verbs, until each gives `None`.
/// Time is a [`Duration`] since any moment that the caller likes, and must not run backwards.
///
/// # Guarantees
///
/// - Every request of ours ends in exactly one [`Event::Answered`], whatever comes or does not come.
/// - Every request of the CLI's is answered at most once, and not at all once it was taken back.
/// - A request that can't be read is answered with an error that says why.
/// - Messages come out in the order of their lines; control frames never come out as messages.
/// - A `result` that can't be read ends its turn all the same.
#[derive(Debug, Default)]
pub struct Router {
    outbound: Outbound,
    inbound: Inbound,
    ledger: Ledger,
    events: VecDeque<Event>,
    transmit: VecDeque<Bytes>,
    transmit_bytes: usize,
    ignored: Ignored,
    closed: Option<Arc<Ending>>,
    input_ended: bool,
}

impl Router {
    /// A router for a fresh session.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next frame of the CLI's.
    pub fn handle_frame(&mut self, frame: Frame) {
        match frame.head.clone() {
            Head::Request(id) => self.handle_request(id, frame),
            Head::Response(id) => self.handle_response(id, frame),
            Head::Cancel(id) => self.handle_cancel(id),
            Head::Result => self.handle_result(frame),
            _ => self.handle_message(frame),
        }
    }

    /// Takes the error that stands for a line that was dropped.
    ///
    /// What the line would have been is told by its start, so that nothing waits for it.
    pub fn handle_fault(&mut self, fault: FrameError) {
        let FrameError::TooLong { ref head, .. } = fault else {
            return self.events.push_back(Event::Incoming(Incoming::TooLong(fault)));
        };
        match head.clone() {
            Head::Request(Some(id)) => self.refuse(id, fault.to_string()),
            Head::Response(Some(id)) => {
                if let Some(Pending { subtype, .. }) = self.outbound.remove(&id) {
                    let message = fault.to_string();
                    self.answered(id, Err(ControlError::Rejected { subtype, message, code: None }));
                }
            }
            Head::Result => {
                self.events.push_back(Event::Incoming(Incoming::TooLong(fault)));
                return self.end_turn(TurnEnd::Unreadable);
            }
            _ => {}
        }
        self.events.push_back(Event::Incoming(Incoming::TooLong(fault)));
    }

    /// The session has ended: fails what is open, at once.
    pub fn handle_ending(&mut self, mut ending: Ending) {
        if self.closed.is_some() {
            return;
        }
        ending.error_result = self.ledger.take_error_result();
        ending.in_turn = self.ledger.in_turn();
        let ending = Arc::new(ending);
        self.closed = Some(Arc::clone(&ending));
        self.fail_calls(|subtype| ControlError::Closed { subtype, ending: Arc::clone(&ending) });
        for id in self.inbound.drain() {
            self.events.push_back(Event::InboundCancelled(id));
        }
        if ending.in_turn {
            self.end_turn(TurnEnd::NoResult);
        }
        self.events.push_back(Event::Closed(ending));
    }

    /// Takes note of the time: requests whose limit has run out are given up, and the CLI is told.
    pub fn handle_timeout(&mut self, now: Duration) {
        while let Some((id, pending)) = self.outbound.remove_expired(now) {
            self.take_back(&id);
            let error = ControlError::TimedOut { subtype: pending.subtype, after: pending.limit };
            self.answered(id, Err(error));
        }
    }

    /// Asks the CLI, with a limit for its reply.
    ///
    /// The reply comes as an [`Event::Answered`] with the id that is returned, also where it can't be sent.
    pub fn call<C: ControlCall>(&mut self, now: Duration, limit: Duration, call: &C) -> RequestId {
        let id = self.outbound.register(C::SUBTYPE, now, limit);
        let line = encode(&OutboundRequest::new(&id, call));
        self.send_request(id, line)
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
        self.send_request(id, line)
    }

    /// Takes a request of ours back; a reply that comes all the same is ignored.
    pub fn cancel(&mut self, id: &RequestId) {
        if let Some(Pending { subtype, .. }) = self.outbound.remove(id) {
            self.take_back(id);
            self.answered(id.clone(), Err(ControlError::Cancelled { subtype }));
        }
    }

    /// Answers a request of the CLI's: with what it asked for, or with a text that says why not.
    ///
    /// # Errors
    ///
    /// [`Stale`] where the request is no longer open; nothing is sent then.
    pub fn answer(&mut self, id: &RequestId, reply: Result<RawJson, String>) -> Result<(), Stale> {
        if !self.inbound.close(id) {
            return Err(Stale);
        }
        self.respond(match reply {
            Ok(response) => ControlResponse::success(id.clone(), Some(response)),
            Err(error) => ControlResponse::failure(id.clone(), error),
        });
        Ok(())
    }

    /// Sends a prompt.
    ///
    /// # Errors
    ///
    /// When the prompt can't be written as JSON.
    pub fn send_user(&mut self, input: &UserInput) -> Result<(), EncodeError> {
        let line = encode(input)?;
        self.ledger.prompt_sent();
        self.push_line(line);
        Ok(())
    }

    /// Sends a line as it is, newline included, as an outbound frame of a kind that this crate does not know.
    pub fn send_line(&mut self, line: Bytes) {
        self.push_line(line);
    }

    /// Says that nothing more will be sent: later requests fail at once.
    pub fn end_input(&mut self) {
        self.input_ended = true;
    }

    /// Gives every open request of ours up, for a reason that depends on its subtype.
    pub fn fail_calls(&mut self, error: impl Fn(Box<str>) -> ControlError) {
        while let Some((id, pending)) = self.outbound.pop() {
            self.answered(id, Err(error(pending.subtype)));
        }
    }

    /// What happened, in order.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// What is to be written, in order, each a line with its newline.
    pub fn poll_transmit(&mut self) -> Option<Bytes> {
        let line = self.transmit.pop_front()?;
        self.transmit_bytes -= line.len();
        Some(line)
    }

    /// When to call [`handle_timeout`](Self::handle_timeout) next.
    pub fn poll_timeout(&self) -> Option<Duration> {
        self.outbound.next_deadline()
    }

    /// The bytes that wait to be written.
    pub fn transmit_bytes(&self) -> usize {
        self.transmit_bytes
    }

    /// How many requests of ours and of the CLI's are open.
    pub fn open(&self) -> (usize, usize) {
        (self.outbound.len(), self.inbound.len())
    }

    /// What was ignored so far.
    pub fn ignored(&self) -> Ignored {
        self.ignored
    }

    /// Whether every prompt has its result and the CLI is idle, so that its input may be ended.
    pub fn run_is_over(&self) -> bool {
        self.ledger.run_is_over()
    }

    fn handle_request(&mut self, id: Option<RequestId>, frame: Frame) {
        match (id, Incoming::decode(frame)) {
            (Some(id), Incoming::Message(Message::ControlRequest(request), line)) => {
                if self.inbound.open(id.clone()) {
                    self.events.push_back(Event::Inbound { id, request: request.request, line });
                } else {
                    self.ignored.duplicate_requests += 1;
                }
            }
            (id, incoming) => {
                if let (Some(id), Incoming::Undecodable(error, _)) = (id, &incoming) {
                    self.refuse(id, format!("the request can't be read: {error}"));
                }
                self.events.push_back(Event::Incoming(incoming));
            }
        }
    }

    fn handle_response(&mut self, id: Option<RequestId>, frame: Frame) {
        let Some((id, pending)) = id.and_then(|id| self.outbound.remove(&id).map(|pending| (id, pending)))
        else {
            self.ignored.responses += 1;
            return;
        };
        let reply = outbound::reply(pending.subtype, frame);
        self.answered(id, reply);
    }

    fn handle_cancel(&mut self, id: Option<RequestId>) {
        match id {
            Some(id) if self.inbound.close(&id) => self.events.push_back(Event::InboundCancelled(id)),
            _ => self.ignored.cancels += 1,
        }
    }

    fn handle_result(&mut self, frame: Frame) {
        let incoming = Incoming::decode(frame);
        let end = match incoming.message() {
            Some(Message::Result(result)) => {
                self.ledger.result(Some(result));
                TurnEnd::Result
            }
            _ => {
                self.ledger.result(None);
                TurnEnd::Unreadable
            }
        };
        self.events.push_back(Event::Incoming(incoming));
        self.end_turn(end);
    }

    fn handle_message(&mut self, frame: Frame) {
        let incoming = Incoming::decode(frame);
        if let Some(message) = incoming.message() {
            self.ledger.message(message);
        }
        self.events.push_back(Event::Incoming(incoming));
        self.check_run();
    }

    fn end_turn(&mut self, end: TurnEnd) {
        self.events.push_back(Event::TurnEnded(end));
        self.check_run();
    }

    fn check_run(&mut self) {
        if self.ledger.take_run_over() {
            self.events.push_back(Event::RunOver);
        }
    }

    /// Answers a request that never came to be open.
    fn refuse(&mut self, id: RequestId, why: String) {
        self.respond(ControlResponse::failure(id, why));
    }

    fn respond(&mut self, response: ControlResponse) {
        // A response is made of strings and raw JSON, which can always be written.
        if let Ok(line) = encode(&Message::ControlResponse(Box::new(response))) {
            self.push_line(line);
        }
    }

    fn take_back(&mut self, id: &RequestId) {
        // As above: a string can always be written.
        if let Ok(line) = encode(&Message::ControlCancelRequest(ControlCancelRequest::new(id.clone()))) {
            self.push_line(line);
        }
    }

    fn send_request(&mut self, id: RequestId, line: Result<Bytes, EncodeError>) -> RequestId {
        let failure = match (line, &self.closed) {
            (Err(source), _) => self
                .outbound
                .remove(&id)
                .map(|Pending { subtype, .. }| ControlError::Encode { subtype, source }),
            (Ok(_), Some(ending)) => {
                let ending = Arc::clone(ending);
                self.outbound
                    .remove(&id)
                    .map(|Pending { subtype, .. }| ControlError::Closed { subtype, ending })
            }
            (Ok(_), None) if self.input_ended => {
                self.outbound.remove(&id).map(|Pending { subtype, .. }| ControlError::InputEnded { subtype })
            }
            (Ok(line), None) => {
                self.push_line(line);
                None
            }
        };
        if let Some(error) = failure {
            self.answered(id.clone(), Err(error));
        }
        id
    }

    fn answered(&mut self, id: RequestId, reply: Result<RawJson, ControlError>) {
        self.events.push_back(Event::Answered { id, reply });
    }

    fn push_line(&mut self, line: Bytes) {
        self.transmit_bytes += line.len();
        self.transmit.push_back(line);
    }
}
