//! Checks that every request, in either direction, has exactly one answer.

mod asked;
mod calls;

use std::collections::HashSet;

use asked::Asked;
use calls::Calls;

use super::{
    facts::Facts,
    report::Report,
    scene::{Item, Mark, Scene, What},
};
use agentwire_testkit::{
    excerpt::excerpt,
    recorded::{Recorded, Role},
};

/// Checks that every request has exactly one answer, and that nothing follows an end.
pub(super) fn check(scene: &Scene, facts: &Facts, report: &mut Report) {
    let mut ledger = Ledger {
        facts,
        report,
        calls: Calls::default(),
        asked: Asked::default(),
        closed: None,
        ended: false,
        requests: HashSet::new(),
        replies: HashSet::new(),
    };
    for item in &scene.items {
        ledger.see(item);
    }
    if !scene.bare {
        ledger.calls.end(facts, ledger.report);
        ledger.asked.end(ledger.report);
    }
}

struct Ledger<'a> {
    facts: &'a Facts,
    report: &'a mut Report,
    calls: Calls,
    asked: Asked,
    /// The line on which our input ended.
    closed: Option<usize>,
    ended: bool,
    /// The ids of a bare capture's requests.
    requests: HashSet<Box<str>>,
    /// The ids of its replies.
    replies: HashSet<Box<str>>,
}

impl Ledger<'_> {
    fn see(&mut self, item: &Item) {
        let line = item.line;
        if self.ended && !matches!(item.what, What::Stderr) {
            self.report.find(line, "something stands behind the end of the CLI");
        }
        match &item.what {
            What::Ours(text, read) => self.ours(item, text, read.as_deref()),
            What::Theirs(_, Some(read)) if !self.facts.bare => self.theirs(item, read),
            What::Theirs(_, Some(read)) => self.bare(line, read),
            What::EndOfInput => {
                if self.closed.replace(line).is_some() {
                    self.report.find(line, "the input is ended twice");
                }
                self.calls.input_ended();
                self.asked.no_more_answers();
            }
            What::End(_) => {
                self.ended = true;
                self.asked.no_more_answers();
            }
            What::Theirs(..) | What::Signal | What::Stderr => {}
        }
    }

    /// Checks a line of a capture without our lines: an id still occurs only once in each role.
    fn bare(&mut self, line: usize, read: &Recorded) {
        let (ids, id, what) = match &read.role {
            Role::Request { id, .. } => {
                let server = read.json.text_at(&["request", "server_name"]);
                let method = read.json.text_at(&["request", "message", "method"]);
                if let Some((server, method)) = server.zip(method) {
                    asked::handshake(line, server, method, self.facts, self.report);
                }
                (&mut self.requests, id, "request")
            }
            Role::Response { id } => (&mut self.replies, id, "reply"),
            Role::Cancel { id } => {
                if !self.requests.contains(id) {
                    self.report.find(line, format!("{id} is cancelled, which was never asked"));
                }
                return;
            }
            Role::Message => return,
        };
        if !ids.insert(id.clone()) {
            self.report.find(line, format!("a second {what} has the id {id}"));
        }
    }

    fn ours(&mut self, item: &Item, text: &[u8], read: Option<&Recorded>) {
        if self.closed.is_some() {
            self.report.find(item.line, "a line of ours stands behind the end of our input");
        }
        let Some(read) = read else {
            if !self.facts.faults && !item.has(Mark::Undecodable) && !item.has(Mark::Noise) {
                self.report
                    .find(item.line, format!("a line of ours is not a JSON object: {}", excerpt(text)));
            }
            return;
        };
        match &read.role {
            Role::Request { id, subtype } => {
                self.check_new_id(item.line, id);
                self.calls.made(item.line, id, subtype, item.has(Mark::Unanswered));
            }
            Role::Cancel { id } if self.calls.has(id) => self.calls.cancelled(id),
            Role::Cancel { id } => {
                self.fault(item.line, || format!("{id} is cancelled, which was never asked"));
            }
            Role::Response { id } => {
                let answered = self.asked.answered(item.line, id, read, self.report);
                if let Err(fault) = answered {
                    self.fault(item.line, || fault);
                }
            }
            // The CLI refuses a request that has no subtype.
            Role::Message if self.facts.faults && read.kind() == "control_request" => {
                if let Some(id) = read.json.text_at(&["request_id"]) {
                    self.calls.made(item.line, id, "control_request", item.has(Mark::Unanswered));
                }
            }
            Role::Message => {}
        }
    }

    /// Records a fault of our side, unless the header allows such faults.
    fn fault(&mut self, line: usize, what: impl FnOnce() -> String) {
        if !self.facts.faults {
            self.report.find(line, what());
        }
    }

    fn check_new_id(&mut self, line: usize, id: &str) {
        if let Some(first) = self.calls.line_of(id) {
            self.fault(line, || format!("a request of ours has the id {id} of that of line {first}"));
            self.calls.used_again(id);
        }
    }

    fn theirs(&mut self, item: &Item, read: &Recorded) {
        match &read.role {
            Role::Request { .. } => self.asked.came(item, read, self.facts, self.report),
            Role::Cancel { id } => self.asked.cancelled(item.line, id, self.report),
            Role::Response { id } if !self.calls.has(id) && self.asked.is_echo(id, read) => {}
            Role::Response { id } => self.calls.replied(item.line, id, self.report),
            Role::Message => {
                if read.kind() == "result" {
                    self.asked.turn_ended();
                    self.calls.turn_ended(item.line, read, self.report);
                }
                self.calls.message(item.line, read, self.report);
            }
        }
    }
}
