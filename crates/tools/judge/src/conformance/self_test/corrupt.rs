//! Corrupted copies of a transcript.
//!
//! A corruption is placed only where the protocol makes it a fault:
//!
//! | corruption | only where |
//! |---|---|
//! | a message is dropped | a result follows: outside of a turn messages are optional |
//! | an answer is dropped | a result follows, and the request is not an agent's: a request may stay open at the end |
//! | a reply or a result is dropped | the CLI was neither stopped nor failed |
//! | a request of ours is dropped | it has a reply |
//! | a request of the CLI is dropped, an answer is repeated | the header does not allow faults of our side |
//! | a reply or a request of the CLI is dropped | our side is recorded |
//! | an id is changed | another line has the same id |

use bytes::Bytes;

use super::super::{
    facts::{Facts, content, is_of_agent},
    scene::{Scene, What},
};
use super::Corruption;
use agentwire_testkit::{
    Transcript,
    json::{Json, Value},
    recorded::{Recorded, Role, unmarked},
    transcript::Entry,
};

/// Returns whether the check finds this corruption at one of its places in the transcript.
///
/// `None` without such a place.
pub(super) fn is_found(
    corruption: Corruption,
    transcript: &Transcript,
    scene: &Scene,
    is_faulty: impl Fn(&Transcript) -> bool,
) -> Option<bool> {
    let source = Source { transcript, scene, facts: Facts::of(scene) };
    let mut corrupted = source.corrupted(corruption).peekable();
    corrupted.peek()?;
    Some(corrupted.any(|transcript| is_faulty(&transcript)))
}

struct Source<'a> {
    transcript: &'a Transcript,
    scene: &'a Scene,
    facts: Facts,
}

/// A change of one line of a transcript.
enum Fault {
    Drop,
    /// Everything after the line is missing.
    LoseRest,
    Repeat,
    SwapWithNext,
    Replace(Bytes),
}

