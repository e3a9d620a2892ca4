//! Our requests and the CLI's replies.

use super::{Facts, Report};
use agentwire_testkit::{End, recorded::Recorded};

/// Our requests, in order.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Call>);

#[derive(Debug)]
struct Call {
    line: usize,
    id: Box<str>,
    subtype: Box<str>,
    replied: bool,
    cancelled: bool,
    /// Whether a comment marks it as unanswered.
    excused: bool,
    /// The turns that have started since.
    turns_started: usize,
    /// The turns that have ended since.
    turns_ended: usize,
    /// Whether a later request has its reply.
    overtaken: bool,
}

impl Calls {
    /// Returns the line of the first request with this id.
    pub(super) fn line_of(&self, id: &str) -> Option<usize> {
        self.0.iter().find(|call| *call.id == *id).map(|call| call.line)
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.line_of(id).is_some()
    }

    /// Drops an open tool call when its id is used again, as the CLI does.
    pub(super) fn used_again(&mut self, id: &str) {
        self.excuse_tool_calls(|call| *call.id == *id);
    }

    /// Drops the running tool calls when our input ends, as the CLI does.
    pub(super) fn input_ended(&mut self) {
        self.excuse_tool_calls(|_| true);
    }

    fn excuse_tool_calls(&mut self, which: impl Fn(&Call) -> bool) {
        let open = self.0.iter_mut().filter(|call| *call.subtype == *"mcp_call" && !call.replied);
        open.filter(|call| which(call)).for_each(|call| call.excused = true);
    }

    pub(super) fn made(&mut self, line: usize, id: &str, subtype: &str, excused: bool) {
        let (id, subtype) = (id.into(), subtype.into());
        let call = Call {
            line,
            id,
            subtype,
            replied: false,
            cancelled: false,
            excused,
            turns_started: 0,
            turns_ended: 0,
            overtaken: false,
        };
        self.0.push(call);
    }

    pub(super) fn replied(&mut self, line: usize, id: &str, report: &mut Report) {
        // If two open requests have one id, the CLI may have dropped the first.
        let open = |call: &Call| *call.id == *id && !call.replied;
        let wanted = self.0.iter().position(|call| open(call) && !call.excused);
        let Some(index) = wanted.or_else(|| self.0.iter().position(open)) else {
            let what = match self.0.iter().rev().find(|call| *call.id == *id) {
                Some(call) => format!("a second reply to `{}` of line {}", call.subtype, call.line),
                None => format!("a reply to {id}, which nobody has asked"),
            };
            return report.find(line, what);
        };
        let (before, call) = self.0.split_at_mut(index);
        before.iter_mut().for_each(|earlier| earlier.overtaken = true);
        call.first_mut().into_iter().for_each(|call| call.replied = true);
    }

    pub(super) fn cancelled(&mut self, id: &str) {
        if let Some(call) = self.0.iter_mut().rev().find(|call| *call.id == *id) {
            call.cancelled = true;
        }
    }

    /// Checks that an interrupt's reply precedes the result of the turn that it stops.
    pub(super) fn turn_ended(&mut self, line: usize, result: &Recorded, report: &mut Report) {
        let aborted = result.json.text_at(&["terminal_reason"]).is_some_and(|why| why.starts_with("aborted"));
        let mut interrupts =
            self.0.iter().filter(|call| *call.subtype == *"interrupt" && call.turns_ended == 0).peekable();
        if aborted && interrupts.peek().is_some() && interrupts.all(|call| !call.replied && !call.excused) {
            report.find(line, "the result of an interrupted turn stands before the reply to the interrupt");
        }
        self.0.iter_mut().for_each(|call| call.turns_ended += 1);
    }

    /// Checks that the CLI reports a new permission mode after the reply to its request.
    pub(super) fn message(&mut self, line: usize, read: &Recorded, report: &mut Report) {
        match (read.kind(), read.subtype()) {
            ("system", "init") => self.0.iter_mut().for_each(|call| call.turns_started += 1),
            ("system", "status") if read.json.field("permissionMode").is_some() => {
                let mut open = self
                    .0
                    .iter()
                    .filter(|call| *call.subtype == *"set_permission_mode" && call.turns_ended == 0);
                if open.clone().next().is_some() && open.all(|call| !call.replied && !call.excused) {
                    report.find(
                        line,
                        "a new permission mode is reported before the reply to the request for it",
                    );
                }
            }
            _ => {}
        }
    }

    /// Checks that every request got its reply, unless the CLI was cut off.
    pub(super) fn end(&self, facts: &Facts, report: &mut Report) {
        let cut_off = match &facts.end {
            Some(End::Exit(code)) => *code != 0 || facts.stopped,
            Some(_) => true,
            None => false,
        };
        for call in self.0.iter().filter(|call| !call.replied && !call.cancelled && !call.excused) {
            // A refused start answers nothing and gives one result; a crash gives none.
            let started = call.turns_started > 0 && !facts.stopped;
            let may_be_open = cut_off && !call.overtaken && !started && call.turns_ended <= 1;
            if !may_be_open {
                report.find(call.line, format!("`{}` ({}) has no reply", call.subtype, call.id));
            }
        }
    }
}
