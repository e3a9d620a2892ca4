//! Checks a streamed answer: its events nest, and each whole block comes while the block is open.

use std::collections::{HashMap, HashSet};

use super::super::facts::{Facts, content, is_made_up};
use super::{Report, pieces::Pieces};
use agentwire_testkit::{json::Json, recorded::Recorded};

/// The answers that stream, by the tool use of their agent; the main conversation has an empty name.
#[derive(Debug, Default)]
pub(super) struct Streams {
    open: HashMap<Box<str>, Answer>,
    /// Whether an answer of the main conversation was requested, and has not started.
    requested: bool,
}

#[derive(Debug, Default)]
struct Answer {
    id: Box<str>,
    line: usize,
    block: Option<Block>,
    /// The places of the blocks that have started.
    started: HashSet<Box<str>>,
    /// The blocks that ended and never came whole: their place and their line.
    unshown: Vec<(Box<str>, usize)>,
    /// Whether its `message_delta` came.
    summed_up: bool,
    /// Whether the CLI retries, so that earlier pieces are void.
    retried: bool,
}

#[derive(Debug)]
struct Block {
    place: Box<str>,
    line: usize,
    pieces: Pieces,
    /// Whether the CLI shows such a block whole.
    shown: bool,
    /// Whether the whole block came already.
    whole: bool,
}

impl Streams {
    pub(super) fn see(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let agent: Box<str> = read.json.text_at(&["parent_tool_use_id"]).unwrap_or_default().into();
        match (read.kind(), read.subtype()) {
            ("stream_event", _) => self.event(agent, line, read, facts, report),
            ("assistant", _) => self.whole_block(&agent, line, read, facts, report),
            ("result", subtype) => self.result(line, read, subtype, report),
            ("system", "api_retry" | "model_fallback") => {
                self.requested = true;
                self.open.values_mut().for_each(|answer| answer.retried = true);
            }
            ("system", "status") if read.json.text_at(&["status"]) == Some("requesting") => {
                self.requested = true;
                if let Some(open) = self.open.get("").filter(|open| !open.retried) {
                    report.find(
                        line,
                        format!("the next answer is requested while that of line {} is open", open.line),
                    );
                }
            }
            _ => {}
        }
    }

    fn event(&mut self, agent: Box<str>, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let Some(event) = read.json.field("event") else { return };
        let kind = event.text_at(&["type"]).unwrap_or_default();
        if kind == "message_start" {
            let id = event.text_at(&["message", "id"]).unwrap_or_default().into();
            let is_main = agent.is_empty();
            if is_main && !std::mem::take(&mut self.requested) && facts.requests && !facts.tasks {
                report.find(line, "an answer starts that was not requested");
            }
            let answer = Answer { id, line, ..Answer::default() };
            if let Some(open) = self.open.insert(agent, answer).filter(|open| !open.retried) {
                report.find(line, format!("an answer starts while that of line {} is open", open.line));
            }
            return;
        }
        if !KNOWN.contains(&kind) {
            return;
        }
        let Some(answer) = self.open.get_mut(&agent) else {
            return report.find(line, format!("`{kind}` outside an answer"));
        };
        let place = event.field("index").and_then(Json::number).unwrap_or_default();
        if let Err(why) = answer.take(kind, place, line, event) {
            report.find(line, why);
        }
        if kind == "message_stop"
            && let Some(answer) = self.open.remove(&agent)
            && !answer.retried
        {
            answer.stop(line, read, agent.is_empty() && !facts.tasks, report);
        }
    }

    fn whole_block(&mut self, agent: &str, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let id = read.json.text_at(&["message", "id"]).unwrap_or_default();
        let Some(answer) = self.open.get_mut(agent) else {
            if facts.started.contains(id) && !facts.tasks {
                report.find(line, format!("a block of {id} stands outside its answer"));
            }
            return;
        };
        if *answer.id != *id {
            if !facts.tasks && !is_made_up(read) {
                report.find(line, format!("a block of {id} stands within the answer {}", answer.id));
            }
            return;
        }
        let Some(block) = answer.block.as_mut() else {
            return report.find(line, "a whole block comes while it is not open");
        };
        if std::mem::replace(&mut block.whole, true) {
            return report.find(line, format!("the block of line {} comes whole twice", block.line));
        }
        if let Some(fault) = content(read).iter().find_map(|whole| block.pieces.fault(whole)) {
            report.find(line, format!("the pieces of the block of line {} {fault}", block.line));
        }
    }

