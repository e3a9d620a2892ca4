//! For any order of events, every call ends once, every request is answered at most once, and no message is lost.

use std::{collections::HashMap, time::Duration};

use agentwire_codec::{Frame, Incoming, Line};
use agentwire_control::{ControlError, Router, RouterEvent, SessionEvent, SessionExit};
use agentwire_protocol::{RawJson, RequestId, message::UserInput};
use proptest::prelude::*;

use crate::script::{ERROR_RESULT, INIT, RESULT, cancel, inbound, success, too_long};

/// A step of the model. Small numbers, so that ids collide.
#[derive(Clone, Debug)]
enum Step {
    Call(u64),
    Reply(u8),
    BadReply(u8),
    CancelCall(u8),
    Time(u64),
    Request(u8),
    BadRequest(u8),
    LongRequest(u8),
    Cancel(u8),
    Answer(u8, bool),
    Message,
    Noise,
    Result(u8),
    Prompt,
    Sent,
    Handshake,
    RefuseOpen,
    Interrupt,
    EndWhenIdle,
    EndInput,
    BreakInput,
    FailPending,
    Init,
    FailCalls,
    End,
}

fn step() -> impl Strategy<Value = Step> {
    let id = 0..5_u8;
    prop_oneof![
        8 => (0..30_u64).prop_map(Step::Call),
        8 => id.clone().prop_map(Step::Reply),
        2 => id.clone().prop_map(Step::BadReply),
        3 => id.clone().prop_map(Step::CancelCall),
        3 => (0..12_u64).prop_map(Step::Time),
        8 => id.clone().prop_map(Step::Request),
        2 => id.clone().prop_map(Step::BadRequest),
        2 => id.clone().prop_map(Step::LongRequest),
        4 => id.clone().prop_map(Step::Cancel),
        8 => (id, any::<bool>()).prop_map(|(id, good)| Step::Answer(id, good)),
        8 => Just(Step::Message),
        2 => Just(Step::Noise),
        4 => (0..4_u8).prop_map(Step::Result),
        3 => Just(Step::Prompt),
        4 => Just(Step::Sent),
        1 => Just(Step::Handshake),
        1 => Just(Step::RefuseOpen),
        1 => Just(Step::Interrupt),
        1 => Just(Step::EndWhenIdle),
        1 => Just(Step::EndInput),
        1 => Just(Step::BreakInput),
        1 => Just(Step::FailPending),
        3 => Just(Step::Init),
        1 => Just(Step::FailCalls),
        1 => Just(Step::End),
    ]
}

/// A router, and the state that its events must match.
#[derive(Default)]
struct Model {
    router: Router,
    now: Duration,
    made: u64,
    calls: HashMap<RequestId, usize>,
    late: Vec<RequestId>,
    /// Lines for the user that the router has not returned yet.
    lines: std::collections::VecDeque<String>,
    results: usize,
    turn_ends: usize,
    /// The CLI's open requests, with the number of answers that each may get.
    open: HashMap<String, usize>,
    closed: bool,
}

impl Model {
    fn line(&mut self, line: &str) {
        self.router.handle_frame(Frame::new(Line::from(line)));
    }

    /// Passes in a line that the user must get.
    fn shown(&mut self, line: &str) {
        if !self.closed {
            self.lines.push_back(line.to_owned());
        }
        self.line(line);
    }

