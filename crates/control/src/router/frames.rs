//! What each kind of frame does to the router.

use std::sync::Arc;

use agentwire_codec::{Frame, FrameError, FrameKind, Incoming};
use agentwire_protocol::{Message, RequestId, message::TurnResult};

use super::{Router, outbound};
use crate::{ControlError, RouterEvent, SessionEvent, TurnEnd};

impl Router {
    /// Handles the CLI's next frame.
    ///
    /// Decodes only what routing needs: control frames, results, and messages that change the state of a turn.
    pub fn handle_frame(&mut self, frame: Frame) {
        if self.is_closed() {
            self.ignored.after_end += 1;
            return;
        }
        match frame.kind.clone() {
            FrameKind::Request(id) => self.handle_request(id, frame),
            FrameKind::Response(id) => self.handle_response(id, frame),
            FrameKind::Cancel(id) => self.handle_cancel(id),
            FrameKind::Result => self.handle_result(frame),
            FrameKind::StreamEvent | FrameKind::User => {
                self.turns.conversation_continued();
                self.show(Ok(frame));
                self.check_run();
            }
            _ => self.handle_message(frame),
        }
    }

    /// Handles the error that stands for a line that was dropped.
    ///
    /// The kind is known from the start of the line: a lost reply fails its call, and a lost result ends its turn.
    pub fn handle_fault(&mut self, fault: FrameError) {
        if self.is_closed() {
            self.ignored.after_end += 1;
            return;
        }
        let FrameError::TooLong { ref kind, .. } = fault else { return self.show(Err(fault)) };
        let kind = kind.clone();
        match &kind {
            FrameKind::Request(Some(id)) => self.refuse(id.clone(), fault.to_string()),
            FrameKind::Response(Some(id)) => {
                if let Some(pending) = self.outbound.remove(id) {
                    let error = ControlError::TooLong { subtype: pending.subtype, source: fault.clone() };
                    self.answered(id.clone(), Err(error));
                }
            }
            FrameKind::Result => return self.end_turn(Err(fault), TurnEnd::Unreadable, None),
            _ => {}
        }
        self.show(Err(fault));
    }

    fn handle_request(&mut self, id: Option<RequestId>, frame: Frame) {
        let Some(id) = id else { return self.show(Ok(frame)) };
        match Incoming::decode(frame.clone()) {
            Incoming::Message(Message::ControlRequest(request), line) => {
                // Use the id from the frame header; a line may contain two different ids.
                if self.inbound.open(id.clone(), line.len()) {
                    self.events.push_back(RouterEvent::Inbound { id, request: request.request, line });
                } else {
                    self.ignored.duplicate_requests += 1;
                }
            }
            incoming => {
                let why = match &incoming {
                    Incoming::Undecodable(error, _) => format!("the request can't be read: {error}"),
                    _ => "the request can't be read: it is no control request".to_owned(),
                };
                self.refuse(id, why);
                self.show(Ok(frame));
            }
        }
    }

    fn handle_response(&mut self, id: Option<RequestId>, frame: Frame) {
        let Some((id, pending)) = id.and_then(|id| self.outbound.remove(&id).map(|pending| (id, pending)))
        else {
            self.ignored.responses += 1;
            return;
        };
        let reply = outbound::reply(pending.subtype, Incoming::decode(frame));
        self.answered(id, reply);
    }

    fn handle_cancel(&mut self, id: Option<RequestId>) {
        match id {
            Some(id) if self.inbound.close(&id) => self.events.push_back(RouterEvent::InboundCancelled(id)),
            _ => self.ignored.cancels += 1,
        }
    }

    fn handle_result(&mut self, frame: Frame) {
        let result = match Incoming::decode(frame.clone()) {
            Incoming::Message(Message::Result(result), _) => Some(result),
            _ => None,
        };
        let end = match &result {
            Some(_) => TurnEnd::Result,
            // A truncated `result` does not end the turn: the session ends in the middle of it.
            None if frame.is_truncated => return self.show(Ok(frame)),
            None => TurnEnd::Unreadable,
        };
        self.end_turn(Ok(frame), end, result.as_deref());
    }

    fn handle_message(&mut self, frame: Frame) {
        if Incoming::decode(frame.clone()).message().is_some_and(|message| self.turns.message(message)) {
            self.end_turn(Ok(frame), TurnEnd::Missing, None);
        } else {
            self.show(Ok(frame));
            self.check_run();
        }
    }

    fn show(&mut self, line: Result<Frame, FrameError>) {
        let turn = Arc::clone(self.turns.current());
        self.events.push_back(RouterEvent::Session(SessionEvent::Incoming(line, turn)));
    }

    /// Refuses a request that can't be opened, unless an open request has its id and would get this answer.
    fn refuse(&mut self, id: RequestId, why: String) {
        if self.inbound.is_open(&id) {
            self.ignored.duplicate_requests += 1;
        } else {
            self.push_answer(&id, Err(why));
        }
    }

    /// Ends the turn with its last message.
    fn end_turn(&mut self, last: Result<Frame, FrameError>, end: TurnEnd, result: Option<&TurnResult>) {
        let turn = self.turns.end(end, result);
        self.events.push_back(RouterEvent::Session(SessionEvent::Incoming(last, turn)));
        self.events.push_back(RouterEvent::Session(SessionEvent::TurnEnded(end)));
        self.check_run();
    }

    fn check_run(&mut self) {
        self.check_ending();
        if self.turns.take_run_over() {
            self.events.push_back(RouterEvent::Session(SessionEvent::RunOver));
        }
    }
}
