//! The expected output of the router for each line.

use agentwire_codec::{Incoming, Line};
use agentwire_control::{ControlError, Ignored, RouterEvent, SessionEvent};
use agentwire_protocol::RawJson;

use super::{Item, Mark, Play};
use agentwire_testkit::{
    json::{Json, Value},
    recorded::{Recorded, Role},
};

impl Play<'_> {
    /// Compares the router's output for one line with the recorded line.
    pub(super) fn expect(&mut self, item: &Item, line: &Line, events: Vec<RouterEvent>, before: Ignored) {
        let mut events = events.into_iter();
        let first = events.next();
        let rest: Vec<_> = events.collect();
        let checked = match item.theirs().map(|read| (read, &read.role)) {
            Some((read, Role::Response { .. })) => self.reply(read, line, first, before),
            Some((_, Role::Request { id, subtype })) => self.request(item, line, id, subtype, first, before),
            Some((_, Role::Cancel { id })) => self.cancel(id, first, before),
            Some((read, Role::Message)) if is_headless(read) => headless(first),
            read => self.message(item, line, read.map(|(read, _)| read), first),
        };
        if let Err(why) = checked {
            self.report.find(item.line, why);
        }
        if let Some(event) = rest.iter().find(|event| {
            !matches!(event, RouterEvent::Session(SessionEvent::TurnEnded(_) | SessionEvent::RunOver))
        }) {
            self.report.find(item.line, format!("the router reported more than once: {event:?}"));
        }
        let is_result = item.theirs().is_some_and(|read| read.kind() == "result");
        if is_result
            != rest.iter().any(|event| matches!(event, RouterEvent::Session(SessionEvent::TurnEnded(_))))
        {
            self.report.find(item.line, "a result ends a turn, and nothing else does");
        }
        if self.router.poll_transmit().is_some() && !item.has(Mark::Undecodable) {
            self.report.find(item.line, "the router answered by itself");
        }
    }

    fn reply(
        &mut self,
        read: &Recorded,
        line: &Line,
        event: Option<RouterEvent>,
        before: Ignored,
    ) -> Result<(), String> {
        // The line that was fed has our id; the recorded one has another.
        let fed = Recorded::read(line.as_bytes());
        let id = fed.as_ref().and_then(Recorded::id).unwrap_or_default();
        if self.calls.remove(id).is_none() {
            let counted = self.router.ignored().responses == before.responses + 1;
            return if counted && event.is_none() {
                Ok(())
            } else {
                Err("a reply to nothing is not ignored".to_owned())
            };
        }
        match event {
            Some(RouterEvent::Answered { id: answered, reply }) if answered.as_str() == id => {
                compare_reply(read, reply)
            }
            other => Err(format!("the reply does not end its call: {other:?}")),
        }
    }

    fn request(
        &mut self,
        item: &Item,
        line: &Line,
        id: &str,
        subtype: &str,
        event: Option<RouterEvent>,
        before: Ignored,
    ) -> Result<(), String> {
        if self.asked.contains(id) {
            let counted = self.router.ignored().duplicate_requests == before.duplicate_requests + 1;
            return if counted && event.is_none() { Ok(()) } else { Err("a request came twice".to_owned()) };
        }
        match event {
            Some(RouterEvent::Inbound { id: asked, request, line: kept })
                if asked.as_str() == id && kept == *line =>
            {
                self.asked.insert(id.to_owned());
                if request.kind() == subtype {
                    Ok(())
                } else {
                    Err(format!("it was read as `{}`", request.kind()))
                }
            }
            other => match shown(other) {
                Ok(Incoming::Undecodable(..)) if item.has(Mark::Undecodable) => Ok(()),
                Ok(Incoming::Undecodable(error, _)) => Err(format!("it can't be decoded: {error}")),
                other => Err(format!("the request is not passed on: {other:?}")),
            },
        }
    }

    fn cancel(&mut self, id: &str, event: Option<RouterEvent>, before: Ignored) -> Result<(), String> {
        match (self.asked.remove(id), event) {
            (true, Some(RouterEvent::InboundCancelled(cancelled))) if cancelled.as_str() == id => {
                self.refuses(id)
            }
            (false, None) if self.router.ignored().cancels == before.cancels + 1 => Ok(()),
            (_, other) => Err(format!("the cancellation is not passed on: {other:?}")),
        }
    }

    fn message(
        &mut self,
        item: &Item,
        line: &Line,
        read: Option<&Recorded>,
        event: Option<RouterEvent>,
    ) -> Result<(), String> {
        let incoming = shown(event).map_err(|event| format!("the message is not passed on: {event:?}"))?;
        if incoming.line() != Some(line) {
            return Err("the message bears another line".to_owned());
        }
        if let Some(error) = incoming.set_aside().first() {
            return Err(format!("a part of it can't be decoded: {error}"));
        }
        match (&incoming, read) {
            (Incoming::Message(..), Some(_)) if item.has(Mark::Undecodable) => {
                Err("it can be decoded, and a comment says that it can't".to_owned())
            }
            (Incoming::Message(message, _), Some(read)) if message.kind() == read.kind() => Ok(()),
            // A request without an id can't be answered.
            (Incoming::Unhandled(..), Some(read)) if read.kind() == "control_request" => Ok(()),
            (Incoming::Undecodable(..) | Incoming::NonJson(_), _) if item.has(Mark::Undecodable) => Ok(()),
            (Incoming::Undecodable(error, _), _) => Err(format!("it can't be decoded: {error}")),
            (Incoming::NonJson(_), None) if item.has(Mark::Noise) => Ok(()),
            (Incoming::NonJson(_), _) => Err("it is not a JSON object".to_owned()),
            (other, _) => Err(format!("it was read as something else: {other:?}")),
        }
    }
}