impl Source<'_> {
    /// Returns the corrupted copies, one for each place.
    fn corrupted(&self, corruption: Corruption) -> impl Iterator<Item = Transcript> {
        let items = 0..self.scene.items.len();
        let faults = items.flat_map(move |item| {
            self.faults_of(corruption, item).into_iter().map(move |fault| (item, fault))
        });
        faults.filter_map(|(item, fault)| self.corrupt(item, fault))
    }

    fn faults_of(&self, corruption: Corruption, item: usize) -> Vec<Fault> {
        let Some(what) = self.scene.items.get(item).map(|item| &item.what) else { return Vec::new() };
        let once = |is_it: bool, fault: Fault| if is_it { vec![fault] } else { Vec::new() };
        let (ours, role) = (matches!(what, What::Ours(..)), what.read().map(|read| &read.role));
        let is_response = matches!(role, Some(Role::Response { .. }));
        let is_request = matches!(role, Some(Role::Request { .. }));
        let is_message = !ours && role == Some(&Role::Message);
        let is_complete = self.facts.ended_well() && !self.facts.stopped;
        let (bare, faults) = (self.scene.bare, self.scene.faults);
        match corruption {
            Corruption::DropReply => once(is_response && !ours && is_complete && !bare, Fault::Drop),
            Corruption::DropAnswer => once(is_response && ours && self.is_due(item, what), Fault::Drop),
            Corruption::DropRequest => once(is_request && !ours && !faults && !bare, Fault::Drop),
            Corruption::DropResult => once(is_result(what) && is_complete, Fault::Drop),
            Corruption::DropMessage => {
                once(is_message && !is_result(what) && self.has_result_after(item), Fault::Drop)
            }
            Corruption::DropCall => once(is_request && ours && self.has_reply(what), Fault::Drop),
            Corruption::RepeatReply => once(is_response && !ours, Fault::Repeat),
            Corruption::RepeatAnswer => once(is_response && ours && !faults, Fault::Repeat),
            Corruption::RepeatRequest => once(is_request && !ours, Fault::Repeat),
            Corruption::RepeatCall => once(is_request && ours, Fault::Repeat),
            Corruption::RepeatMessage => once(is_message, Fault::Repeat),
            Corruption::LoseTail => once(item + 1 < self.scene.items.len(), Fault::LoseRest),
            Corruption::Swap => once(item + 1 < self.scene.items.len(), Fault::SwapWithNext),
            Corruption::Cut => cuts(what),
            Corruption::ChangeId => self.other_ids(what),
        }
    }

    /// Returns the line with another id, once for each of its ids that other lines refer to.
    fn other_ids(&self, what: &What) -> Vec<Fault> {
        let (What::Ours(line, Some(read)) | What::Theirs(line, Some(read))) = what else { return Vec::new() };
        let json = &read.json;
        let mut ids: Vec<Option<&Json>> = match &read.role {
            Role::Response { .. } => vec![json.at(&["response", "request_id"])],
            Role::Cancel { .. } => vec![json.field("request_id")],
            Role::Request { .. } => {
                let callback = json.at(&["request", "callback_id"]);
                // A tool use in our own request is left alone: the CLI accepts any id.
                let is_theirs = matches!(what, What::Theirs(..));
                let tool = json.at(&["request", "tool_use_id"]).filter(|_| callback.is_none() && is_theirs);
                vec![json.field("request_id"), callback, tool]
            }
            Role::Message if read.kind() == "assistant" => {
                vec![json.at(&["message", "id"]), json.field("session_id")]
            }
            Role::Message if read.kind() == "result" => vec![json.field("session_id")],
            Role::Message => Vec::new(),
        };
        let results = if read.kind() == "user" { content(read) } else { &[] };
        ids.extend(results.iter().map(|block| block.field("tool_use_id")));
        let ids = ids.into_iter().flatten().filter(|id| id.text().is_some_and(|text| self.is_shared(text)));
        ids.map(|id| Fault::Replace(replaced(line, id))).collect()
    }

    /// Returns whether two lines have this id.
    fn is_shared(&self, id: &str) -> bool {
        let quoted = Value::quoted(id);
        let has = |what: &What| match what {
            What::Ours(line, _) | What::Theirs(line, _) => {
                line.windows(quoted.len()).any(|part| part == quoted.as_bytes())
            }
            _ => false,
        };
        self.scene.items.iter().filter(|item| has(&item.what)).nth(1).is_some()
    }

    /// Returns whether the CLI cannot reach the end of the turn without this answer.
    fn is_due(&self, item: usize, answer: &What) -> bool {
        let request = self.scene.theirs().find(|read| {
            matches!(read.role, Role::Request { .. }) && read.id() == answer.read().and_then(Recorded::id)
        });
        request.is_some_and(|request| !is_of_agent(request)) && self.has_result_after(item)
    }

    fn has_result_after(&self, item: usize) -> bool {
        self.scene.items.iter().skip(item + 1).any(|item| is_result(&item.what))
    }

    fn has_reply(&self, call: &What) -> bool {
        let id = call.read().and_then(Recorded::id);
        self.scene.theirs().any(|read| matches!(read.role, Role::Response { .. }) && read.id() == id)
    }

    fn corrupt(&self, item: usize, fault: Fault) -> Option<Transcript> {
        let place = self.scene.items.get(item)?.entry;
        let mut transcript = self.transcript.clone();
        let entries = &mut transcript.entries;
        match fault {
            Fault::LoseRest => entries.truncate(place + 1),
            Fault::Drop => drop(entries.remove(place)),
            Fault::Repeat => entries.insert(place, entries.get(place)?.clone()),
            Fault::SwapWithNext => entries.swap(place, self.scene.items.get(item + 1)?.entry),
            Fault::Replace(line) => {
                let entry = entries.get_mut(place)?;
                *entry = if matches!(entry, Entry::Outbound(_)) {
                    Entry::Outbound(line)
                } else {
                    Entry::Inbound(line)
                };
            }
        }
        Some(transcript)
    }
}

fn is_result(what: &What) -> bool {
    matches!(what, What::Theirs(_, Some(read)) if read.kind() == "result")
}

/// Returns truncated versions of a line of JSON: no object is complete before its last brace.
fn cuts(what: &What) -> Vec<Fault> {
    let (What::Ours(line, Some(_)) | What::Theirs(line, Some(_))) = what else { return Vec::new() };
    let whole = line.trim_ascii_end().len();
    let ends = [1, whole / 2, whole.saturating_sub(1)];
    ends.into_iter()
        .filter(|end| *end > 0 && *end < whole)
        .map(|end| Fault::Replace(line.slice(..end)))
        .collect()
}

fn replaced(line: &Bytes, id: &Json) -> Bytes {
    let text = unmarked(line);
    let (before, behind) = (text.get(..id.span.start), text.get(id.span.end..));
    [before.unwrap_or_default(), b"\"another-id\"", behind.unwrap_or_default()].concat().into()
}