    /// Checks that no answer is open after a completed turn. A turn that was cut off drops its answer.
    fn result(&mut self, line: usize, read: &Recorded, subtype: &str, report: &mut Report) {
        let is_error = read.json.field("is_error").is_some_and(Json::is_true);
        self.requested = false;
        if let Some(open) = self.open.remove("")
            && subtype == "success"
            && !is_error
            && !open.retried
        {
            report.find(line, format!("the turn ends while the answer of line {} is open", open.line));
        }
    }
}

impl Answer {
    fn take(&mut self, kind: &str, place: &str, line: usize, event: &Json) -> Result<(), String> {
        match kind {
            "content_block_start" => self.start(place, line, event),
            "content_block_delta" => self.grow(place, event),
            "content_block_stop" => match self.block.take() {
                Some(block) if *block.place == *place => {
                    let is_lost = !block.whole && block.shown && block.pieces.hold_something();
                    self.unshown.extend(is_lost.then_some((block.place, block.line)));
                    Ok(())
                }
                _ => Err(format!("block {place} ends while it is not open")),
            },
            _ => match &self.block {
                Some(block) if !self.retried => {
                    Err(format!("`{kind}` while the block of line {} is open", block.line))
                }
                _ => {
                    self.summed_up |= kind == "message_delta";
                    Ok(())
                }
            },
        }
    }

    /// Checks that a complete answer has shown its blocks and has a stop reason, and that a cut one names its void
    /// blocks.
    fn stop(self, line: usize, read: &Recorded, is_main: bool, report: &mut Report) {
        let abandoned = read.json.field("abandoned_blocks");
        let first_void = abandoned.and_then(|blocks| blocks.field("from_block_index")).and_then(Json::number);
        let first_void = first_void.and_then(|place| place.parse::<usize>().ok());
        for (place, unshown) in self.unshown.iter().filter(|_| is_main) {
            let is_void = match first_void {
                Some(first) => place.parse::<usize>().is_ok_and(|place| place >= first),
                None => abandoned.is_some(),
            };
            if !is_void {
                report.find(*unshown, "the block ends, and never comes whole");
            }
        }
        if !self.summed_up && abandoned.is_none() {
            report.find(line, format!("the answer of line {} ends without a `message_delta`", self.line));
        }
    }

    fn start(&mut self, place: &str, line: usize, event: &Json) -> Result<(), String> {
        let next = self.started.len().to_string();
        let start = event.field("content_block");
        let kind = start.and_then(|block| block.text_at(&["type"])).unwrap_or_default();
        let (pieces, shown) = (Pieces::start(start), SHOWN.contains(&kind));
        let block = Block { place: place.into(), line, pieces, shown, whole: false };
        let open = self.block.replace(block);
        if !self.started.insert(place.into()) {
            return Err(format!("block {place} starts twice"));
        }
        if *place != *next && !place.is_empty() {
            return Err(format!("block {place} starts, and block {next} would be next"));
        }
        open.map_or(Ok(()), |open| {
            Err(format!("block {place} starts while that of line {} is open", open.line))
        })
    }

    fn grow(&mut self, place: &str, event: &Json) -> Result<(), String> {
        let Some(block) = self.block.as_mut().filter(|block| *block.place == *place) else {
            return Err(format!("block {place} grows while it is not open"));
        };
        if block.whole {
            return Err(format!("block {place} grows after it came whole"));
        }
        block.pieces.grow(event);
        Ok(())
    }
}

/// The blocks that the CLI shows whole when they end.
const SHOWN: &[&str] = &["text", "thinking", "tool_use"];
/// The events of a stream that have a place; others may come anywhere.
const KNOWN: &[&str] =
    &["content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"];
