//! The host's side: produces each line of ours by methods of the router.

use std::time::Duration;

use agentwire_codec::encode;
use agentwire_control::{ControlError, RouterEvent};
use agentwire_protocol::{RawJson, RequestId, message::UserInput};
use bytes::Bytes;

use super::Play;
use agentwire_testkit::{
    json::Json,
    recorded::{Recorded, Role, unmarked},
};

impl Play<'_> {
    /// Does what the recorded host did, and compares the lines that the router sends.
    pub(super) fn ours(&mut self, line: usize, text: &Bytes, read: Option<&Recorded>) {
        let done = match read.map(|read| (read, &read.role)) {
            Some((read, Role::Request { id, subtype })) => self.call(line, text, read, id, subtype),
            Some((read, Role::Response { id })) => self.answer(text, read, id),
            Some((_, Role::Cancel { id })) => self.cancel_ours(text, id),
            read => self.send(text, read.map(|(read, _)| read)),
        };
        if let Err(why) = done {
            self.report.find(line, why);
        }
        if self.router.poll_transmit().is_some() {
            self.report.find(line, "the router sent more than this line");
        }
        if let Some(event) = self.router.poll_event() {
            self.report.find(line, format!("the router reported {event:?} to a line of ours"));
        }
    }

    fn call(
        &mut self,
        line: usize,
        text: &Bytes,
        read: &Recorded,
        id: &str,
        subtype: &str,
    ) -> Result<(), String> {
        let request = read.request().and_then(|request| raw(request, text)).ok_or("it has no request")?;
        let ours = self.router.call_raw(Duration::ZERO, Duration::MAX, subtype, &request);
        self.ids.bind_request(id, ours.as_str());
        self.calls.insert(ours.as_str().to_owned(), line);
        let sent = self.sent()?;
        let is_ours = sent.id() == Some(ours.as_str());
        match (read.request(), sent.request()) {
            (Some(recorded), Some(request)) if is_ours && recorded.same(request) => Ok(()),
            _ => Err("the router sent another request".to_owned()),
        }
    }

    fn answer(&mut self, text: &Bytes, read: &Recorded, id: &str) -> Result<(), String> {
        let outcome = |name: &str| read.json.at(&["response", name]);
        let was_open = self.asked.remove(id);
        let answered = self.router.answer(&RequestId::from(id), answer(read, text)).is_ok();
        match (was_open, answered) {
            // It was cancelled or answered before: nothing may be sent.
            (false, false) => return Ok(()),
            (true, true) => {}
            (true, false) => return Err("the router refuses the answer to an open request".to_owned()),
            (false, true) => {
                return Err("the router takes an answer to a request that is not open".to_owned());
            }
        }
        let sent = self.sent()?;
        let same = |name: &str| match (outcome(name), sent.json.at(&["response", name])) {
            (Some(recorded), Some(sent)) => recorded.same(sent),
            (recorded, _) => recorded.is_none(),
        };
        let kind = outcome("subtype").and_then(Json::text);
        if self.faults && !matches!(kind, Some("success" | "error")) {
            // The router sends no answer of another kind.
            return if sent.id() == Some(id) { self.refuses(id) } else { Err(ANOTHER_ANSWER.to_owned()) };
        }
        let is_same = sent.id() == Some(id) && ["subtype", "response", "error"].iter().all(|name| same(name));
        if is_same { self.refuses(id) } else { Err(ANOTHER_ANSWER.to_owned()) }
    }

    /// Tries to answer a request that is no longer open, which must be refused.
    pub(super) fn refuses(&mut self, id: &str) -> Result<(), String> {
        let taken = self.router.answer(&RequestId::from(id), Ok(RawJson::empty_object())).is_ok();
        if taken || self.router.poll_transmit().is_some() {
            return Err("the router answers a request that is not open".to_owned());
        }
        Ok(())
    }

    fn cancel_ours(&mut self, text: &Bytes, id: &str) -> Result<(), String> {
        let Some(ours) =
            self.ids.request(id).map(RequestId::from).filter(|ours| self.calls.contains_key(ours.as_str()))
        else {
            return self.send_as_it_is(text);
        };
        self.calls.remove(ours.as_str());
        self.router.cancel(&ours);
        match self.router.poll_event() {
            Some(RouterEvent::Answered { id, reply: Err(ControlError::Cancelled { .. }) }) if id == ours => {}
            other => return Err(format!("cancelling a call does not end it: {other:?}")),
        }
        let sent = self.sent()?;
        if sent.role == (Role::Cancel { id: ours.as_str().into() }) {
            Ok(())
        } else {
            Err("the router did not tell the CLI that the call is cancelled".to_owned())
        }
    }

    /// Sends a prompt as a prompt if the router can write it unchanged, and as a line otherwise.
    fn send(&mut self, text: &Bytes, read: Option<&Recorded>) -> Result<(), String> {
        let Some((read, prompt)) = read.and_then(|read| Some((read, prompt(read, text)?))) else {
            return self.send_as_it_is(text);
        };
        self.router.send_user(&prompt).map_err(|error| error.to_string())?;
        let sent = self.sent()?;
        if sent.json.same(&read.json) { Ok(()) } else { Err("the router sent another prompt".to_owned()) }
    }

    fn send_as_it_is(&mut self, text: &Bytes) -> Result<(), String> {
        let mut line = text.to_vec();
        line.push(b'\n');
        let line = Bytes::from(line);
        self.router.send_line(line.clone()).map_err(|error| error.to_string())?;
        if self.router.poll_transmit() == Some(line) {
            Ok(())
        } else {
            Err("the router changed a line".to_owned())
        }
    }

    fn sent(&mut self) -> Result<Recorded, String> {
        let line = self.router.poll_transmit().ok_or("the router sent nothing")?;
        let line = line.strip_suffix(b"\n").filter(|line| !line.contains(&b'\n'));
        line.and_then(Recorded::read).ok_or_else(|| "the router sent no line of JSON".to_owned())
    }
}

/// A recorded answer: the `response` of a success, or the text of an error.
pub(in crate::conformance) type Answer = Result<RawJson, String>;

/// Returns the answer in a control response.
pub(in crate::conformance) fn answer(read: &Recorded, text: &Bytes) -> Answer {
    let outcome = |name: &str| read.json.at(&["response", name]);
    if outcome("subtype").and_then(Json::text) != Some("success") {
        return Err(outcome("error").and_then(Json::text).unwrap_or_default().to_owned());
    }
    Ok(outcome("response").and_then(|json| raw(json, text)).unwrap_or_else(RawJson::empty_object))
}

/// Returns the part of the parsed text that is this value.
pub(in crate::conformance) fn raw(json: &Json, text: &Bytes) -> Option<RawJson> {
    RawJson::parse(std::str::from_utf8(json.raw(unmarked(text))).ok()?).ok()
}

/// Returns the prompt that makes the router write the recorded line, if there is one.
pub(in crate::conformance) fn prompt(read: &Recorded, text: &Bytes) -> Option<UserInput> {
    let content = raw(read.json.at(&["message", "content"])?, text)?;
    let mut prompt = UserInput::new(content.decode::<agentwire_protocol::Content>().ok()?);
    prompt.session_id = read.json.text_at(&["session_id"])?.into();
    prompt.uuid = read.json.text_at(&["uuid"]).map(Into::into);
    let line = encode(&prompt).ok()?;
    Json::parse(line.trim_ascii()).filter(|json| read.kind() == "user" && json.same(&read.json))?;
    Some(prompt)
}

const ANOTHER_ANSWER: &str = "the router sent another answer";
