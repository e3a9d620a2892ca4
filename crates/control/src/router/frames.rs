//! What each kind of frame does to the router.

use agentwire_codec::{FrameError, FrameKind, Incoming};
use agentwire_protocol::{Message, RequestId};

use super::{Decoded, Router, outbound};
use crate::{ControlError, Event, TurnEnd};

impl Router {
    /// Takes the next frame of the CLI's, which is decoded already.
    pub(crate) fn handle_decoded(&mut self, decoded: Decoded) {
        let Decoded { kind, is_truncated, incoming } = decoded;
        if self.is_closed() {
            self.ignored.after_end += 1;
            return;
        }
        match kind {
            FrameKind::Request(id) => self.handle_request(id, incoming),
            FrameKind::Response(id) => self.handle_response(id, incoming),
            FrameKind::Cancel(id) => self.handle_cancel(id),
            FrameKind::Result => self.handle_result(incoming, is_truncated),
            _ => self.handle_message(incoming),
        }
    }

    /// Takes note of a frame of the conversation that is decoded when it is read; whether it is to be read at all.
    #[cfg(feature = "driver")]
    pub(crate) fn handle_conversation(&mut self) -> bool {
        if self.is_closed() {
            self.ignored.after_end += 1;
            return false;
        }
        self.turns.conversation();
        self.check_run();
        true
    }

    pub(super) fn handle_request(&mut self, id: Option<RequestId>, incoming: Incoming) {
        match (id, incoming) {
            (Some(id), Incoming::Message(Message::ControlRequest(request), line)) => {
                let request = *request;
                // Its own copy, where it is the same one: a line that names two is known by that of its kind.
                let key = if request.request_id == id { request.request_id } else { id.clone() };
                if self.inbound.open(key, line.len()) {
                    self.events.push_back(Event::Inbound { id, request: request.request, line });
                } else {
                    self.ignored.duplicate_requests += 1;
                }
            }
            (id, incoming) => {
                if let Some(id) = id {
                    self.refuse(
                        id,
                        match &incoming {
                            Incoming::Undecodable(error, _) => format!("the request can't be read: {error}"),
                            _ => "the request can't be read: it is no control request".to_owned(),
                        },
                    );
                }
                self.events.push_back(Event::Incoming(unhandled(incoming)));
            }
        }
    }

    pub(super) fn handle_response(&mut self, id: Option<RequestId>, incoming: Incoming) {
        let Some((id, pending)) = id.and_then(|id| self.outbound.remove(&id).map(|pending| (id, pending)))
        else {
            self.ignored.responses += 1;
            return;
        };
        let reply = outbound::reply(pending.subtype, incoming);
        self.answered(id, reply);
    }

    pub(super) fn handle_cancel(&mut self, id: Option<RequestId>) {
        match id {
            Some(id) if self.inbound.close(&id) => self.events.push_back(Event::InboundCancelled(id)),
            _ => self.ignored.cancels += 1,
        }
    }

    pub(super) fn handle_result(&mut self, incoming: Incoming, is_truncated: bool) {
        let result = match incoming.message() {
            Some(Message::Result(result)) => Some(&**result),
            _ => None,
        };
        if result.is_none() && is_truncated {
            // The half of a result is none: the session ends in the middle of the turn.
            return self.events.push_back(Event::Incoming(incoming));
        }
        let end = if result.is_some() { TurnEnd::Result } else { TurnEnd::Unreadable };
        self.turns.result(result);
        self.receipts.result(result);
        self.events.push_back(Event::Incoming(incoming));
        self.end_turn(end);
    }

    pub(super) fn handle_message(&mut self, incoming: Incoming) {
        let mut lost_result = false;
        if let Some(message) = incoming.message() {
            lost_result = self.turns.message(message);
            if let Message::CommandLifecycle(told) = message
                && self.receipts.lifecycle(told)
            {
                // Nothing will come of it that could tell the end of the run.
                self.turns.prompts_settled();
            }
        }
        self.events.push_back(Event::Incoming(incoming));
        if lost_result {
            self.turns.result(None);
            self.receipts.result(None);
            self.end_turn(TurnEnd::Missing);
        } else {
            self.check_run();
        }
    }

    /// A line was too long: whoever waits for it is told.
    pub(super) fn handle_lost(&mut self, fault: FrameError) {
        let FrameError::TooLong { ref kind, .. } = fault else {
            return self.events.push_back(Event::Incoming(Incoming::TooLong(fault)));
        };
        let kind = kind.clone();
        match &kind {
            FrameKind::Request(Some(id)) => self.refuse(id.clone(), fault.to_string()),
            FrameKind::Response(Some(id)) => {
                if let Some(pending) = self.outbound.remove(id) {
                    let subtype = pending.subtype;
                    let error = ControlError::TooLong { subtype, source: fault.clone() };
                    self.answered(id.clone(), Err(error));
                }
            }
            // One without an id belongs to nothing, and any other is only told of.
            _ => {}
        }
        self.events.push_back(Event::Incoming(Incoming::TooLong(fault)));
        if kind == FrameKind::Result {
            self.turns.result(None);
            self.receipts.result(None);
            self.end_turn(TurnEnd::Unreadable);
        }
    }

    /// Answers a request that can't be opened, unless one with its id is open: an answer would be taken for that one's.
    fn refuse(&mut self, id: RequestId, why: String) {
        if self.inbound.is_open(&id) {
            self.ignored.duplicate_requests += 1;
        } else {
            self.refuse_with(&id, why);
        }
    }
}

/// A control frame that nothing can be done with is never shown as a message.
fn unhandled(incoming: Incoming) -> Incoming {
    match incoming {
        Incoming::Message(message, line) => Incoming::Unhandled(message, line),
        incoming => incoming,
    }
}
