//! Text that arrives in pieces: a secret or a path may be cut anywhere, so the pieces of a block are judged as one text.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use serde_json::Value;

use super::{
    decoded::Decoded,
    find::{Find, With},
    json,
};
use crate::transcript::Entry;

/// The finds of each line that holds a piece, by the number of the line, with the place of the piece.
pub(super) type Finds<K> = BTreeMap<usize, (Range<usize>, Vec<Find<K>>)>;

/// Searches the joined text of each block; `find` also gets whether the text is the input of a tool.
pub(super) fn finds<K: Clone>(entries: &[Entry], find: impl Fn(&str, bool) -> Vec<Find<K>>) -> Finds<K> {
    let mut finds = Finds::new();
    let mut open: HashMap<String, Vec<Piece>> = HashMap::new();
    for (number, entry) in entries.iter().enumerate() {
        let Entry::Inbound(line) = entry else { continue };
        // Most lines are not pieces, and need not be parsed.
        let Some(text) =
            str::from_utf8(line).ok().filter(|text| text.contains("delta") || text.contains("_start"))
        else {
            continue;
        };
        // A `Value` can't hold lone surrogates. Only the text of the piece may have them, which is read below.
        let replaced = || serde_json::from_str(&text.replace(r"\ud", r"\u0").replace(r"\uD", r"\u0"));
        let Ok(value) = serde_json::from_str::<Value>(text).or_else(|_| replaced()) else { continue };
        let event = &value["event"];
        let (key, path): (String, &[&str]) = match event["type"].as_str() {
            Some("content_block_start") => {
                if let Some(block) = open.remove(&block(&value)) {
                    place_stand_ins(&block, &find, &mut finds);
                }
                continue;
            }
            Some("content_block_delta") => (block(&value), &["event", "delta"]),
            _ if value["request"]["input"]["delta"].is_string() => {
                (value["request"]["input"]["message_id"].to_string(), &["request", "input", "delta"])
            }
            _ => continue,
        };
        if let Some(piece) = Piece::read(number, text, path) {
            open.entry(key).or_default().push(piece);
        }
    }
    for block in open.values() {
        place_stand_ins(block, &find, &mut finds);
    }
    finds
}

/// Returns the identity of a block.
fn block(value: &Value) -> String {
    let event = &value["event"];
    format!("{} {} {}", value["session_id"], value["parent_tool_use_id"], event["index"])
}

struct Piece {
    entry: usize,
    /// The place of the text in the line.
    place: Range<usize>,
    text: String,
    decoded: Option<Decoded>,
    /// Whether it belongs to the input of a tool.
    is_input: bool,
}

impl Piece {
    /// Returns the text of a delta: its string that is not its type.
    fn read(entry: usize, line: &str, path: &[&str]) -> Option<Self> {
        let mut piece = None;
        json::walk(line, |token, start| {
            let name = token.keys.strip_prefix(path);
            let is_text = matches!(name, Some([] | ["text" | "thinking" | "partial_json"]));
            if is_text && token.is_string && !token.is_key {
                let decoded = Decoded::json(token.raw);
                let text = decoded.as_ref().map_or(token.raw, |decoded| &decoded.text).to_owned();
                let is_input = token.key() == "partial_json";
                piece = Some(Self { entry, place: start..start + token.raw.len(), text, decoded, is_input });
            }
        });
        piece
    }

    fn place(&self, at: usize) -> usize {
        self.place.start + self.decoded.as_ref().map_or(at, |decoded| decoded.place(at))
    }
}

/// Puts each stand-in where its text begins, and cuts the rest of the text out of the later pieces.
fn place_stand_ins<K: Clone>(
    block: &[Piece],
    find: impl Fn(&str, bool) -> Vec<Find<K>>,
    finds: &mut Finds<K>,
) {
    let whole: String = block.iter().map(|piece| &*piece.text).collect();
    let found = find(&whole, block.iter().any(|piece| piece.is_input));
    let mut start = 0;
    for piece in block {
        let end = start + piece.text.len();
        let inside =
            found.iter().filter(|find| find.range.start < end && find.range.end > start).map(|find| {
                let begins_here = find.range.start >= start;
                let (from, to) = (find.range.start.max(start) - start, find.range.end.min(end) - start);
                let with = if begins_here { find.with.clone() } else { With::Nothing };
                Find { range: piece.place(from)..piece.place(to), with, ..find.clone() }
            });
        finds.insert(piece.entry, (piece.place.clone(), inside.collect()));
        start = end;
    }
}
