//! The CLI's requests and our answers.

use std::collections::HashMap;

use super::{super::facts::is_of_agent, Facts, Item, Mark, Report};
use agentwire_testkit::{
    json::Json,
    recorded::{Recorded, Role},
};

/// The CLI's requests, in order.
#[derive(Debug, Default)]
pub(super) struct Asked {
    requests: Vec<Request>,
    /// The latest request of each id.
    latest: HashMap<Box<str>, usize>,
}

#[derive(Debug)]
struct Request {
    line: usize,
    id: Box<str>,
    subtype: Box<str>,
    answered: bool,
    /// Our answer, until the CLI repeats it.
    answer: Option<Json>,
    cancelled: bool,
    /// Whether it may stay open: a comment marks it as unanswered, or the CLI cancelled it in another way.
    excused: bool,
    /// Whether a turn has ended since it came, while we could still answer.
    outlived: bool,
    /// Whether we can no longer answer.
    too_late: bool,
    /// Whether it comes from an agent, which may outlive a turn.
    of_agent: bool,
    /// The server and the message of an MCP request.
    mcp: Option<(Box<str>, Json)>,
}

impl Asked {
    pub(super) fn came(&mut self, item: &Item, read: &Recorded, facts: &Facts, report: &mut Report) {
        let Role::Request { id, subtype } = &read.role else { return };
        if let Some(open) = self.find(id).filter(|open| open.is_open()) {
            let what = format!("a request has the id {id} of line {}, which is open", open.line);
            report.find(item.line, what);
        }
        let mcp = read
            .json
            .text_at(&["request", "server_name"])
            .zip(read.json.at(&["request", "message"]))
            .map(|(server, message)| (Box::from(server), message.clone()));
        if let Some((server, message)) = &mcp {
            self.mcp(item.line, server, message, facts, report);
        }
        self.latest.insert(id.clone(), self.requests.len());
        self.requests.push(Request {
            line: item.line,
            id: id.clone(),
            subtype: subtype.clone(),
            answered: false,
            answer: None,
            cancelled: false,
            excused: item.has(Mark::Unanswered),
            outlived: false,
            too_late: false,
            of_agent: is_of_agent(read),
            mcp,
        });
    }

    pub(super) fn cancelled(&mut self, line: usize, id: &str, report: &mut Report) {
        match self.find_mut(id) {
            None => report.find(line, format!("{id} is cancelled, which was never asked")),
            Some(request) if request.cancelled => report.find(line, format!("{id} is cancelled twice")),
            Some(request) => request.cancelled = true,
        }
    }

    /// Records an answer of ours. Fails if nothing waits for such an answer.
    pub(super) fn answered(
        &mut self,
        line: usize,
        id: &str,
        read: &Recorded,
        report: &mut Report,
    ) -> Result<(), String> {
        let Some(request) = self.find_mut(id) else {
            return Err(format!("an answer to {id}, which has not been asked"));
        };
        if request.answered {
            return Err(format!("a second answer to `{}` of line {}", request.subtype, request.line));
        }
        request.answered = true;
        request.answer = Some(read.json.clone());
        let wanted = request.mcp.as_ref().and_then(|(_, message)| message.field("id"));
        let given = read.json.at(&["response", "response", "mcp_response"]);
        if let (Some(wanted), Some(given)) = (wanted, given)
            && !given.field("id").is_some_and(|id| wanted.same(id))
        {
            report.find(line, format!("the answer to line {} has another JSON-RPC id", request.line));
        }
        Ok(())
    }

    /// Returns whether a reply of the CLI repeats an answer of ours for the first time, as it does with
    /// `--replay-user-messages`.
    pub(super) fn is_echo(&mut self, id: &str, reply: &Recorded) -> bool {
        let request = self.find_mut(id);
        request.is_some_and(|request| request.answer.take_if(|answer| answer.same(&reply.json)).is_some())
    }

    pub(super) fn turn_ended(&mut self) {
        let open = self.requests.iter_mut().filter(|request| request.is_open() && !request.too_late);
        open.for_each(|request| request.outlived = true);
    }

    pub(super) fn no_more_answers(&mut self) {
        let open = self.requests.iter_mut().filter(|request| request.is_open());
        open.for_each(|request| request.too_late = true);
    }

    /// Checks that every request was answered, unless it was cancelled or its turn was open when our input ended.
    pub(super) fn end(&self, report: &mut Report) {
        for request in self.requests.iter().filter(|request| request.is_open() && !request.excused) {
            let may_be_open = request.too_late && (!request.outlived || request.of_agent);
            if !may_be_open {
                report.find(request.line, format!("`{}` ({}) has no answer", request.subtype, request.id));
            }
        }
    }

    /// Checks the order of an MCP handshake. A cancelled call needs no answer.
    fn mcp(&mut self, line: usize, server: &str, message: &Json, facts: &Facts, report: &mut Report) {
        let method = message.text_at(&["method"]).unwrap_or_default();
        let of_server =
            |request: &&mut Request| request.mcp.as_ref().is_some_and(|(name, _)| **name == *server);
        if method == "notifications/cancelled"
            && let Some(call) = message.at(&["params", "requestId"])
        {
            let is_it = |request: &&mut Request| {
                request
                    .mcp
                    .as_ref()
                    .and_then(|(_, message)| message.field("id"))
                    .is_some_and(|id| id.same(call))
            };
            let calls = self.requests.iter_mut().filter(of_server).filter(is_it);
            calls.for_each(|request| request.excused = true);
        }
        if !BEHIND_INITIALIZE.contains(&method) {
            return;
        }
        let is_initialize = |request: &&mut Request| {
            request.mcp.as_ref().and_then(|(_, message)| message.text_at(&["method"])) == Some("initialize")
        };
        if self.requests.iter_mut().filter(of_server).filter(is_initialize).any(|request| request.is_open()) {
            report.find(line, format!("`{method}` for {server} comes before the answer to its `initialize`"));
        }
        handshake(line, server, method, facts, report);
    }

    fn find(&self, id: &str) -> Option<&Request> {
        self.latest.get(id).and_then(|index| self.requests.get(*index))
    }

    fn find_mut(&mut self, id: &str) -> Option<&mut Request> {
        self.latest.get(id).and_then(|index| self.requests.get_mut(*index))
    }
}

/// Checks that an MCP server is used only after its confirmed handshake, if the recording has a confirmation.
pub(super) fn handshake(line: usize, server: &str, method: &str, facts: &Facts, report: &mut Report) {
    if BEHIND_INITIALIZE.contains(&method)
        && method != "notifications/initialized"
        && facts.mcp_confirmed.get(server).is_some_and(|at| *at > line)
    {
        report.find(line, format!("`{method}` for {server} comes before `notifications/initialized`"));
    }
}

impl Request {
    fn is_open(&self) -> bool {
        !self.answered && !self.cancelled
    }
}

/// The methods that the CLI sends to an MCP server only after the server has answered `initialize`.
const BEHIND_INITIALIZE: &[&str] = &["notifications/initialized", "tools/list", "tools/call"];
