//! An answer that streams: its events nest, and each whole block comes while the block is open.

use std::collections::{HashMap, HashSet};

use super::super::facts::{Facts, content, is_made_up};
use super::Report;
use crate::{json::Json, recorded::Recorded};

/// The answers that stream, by the tool use whose agent gives them; an empty name is the main conversation.
#[derive(Debug, Default)]
pub(super) struct Streams(HashMap<Box<str>, Answer>);

#[derive(Debug, Default)]
struct Answer {
    id: Box<str>,
    line: usize,
    block: Option<Block>,
    /// The places of the blocks that have started.
    started: HashSet<Box<str>>,
    /// The CLI tries again, so what it had so far is void.
    retried: bool,
}

#[derive(Debug)]
struct Block {
    place: Box<str>,
    line: usize,
    grown: String,
    /// Whether the whole block came already.
    whole: bool,
}

impl Streams {
    pub(super) fn see(&mut self, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let agent: Box<str> = read.json.text_at(&["parent_tool_use_id"]).unwrap_or_default().into();
        match (read.kind(), read.subtype()) {
            ("stream_event", _) => self.event(agent, line, read, report),
            ("assistant", _) => self.whole_block(&agent, line, read, facts, report),
            ("result", subtype) => self.result(line, read, subtype, report),
            ("system", "api_retry" | "model_fallback") => {
                self.0.values_mut().for_each(|answer| answer.retried = true);
            }
            ("system", "status") if read.json.text_at(&["status"]) == Some("requesting") => {
                if let Some(open) = self.0.get("").filter(|open| !open.retried) {
                    report.find(
                        line,
                        format!("the next answer is requested while that of line {} is open", open.line),
                    );
                }
            }
            _ => {}
        }
    }

    fn event(&mut self, agent: Box<str>, line: usize, read: &Recorded, report: &mut Report) {
        let Some(event) = read.json.field("event") else { return };
        let kind = event.text_at(&["type"]).unwrap_or_default();
        if kind == "message_start" {
            let id = event.text_at(&["message", "id"]).unwrap_or_default().into();
            let answer = Answer { id, line, ..Answer::default() };
            if let Some(open) = self.0.insert(agent, answer).filter(|open| !open.retried) {
                report.find(line, format!("an answer starts while that of line {} is open", open.line));
            }
            return;
        }
        if !KNOWN.contains(&kind) {
            return;
        }
        let Some(answer) = self.0.get_mut(&agent) else {
            return report.find(line, format!("`{kind}` outside an answer"));
        };
        let place = event.field("index").and_then(Json::number).unwrap_or_default();
        if let Err(why) = answer.take(kind, place, line, event) {
            report.find(line, why);
        }
        if kind == "message_stop" {
            self.0.remove(&agent);
        }
    }

    fn whole_block(&mut self, agent: &str, line: usize, read: &Recorded, facts: &Facts, report: &mut Report) {
        let id = read.json.text_at(&["message", "id"]).unwrap_or_default();
        let Some(answer) = self.0.get_mut(agent) else {
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
        if content(read).iter().any(|whole| is_shuffled(&block.grown, whole)) {
            report.find(line, format!("the pieces of the block of line {} are in another order", block.line));
        }
    }

    /// A turn that ends well has no open answer; one that was cut drops it.
    fn result(&mut self, line: usize, read: &Recorded, subtype: &str, report: &mut Report) {
        let is_error = read.json.field("is_error").is_some_and(Json::is_true);
        if let Some(open) = self.0.remove("")
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
            "content_block_start" => self.start(place, line),
            "content_block_delta" => self.grow(place, event),
            "content_block_stop" => match self.block.take() {
                Some(block) if *block.place == *place => Ok(()),
                _ => Err(format!("block {place} ends while it is not open")),
            },
            _ => match &self.block {
                Some(block) if !self.retried => {
                    Err(format!("`{kind}` while the block of line {} is open", block.line))
                }
                _ => Ok(()),
            },
        }
    }

    fn start(&mut self, place: &str, line: usize) -> Result<(), String> {
        let open =
            self.block.replace(Block { place: place.into(), line, grown: String::new(), whole: false });
        if !self.started.insert(place.into()) {
            return Err(format!("block {place} starts twice"));
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
        let piece =
            ["text", "thinking", "partial_json"].iter().find_map(|name| event.text_at(&["delta", name]));
        block.grown.push_str(piece.unwrap_or_default());
        Ok(())
    }
}

/// Whether the pieces of a block hold the same characters as the whole, in another order.
///
/// Nothing else is said of their text: a hook may have changed what is shown, and a recording may be redacted.
fn is_shuffled(grown: &str, whole: &Json) -> bool {
    if let Some(input) = whole.field("input") {
        return Json::parse(grown.as_bytes()).is_none_or(|pieces| !pieces.same(input))
            && sorted(grown) == sorted(&input.to_string());
    }
    let text = whole.text_at(&["text"]).or_else(|| whole.text_at(&["thinking"]));
    text.is_some_and(|text| text != grown && text.len() == grown.len() && sorted(text) == sorted(grown))
}

fn sorted(text: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    bytes.sort_unstable();
    bytes
}

/// The events of a stream that have a place; others may come anywhere.
const KNOWN: &[&str] =
    &["content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"];
