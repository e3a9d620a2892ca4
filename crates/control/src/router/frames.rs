//! What each kind of frame does to the router.

use std::sync::Arc;

use agentwire_codec::{Frame, FrameError, FrameKind, Incoming};
use agentwire_protocol::{Message, RequestId};

use super::{Router, outbound};
use crate::{ControlError, Received, RouterEvent, SessionEvent, TurnEnd, TurnInfo};

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
                self.show(Received::Frame(frame));
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
        let line = Received::Decoded(Incoming::TooLong(fault.clone()));
        match &fault {
            FrameError::TooLong { kind: FrameKind::Request(Some(id)), .. } => {
                self.refuse(id.clone(), fault.to_string());
            }
            FrameError::TooLong { kind: FrameKind::Response(Some(id)), .. } => {
                if let Some((id, pending)) = self.outbound.remove(id) {
                    let error = ControlError::TooLong { subtype: pending.subtype, source: fault.clone() };
                    self.answered(id, Err(error));
                }
            }
            FrameError::TooLong { kind: FrameKind::Result, .. } => {
                let turn = self.turns.end(TurnEnd::Unreadable, None);
                return self.show_last(line, turn);
            }
            _ => {}
        }
        self.show(line);
    }

    fn handle_request(&mut self, id: Option<RequestId>, frame: Frame) {
        let Some(id) = id else { return self.show(Received::Frame(frame)) };
        match Incoming::decode(frame) {
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
                    _ => "the request can't be read: it is not a control request".to_owned(),
                };
                self.refuse(id, why);
                self.show(Received::Decoded(incoming.unhandled()));
            }
        }
    }

    fn handle_response(&mut self, id: Option<RequestId>, frame: Frame) {
        let is_truncated = frame.is_truncated;
        let incoming = Incoming::decode(frame);
        // A truncated reply leaves its call open: the end of the session, which follows, fails it with the cause.
        if is_truncated && incoming.message().is_none() {
            return self.show(Received::Decoded(incoming));
        }
        let Some((id, pending)) = id.and_then(|id| self.outbound.remove(&id)) else {
            self.ignored.responses += 1;
            return;
        };
        let unanswered = outbound::unanswered(&incoming);
        self.answered(id, outbound::reply(pending.subtype, incoming));
        unanswered.into_iter().for_each(|line| self.handle_frame(Frame::new(line)));
    }

    fn handle_cancel(&mut self, id: Option<RequestId>) {
        match id {
            Some(id) if self.inbound.close(&id) => self.events.push_back(RouterEvent::InboundCancelled(id)),
            _ => self.ignored.cancels += 1,
        }
    }

    fn handle_result(&mut self, frame: Frame) {
        let is_truncated = frame.is_truncated;
        let incoming = Incoming::decode(frame);
        let turn = match &incoming {
            Incoming::Message(Message::Result(result), _) => self.turns.end(TurnEnd::Result, Some(result)),
            // A truncated `result` does not end the turn: the session ends in the middle of it.
            _ if is_truncated => return self.show(Received::Decoded(incoming)),
            _ => self.turns.end(TurnEnd::Unreadable, None),
        };
        self.show_last(Received::Decoded(incoming), turn);
    }

    fn handle_message(&mut self, frame: Frame) {
        let incoming = Incoming::decode(frame);
        if incoming.message().is_some_and(|message| self.turns.message(message)) {
            let turn = self.turns.end(TurnEnd::Missing, None);
            self.show_last(Received::Decoded(incoming), turn);
        } else {
            self.show(Received::Decoded(incoming));
            self.check_run();
        }
    }

    fn show(&mut self, line: Received) {
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

    /// Shows the last message of a turn that has ended.
    fn show_last(&mut self, line: Received, turn: Arc<TurnInfo>) {
        let end = turn.end;
        self.events.push_back(RouterEvent::Session(SessionEvent::Incoming(line, turn)));
        self.events.extend(end.map(|end| RouterEvent::Session(SessionEvent::TurnEnded(end))));
        self.check_run();
    }

    fn check_run(&mut self) {
        self.end_input_if_idle();
        if self.turns.take_run_over() {
            self.events.push_back(RouterEvent::Session(SessionEvent::RunOver));
        }
    }
}