    fn act(&mut self, step: &Step) {
        let number = self.made;
        match step {
            Step::Call(limit) => {
                self.made += 1;
                let request = RawJson::parse(r#"{"subtype":"x"}"#).unwrap();
                let id = self.router.call_raw(self.now, Duration::from_secs(*limit), "x", &request);
                assert_eq!(self.calls.insert(id.clone(), 0), None, "an id came twice");
                if self.closed {
                    self.late.push(id);
                }
            }
            Step::Reply(back) => self.line(&success(&ours(number, *back), "{}")),
            Step::BadReply(back) => self.line(&success(&ours(number, *back), "{")),
            Step::CancelCall(back) => self.router.cancel(&ours(number, *back).as_str().into()),
            Step::Time(seconds) => {
                self.now += Duration::from_secs(*seconds);
                self.router.handle_timeout(self.now);
                assert!(self.router.poll_timeout().is_none_or(|next| next > self.now));
            }
            Step::Request(id) => self.line(&inbound(&theirs(*id))),
            Step::BadRequest(id) => {
                let line =
                    format!(r#"{{"type":"control_request","request_id":"{}","request":1}}"#, theirs(*id));
                self.shown(&line);
            }
            Step::LongRequest(id) => {
                let start = format!(r#"{{"type":"control_request","request_id":"{}","#, theirs(*id));
                if !self.closed {
                    self.lines.push_back("too long".to_owned());
                }
                self.router.handle_fault(too_long(&start));
            }
            Step::Cancel(id) => self.line(&cancel(&theirs(*id))),
            Step::Answer(id, good) => {
                let reply = if *good { Ok(RawJson::empty_object()) } else { Err("no".to_owned()) };
                let was_open = self.open.contains_key(&theirs(*id));
                let can_send = self.router.input_is_open();
                let answered = self.router.answer(&theirs(*id).as_str().into(), reply);
                assert_eq!(answered.is_ok(), was_open && can_send);
                self.open.remove(&theirs(*id));
            }
            Step::Message => self.shown(&format!(r#"{{"type":"news","n":{}}}"#, self.lines.len())),
            Step::Noise => self.shown("noise"),
            Step::Result(kind) => {
                self.results += usize::from(!self.closed);
                match kind {
                    0 => self.shown(RESULT),
                    1 => self.shown(ERROR_RESULT),
                    2 => self.shown(r#"{"type":"result"}"#),
                    _ => {
                        if !self.closed {
                            self.lines.push_back("too long".to_owned());
                        }
                        self.router.handle_fault(too_long(r#"{"type":"result","#));
                    }
                }
            }
            Step::Prompt => {
                let open = self.router.input_is_open() && !self.router.is_ending();
                assert_eq!(self.router.send_user(&UserInput::new("x")).is_ok(), open);
            }
            Step::Sent => while self.router.poll_transmit().is_some() {},
            Step::Handshake => {
                self.router.hold_for_handshake();
                assert!(!self.router.can_transmit());
            }
            Step::RefuseOpen => self.router.refuse_open(|_| Err("refused".to_owned())),
            Step::Interrupt => self.router.interrupt_without_reply(),
            Step::EndWhenIdle => self.router.end_input_when_idle(),
            Step::EndInput => self.router.end_input(),
            Step::BreakInput => self.router.handle_broken_input(SessionExit::failed("broken")),
            Step::FailPending => self.router.fail_pending(),
            Step::Init => self.shown(INIT),
            Step::FailCalls => {
                self.router.fail_calls(|subtype| ControlError::Cancelled { subtype });
            }
            Step::End => self.router.handle_ending(SessionExit::default()),
        }
        self.check_events();
    }

    fn check_events(&mut self) {
        while let Some(event) = self.router.poll_event() {
            if let RouterEvent::Answered { id, .. } = &event {
                *self.calls.get_mut(id).unwrap() += 1;
                assert!(!self.closed || self.late.contains(id), "an answer after the end");
                continue;
            }
            assert!(!self.closed, "after the end: {event:?}");
            match event {
                RouterEvent::Session(event @ SessionEvent::Incoming(..)) => {
                    let SessionEvent::Incoming(incoming, _) = event.decode() else { unreachable!() };
                    let line = match &incoming {
                        Incoming::TooLong(_) => "too long".to_owned(),
                        incoming => incoming.line().unwrap().to_str().unwrap().to_owned(),
                    };
                    assert_eq!(Some(line), self.lines.pop_front(), "a message is out of order");
                }
                RouterEvent::Inbound { id, .. } => {
                    assert_eq!(self.open.insert(id.to_string(), 1), None, "opened twice");
                }
                RouterEvent::InboundCancelled(id) => {
                    assert_eq!(self.open.remove(id.as_str()), Some(1), "cancelled, but not open");
                }
                RouterEvent::Session(SessionEvent::TurnEnded(_)) => self.turn_ends += 1,
                RouterEvent::Session(SessionEvent::RunOver) => assert!(self.router.run_is_over()),
                RouterEvent::Closed(ending) => {
                    self.closed = true;
                    self.results += usize::from(ending.in_turn);
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(self.lines.is_empty(), "lost: {:?}", self.lines);
        assert_eq!(self.turn_ends, self.results);
        let open = self.calls.values().filter(|answers| **answers == 0).count();
        assert_eq!(self.router.open(), (open, self.open.len()));
    }
}

fn ours(made: u64, back: u8) -> String {
    format!("req_{}", made.saturating_sub(u64::from(back)))
}

fn theirs(id: u8) -> String {
    format!("cli_{id}")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_interleaving_keeps_the_guarantees(steps in prop::collection::vec(step(), 0..120)) {
        let mut model = Model::default();
        for step in &steps {
            model.act(step);
        }
        model.act(&Step::End);
        prop_assert!(model.closed);
        prop_assert!(model.calls.values().all(|answers| *answers == 1), "{:?}", model.calls);
        prop_assert!(model.open.is_empty());
        prop_assert_eq!(model.router.poll_timeout(), None);
        prop_assert_eq!((model.router.transmit_bytes(), model.router.inbound_bytes()), (0, 0));
    }

    #[test]
    fn each_request_has_at_most_one_answer_on_the_wire(steps in prop::collection::vec(step(), 0..120)) {
        let mut model = Model::default();
        let (mut asked, mut answers) = (HashMap::new(), HashMap::new());
        for step in &steps {
            if let Step::Request(id) | Step::BadRequest(id) | Step::LongRequest(id) = step {
                *asked.entry(theirs(*id)).or_insert(0) += 1;
            }
            let cancelled: Option<String> = match step {
                Step::Cancel(id) if model.open.contains_key(&theirs(*id)) => Some(theirs(*id)),
                _ => None,
            };
            model.act(step);
            if let Some(id) = cancelled {
                // Cancelled before its answer: it counts as never sent.
                *asked.get_mut(&id).unwrap() -= 1;
            }
            while let Some(piece) = model.router.poll_transmit() {
                for line in serde_json::Deserializer::from_slice(&piece).into_iter::<serde_json::Value>() {
                    let line = line.unwrap();
                    if line["type"] == "control_response" {
                        let id = line["response"]["request_id"].as_str().unwrap().to_owned();
                        *answers.entry(id).or_insert(0) += 1;
                    }
                }
            }
            for (id, answers) in &answers {
                prop_assert!(answers <= &asked[id], "{} has {} answers", id, answers);
            }
        }
    }
}
