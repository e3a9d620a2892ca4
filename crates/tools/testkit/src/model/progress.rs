//! The progress of a script: the next reply of each list, and the requests so far.

use std::iter;

use super::{
    request::{Answer, MessagesRequest, RequestFact},
    script::{Reply, Script},
};

/// The mutable half of a scripted model.
#[derive(Debug)]
pub(super) struct Progress {
    main: Cursor,
    /// In the order of the script's matches.
    matches: Vec<Cursor>,
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

/// The answer to a request.
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
        let (main, side) = (Cursor::default(), Cursor::default());
        let matches = vec![Cursor::default(); script.matches.len()];
        Self { main, matches, side, requests: 0, exhausted: 0, facts: Vec::new() }
    }

    /// Takes the next reply for this request, and records the request.
    pub(super) fn pick(&mut self, script: &Script, request: &MessagesRequest<'_>, path: &str) -> Picked {
        let mut lists = script.matches.iter().zip(&mut self.matches).enumerate();
        let picked = match lists.find(|(_, (found, _))| request.holds(&found.marker, found.place)) {
            Some((at, (found, cursor))) => {
                cursor.take(format!("A{}", at + 1), &found.replies, Answer::Matched(at))
            }
            None if request.is_main() => self.main.take("M".to_owned(), &script.replies, Answer::Main),
            None => self.side.answer("S".to_owned(), Reply::text(&*script.side_text), Answer::Side),
        };
        self.exhausted += usize::from(picked.answer == Answer::Exhausted);
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
        let cursors = iter::once(&self.main).chain(&self.matches);
        cursors.zip(script.lists()).map(left).fold(0, usize::saturating_add)
    }
}

impl Cursor {
    /// Takes the next reply of this list, whose ids have this name.
    fn take(&mut self, list: String, replies: &[Reply], answer: Answer) -> Picked {
        let Some(reply) = replies.get(self.reply) else {
            return self.answer(list, Reply::text(EXHAUSTED), Answer::Exhausted);
        };
        self.step(reply.count());
        self.answer(list, reply.clone(), answer)
    }

    fn step(&mut self, times: usize) {
        self.given += 1;
        if self.given >= times {
            self.reply += 1;
            self.given = 0;
        }
    }

    fn answer(&mut self, list: String, reply: Reply, answer: Answer) -> Picked {
        let ids = Ids { list, number: self.answered + 1, first_tool_call: self.tool_calls + 1 };
        self.answered += 1;
        self.tool_calls += reply.blocks.len();
        Picked { reply, ids, answer }
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
