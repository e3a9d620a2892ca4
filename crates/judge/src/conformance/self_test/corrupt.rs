//! Corrupted copies of a transcript.

use bytes::Bytes;

use super::super::{
    facts::content,
    scene::{Scene, What},
};
use super::Corruption;
use agentwire_testkit::{
    Entry, Transcript,
    json::Json,
    recorded::{Role, excerpt, unmarked},
};

/// A copy of a transcript with one fault.
#[derive(Debug)]
pub(super) struct Corrupted {
    pub(super) corruption: Corruption,
    pub(super) transcript: Transcript,
    /// The line of the file to which it was done.
    pub(super) line: usize,
    /// The place of its item in the scene.
    pub(super) item: usize,
    /// What stands there.
    pub(super) what: String,
}

/// The corruptions that are tried, one after the other, and how many there are.
pub(super) fn all<'a>(
    transcript: &'a Transcript,
    scene: &'a Scene,
) -> (impl Iterator<Item = Corrupted>, usize) {
    let places: Vec<usize> = transcript
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| {
            !matches!(entry, Entry::Delay { .. } | Entry::Comment(_) | Entry::Blank | Entry::Unknown(_))
        })
        .map(|(index, _)| index)
        .collect();
    let from = Source { transcript, scene, places };
    let (mut picked, mut possible) = (Vec::new(), 0);
    for corruption in ALL {
        let faults = from.faults(*corruption);
        possible += faults.len();
        picked.extend(sample(faults, MOST).into_iter().map(|(item, fault)| (*corruption, item, fault)));
    }
    let tried =
        picked.into_iter().filter_map(move |(corruption, item, fault)| from.corrupt(corruption, item, fault));
    (tried, possible)
}

struct Source<'a> {
    transcript: &'a Transcript,
    scene: &'a Scene,
    /// The place of each item of the scene among the entries of the transcript.
    places: Vec<usize>,
}

/// What is done to a transcript.
#[derive(Clone)]
enum Fault {
    Drop,
    /// Everything behind the line is gone.
    LoseRest,
    Repeat,
    SwapWithNext,
    Replace(Bytes),
}

impl Source<'_> {
    /// The item to which each is done, and what.
    fn faults(&self, corruption: Corruption) -> Vec<(usize, Fault)> {
        let items = 0..self.scene.items.len();
        items
            .flat_map(|item| self.faults_of(corruption, item).into_iter().map(move |fault| (item, fault)))
            .collect()
    }

    fn faults_of(&self, corruption: Corruption, item: usize) -> Vec<Fault> {
        let Some(what) = self.scene.items.get(item).map(|item| &item.what) else { return Vec::new() };
        let once = |is_it: bool, fault: Fault| if is_it { vec![fault] } else { Vec::new() };
        match corruption {
            Corruption::DropReply => once(is_reply(what), Fault::Drop),
            Corruption::DropAnswer => once(is_answer(what), Fault::Drop),
            Corruption::DropRequest => once(is_request(what), Fault::Drop),
            Corruption::DropResult => once(is_result(what), Fault::Drop),
            Corruption::DropMessage => once(is_message(what), Fault::Drop),
            Corruption::DropCall => once(is_call(what), Fault::Drop),
            Corruption::RepeatReply => once(is_reply(what), Fault::Repeat),
            Corruption::RepeatAnswer => once(is_answer(what), Fault::Repeat),
            Corruption::RepeatRequest => once(is_request(what), Fault::Repeat),
            Corruption::RepeatCall => once(is_call(what), Fault::Repeat),
            Corruption::RepeatMessage => once(is_message(what) || is_result(what), Fault::Repeat),
            Corruption::LoseTail => once(item + 1 < self.scene.items.len(), Fault::LoseRest),
            Corruption::Swap => once(item + 1 < self.scene.items.len(), Fault::SwapWithNext),
            Corruption::Cut => cuts(what),
            Corruption::ChangeId => other_ids(what),
        }
    }

    fn corrupt(&self, corruption: Corruption, item: usize, fault: Fault) -> Option<Corrupted> {
        let place = *self.places.get(item)?;
        let mut transcript = self.transcript.clone();
        let entries = &mut transcript.entries;
        match fault {
            Fault::LoseRest => entries.truncate(place + 1),
            Fault::Drop => drop(entries.remove(place)),
            Fault::Repeat => entries.insert(place, entries.get(place)?.clone()),
            Fault::SwapWithNext => entries.swap(place, *self.places.get(item + 1)?),
            Fault::Replace(line) => {
                let entry = entries.get_mut(place)?;
                *entry = if matches!(entry, Entry::Outbound(_)) {
                    Entry::Outbound(line)
                } else {
                    Entry::Inbound(line)
                };
            }
        }
        let found = self.scene.items.get(item)?;
        let what = match &found.what {
            What::Ours(line, _) => format!("> {}", excerpt(line)),
            What::Theirs(line, _) => format!("< {}", excerpt(line)),
            other => format!("{other:?}"),
        };
        Some(Corrupted { corruption, transcript, line: found.line, item, what })
    }
}

