//! The progress of a script: the next reply of each list, and the requests so far.

use super::{
    request::{Answer, MessagesRequest, RequestFact},
    script::{Reply, Script},
};

/// The mutable half of a scripted model.
#[derive(Debug)]
pub(super) struct Progress {
    /// One for each list of the script, in the order of [`Script::lists`].
    lists: Vec<Cursor>,
    side: Cursor,
    pub(super) requests: usize,
    pub(super) exhausted: usize,
    pub(super) facts: Vec<RequestFact>,
}

/// How far one list has been played.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    reply: usize,
    /// How often that reply has been given.
    given: usize,
    answered: usize,
    tool_calls: usize,
}

/// What to answer a request with.
#[derive(Debug)]
pub(super) struct Picked {
    pub(super) reply: Reply,
    pub(super) ids: Ids,
    pub(super) answer: Answer,
}

/// The ids of one reply.
///
/// They are counted list by list, so they do not depend on how conversations interleave.
#[derive(Debug)]
pub(super) struct Ids {
    list: String,
    number: usize,
    first_tool_call: usize,
}

impl Progress {
    pub(super) fn new(script: &Script) -> Self {
        let lists = script.lists().map(|_| Cursor::default()).collect();
        Self { lists, side: Cursor::default(), requests: 0, exhausted: 0, facts: Vec::new() }
    }

    /// Takes the next reply for this request, and records the request.
    pub(super) fn pick(&mut self, script: &Script, request: &MessagesRequest<'_>, path: &str) -> Picked {
        let matched = script.matches.iter().position(|found| request.holds(&found.marker, found.place));
        let picked = match matched {
            Some(position) => self.take(script, position + 1, Answer::Matched(position)),
            None if request.is_main() => self.take(script, 0, Answer::Main),
            None => {
                let reply = Reply::text(&*script.side_text);
                Picked { ids: self.side.answer("S".to_owned(), &reply), reply, answer: Answer::Side }
            }
        };
        self.record(request.fact(path, picked.answer));
        picked
    }

    pub(super) fn record(&mut self, fact: RequestFact) {
        self.requests += 1;
        if self.facts.len() < MAX_FACTS {
            self.facts.push(fact);
        }
    }

    pub(super) fn unused(&self, script: &Script) -> usize {
        let left = |(cursor, replies): (&Cursor, &[Reply])| {
            let ahead = replies.iter().skip(cursor.reply).map(Reply::count).fold(0, usize::saturating_add);
            ahead.saturating_sub(cursor.given)
        };
        self.lists.iter().zip(script.lists()).map(left).fold(0, usize::saturating_add)
    }

    fn take(&mut self, script: &Script, list: usize, answer: Answer) -> Picked {
        let next = script.lists().nth(list).zip(self.lists.get_mut(list));
        let Some((replies, cursor)) = next else { return self.run_out("X".to_owned(), None) };
        let name = if list == 0 { "M".to_owned() } else { format!("A{list}") };
        match replies.get(cursor.reply).cloned() {
            Some(reply) => {
                cursor.step(reply.count());
                Picked { ids: cursor.answer(name, &reply), reply, answer }
            }
            None => self.run_out(name, Some(list)),
        }
    }

    fn run_out(&mut self, name: String, list: Option<usize>) -> Picked {
        self.exhausted += 1;
        let reply = Reply::text(EXHAUSTED);
        let cursor = list.and_then(|list| self.lists.get_mut(list)).unwrap_or(&mut self.side);
        Picked { ids: cursor.answer(name, &reply), reply, answer: Answer::Exhausted }
    }
}

impl Cursor {
    fn step(&mut self, times: usize) {
        self.given += 1;
        if self.given >= times {
            self.reply += 1;
            self.given = 0;
        }
    }

    fn answer(&mut self, list: String, reply: &Reply) -> Ids {
        let ids = Ids { list, number: self.answered + 1, first_tool_call: self.tool_calls + 1 };
        self.answered += 1;
        self.tool_calls += reply.blocks.len();
        ids
    }
}

impl Ids {
    pub(super) fn message(&self) -> String {
        id("msg_01", &self.list, self.number)
    }

    pub(super) fn request(&self) -> String {
        id("req_01", &self.list, self.number)
    }

    /// Returns the id of the tool call in the block at this position.
    pub(super) fn tool_call(&self, block: usize) -> String {
        id("toolu_01", &self.list, self.first_tool_call + block)
    }
}

/// Returns an id of the length of the API's ids.
fn id(prefix: &str, list: &str, number: usize) -> String {
    let width = ID_WIDTH.saturating_sub(list.len());
    format!("{prefix}{list}{number:0width$}")
}

const EXHAUSTED: &str = "(script exhausted)";
const ID_WIDTH: usize = 22;
const MAX_FACTS: usize = 10_000;