/// Returns whether a frame of the control protocol has no id.
fn is_headless(read: &Recorded) -> bool {
    matches!(read.kind(), "control_response" | "control_cancel_request")
}

/// Returns the line that the event shows to the reader, decoded, or an event of another kind.
fn shown(event: Option<RouterEvent>) -> Result<Incoming, Box<Option<RouterEvent>>> {
    match event {
        Some(RouterEvent::Session(event @ SessionEvent::Incoming(..))) => match event.decode() {
            SessionEvent::Incoming(incoming, _) => Ok(incoming),
            _ => Err(Box::new(None)),
        },
        other => Err(Box::new(other)),
    }
}

fn headless(event: Option<RouterEvent>) -> Result<(), String> {
    event.map_or(Ok(()), |event| Err(format!("a control frame without an id gave {event:?}")))
}

/// Compares what a call got with the recorded reply; the error is the difference.
pub(in crate::conformance) fn compare_reply(
    read: &Recorded,
    reply: Result<RawJson, ControlError>,
) -> Result<(), String> {
    let outcome = |name: &str| read.json.at(&["response", name]);
    match (outcome("subtype").and_then(Json::text), reply) {
        (Some("success"), Ok(reply)) => {
            let reply = Json::parse(reply.as_str().as_bytes());
            let is_same = match (outcome("response"), &reply) {
                (Some(recorded), Some(reply)) => recorded.same(reply),
                (None, Some(reply)) => matches!(&reply.value, Value::Object(fields) if fields.is_empty()),
                (_, None) => false,
            };
            if is_same { Ok(()) } else { Err("the call got another reply".to_owned()) }
        }
        (Some("error"), Err(ControlError::Rejected { message, .. })) => {
            let recorded = outcome("error").and_then(Json::text).unwrap_or_default();
            if recorded == message { Ok(()) } else { Err("the call got another error".to_owned()) }
        }
        (Some("success" | "error"), other) => Err(format!("the call got {other:?}")),
        // Neither a success nor an error: it must end its call, and not as a success.
        (_, Ok(_)) => Err("a reply of an unknown kind was taken for a success".to_owned()),
        (_, Err(_)) => Ok(()),
    }
}