fn is_reply(what: &What) -> bool {
    matches!(what, What::Theirs(_, Some(read)) if matches!(read.role, Role::Response { .. }))
}

fn is_answer(what: &What) -> bool {
    matches!(what, What::Ours(_, Some(read)) if matches!(read.role, Role::Response { .. }))
}

fn is_request(what: &What) -> bool {
    matches!(what, What::Theirs(_, Some(read)) if matches!(read.role, Role::Request { .. }))
}

fn is_call(what: &What) -> bool {
    matches!(what, What::Ours(_, Some(read)) if matches!(read.role, Role::Request { .. }))
}

/// A message that is no result.
fn is_message(what: &What) -> bool {
    let read = match what {
        What::Theirs(_, Some(read)) => read,
        _ => return false,
    };
    read.role == Role::Message && read.kind() != "result"
}

fn is_result(what: &What) -> bool {
    matches!(what, What::Theirs(_, Some(read)) if read.kind() == "result")
}

/// A line of JSON, cut: no object is whole before its last brace.
fn cuts(what: &What) -> Vec<Fault> {
    let (What::Ours(line, Some(_)) | What::Theirs(line, Some(_))) = what else { return Vec::new() };
    let whole = line.trim_ascii_end().len();
    let ends = [1, whole / 2, whole.saturating_sub(1)];
    ends.into_iter()
        .filter(|end| *end > 0 && *end < whole)
        .map(|end| Fault::Replace(line.slice(..end)))
        .collect()
}

/// The line with another id, once for each of its ids that something else refers to.
fn other_ids(what: &What) -> Vec<Fault> {
    let (What::Ours(line, Some(read)) | What::Theirs(line, Some(read))) = what else { return Vec::new() };
    let json = &read.json;
    let mut ids: Vec<Option<&Json>> = match &read.role {
        Role::Response { .. } => vec![json.at(&["response", "request_id"])],
        Role::Cancel { .. } => vec![json.field("request_id")],
        Role::Request { .. } => {
            let callback = json.at(&["request", "callback_id"]);
            // What our own request names is our affair: the CLI takes any id.
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
    let ids = ids.into_iter().flatten().filter(|id| id.text().is_some());
    ids.map(|id| Fault::Replace(replaced(line, id))).collect()
}

fn replaced(line: &Bytes, id: &Json) -> Bytes {
    let text = unmarked(line);
    let (before, behind) = (text.get(..id.span.start), text.get(id.span.end..));
    [before.unwrap_or_default(), b"\"another-id\"", behind.unwrap_or_default()].concat().into()
}

/// At most so many, spread evenly.
fn sample<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let count = all.len();
    let is_picked = |index: usize| count <= most || index * most / count != (index + 1) * most / count;
    all.into_iter().enumerate().filter(|(index, _)| is_picked(*index)).map(|(_, one)| one).collect()
}

/// Every way, in the order in which they are told.
const ALL: &[Corruption] = &[
    Corruption::DropReply,
    Corruption::DropAnswer,
    Corruption::DropRequest,
    Corruption::DropResult,
    Corruption::DropMessage,
    Corruption::DropCall,
    Corruption::RepeatReply,
    Corruption::RepeatAnswer,
    Corruption::RepeatRequest,
    Corruption::RepeatCall,
    Corruption::RepeatMessage,
    Corruption::LoseTail,
    Corruption::Swap,
    Corruption::Cut,
    Corruption::ChangeId,
];

/// How often each way is tried on one transcript at most.
const MOST: usize = 400;
