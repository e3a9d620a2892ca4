#![doc = include_str!("../README.md")]
#![allow(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    missing_docs,
    unnameable_types,
    reason = "shared with the workspace's own tools only"
)]

pub mod compare;
pub mod encode;
mod kind;
pub mod node;
mod parts;
mod registry;
pub mod slice;
mod view;

use std::collections::VecDeque;

use agentwire_codec::{Frame, Incoming, Line};
use agentwire_protocol::{DecodeError, Message};
use serde::Serialize;

pub use compare::View;
use compare::join;
pub use node::Node;
use parts::Asked;
pub use registry::Registry;
pub use view::{Reader, view};

/// The sender of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum From {
    /// The CLI.
    Cli,
    /// Our side.
    Us,
    /// Unknown: counts as the CLI, unless only our side sends such a line.
    NotSaid,
}

/// The result of reading one line as our types.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The kind by the wire's own names, outermost first, joined by `/`; `None` if the line has no `type`.
    pub kind: Option<String>,
    /// Whether every part of `kind` has a type of ours.
    pub known: bool,
    /// The reason why the line, or a typed part of it, can't be read, with its position; `None` if all of it can be
    /// read.
    pub undecodable: Option<String>,
    /// The parts of the line that do not fit and are missing in the message, or are repeated, with their positions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<String>,
    /// Whether the codec returns the line byte for byte, and our types change no value of it.
    pub lossless: bool,
    /// The paths of fields, and of objects of an unknown kind, that none of our types has.
    pub unknown_fields: Vec<String>,
    /// The paths of objects and lists that our types keep as text.
    #[serde(skip)]
    pub raw: Vec<String>,
}

/// Reads lines of one session; requests identify the replies that follow them.
#[derive(Debug)]
pub struct Inspector {
    registry: Registry,
    /// The latest requests without a reply: whether they are ours, and their ids.
    open: VecDeque<(bool, String, Asked)>,
}

impl Default for Inspector {
    fn default() -> Self {
        Self::new()
    }
}

impl Inspector {
    pub fn new() -> Self {
        Self { registry: Registry::new(), open: VecDeque::new() }
    }

    /// Reads a line as our types, and returns the result.
    pub fn inspect(&mut self, from: From, line: &Line) -> Verdict {
        let kept = comes_back(line);
        let bytes = line.as_bytes();
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(_) => return noise(kept, Message::from_bytes(bytes).err()),
        };
        match Node::parse(text) {
            Some(node @ Node::Object(_)) => self.object(from, text, &node, kept),
            _ => noise(kept, Message::from_line(text).err()),
        }
    }

    fn object(&mut self, from: From, text: &str, node: &Node, kept: bool) -> Verdict {
        let ours = self.is_ours(from, node);
        self.remember(ours, node);
        let asked = self.asked(ours, node);
        let mut known = kind::is_known(node, ours, &self.registry);
        let kind = kind::of(node, asked);
        let mut found = View::default();
        let mut undecodable = None;
        let mut set_aside = Vec::new();
        match (view::<Message>(text), Message::read(text.as_bytes())) {
            (Ok(view), _) => found = view,
            (Err(_), Ok((message, errors))) => {
                found = View::of(&message, text);
                found.missing.retain(|path| errors.iter().all(|error| error.path() != path));
                set_aside = errors.iter().map(ToString::to_string).collect();
            }
            (Err(_), Err(error)) => undecodable = Some(error.to_string()),
        }
        let parts = parts::of(node, ours, asked, &self.registry);
        for part in &parts {
            let Some((at, piece)) = slice::at(text, &part.path) else { continue };
            let path = slice::show(&part.path);
            match (part.reader)(piece) {
                Ok(view) => found.add(&path, view, part.tag),
                // An error of the whole line takes precedence over errors of its parts.
                Err(error) => {
                    undecodable.get_or_insert_with(|| described(&error, at, &path));
                }
            }
        }
        // `known` reports an object that is unknown as a whole, so it is not an unknown field.
        let whole = kind::places(node);
        if !ours && found.unknown.iter().any(|path| whole.contains(&path.as_str())) {
            known = false;
        }
        found.missing.extend(found.unknown.into_iter().filter(|path| !whole.contains(&path.as_str())));
        found.missing.sort();
        found.missing.dedup();
        Verdict {
            kind,
            known,
            lossless: kept && found.changed.is_empty(),
            undecodable,
            set_aside,
            unknown_fields: found.missing,
            raw: found.raw,
        }
    }

    fn is_ours(&self, from: From, node: &Node) -> bool {
        match from {
            From::Us => true,
            From::Cli => false,
            From::NotSaid => {
                match (node.text_at(&["type"]).as_deref(), node.text_at(&["request", "subtype"])) {
                    (Some("control_request"), Some(subtype)) => {
                        !kind::is_inbound(&subtype) && self.registry.calls.contains_key(&*subtype)
                    }
                    (Some("control_response"), _) => {
                        let id = parts::response_id(node);
                        self.find(true, &id).is_none() && self.find(false, &id).is_some()
                    }
                    _ => false,
                }
            }
        }
    }

    fn remember(&mut self, ours: bool, node: &Node) {
        if let Some((id, asked)) = parts::request(node, ours, &self.registry) {
            self.open.truncate(MAX_OPEN - 1);
            self.open.push_front((ours, id, asked));
        }
    }

    /// Returns the request that this response answers, and forgets it.
    fn asked(&mut self, ours: bool, node: &Node) -> Option<Asked> {
        if node.text_at(&["type"]).as_deref() != Some("control_response") {
            return None;
        }
        let place = self.find(!ours, &parts::response_id(node))?;
        self.open.remove(place).map(|(_, _, asked)| asked)
    }

    /// Returns the place of an open request.
    fn find(&self, ours: bool, id: &str) -> Option<usize> {
        self.open.iter().position(|(by, open, _)| *by == ours && open == id)
    }
}

impl View {
    /// Adds the findings of a part; `tag` is a field of the part that does not belong to its type.
    fn add(&mut self, path: &str, part: Self, tag: &str) {
        self.raw.retain(|raw| raw != path);
        let place = |inner: String| match inner.as_str() {
            "" => path.to_owned(),
            index if index.starts_with('[') => format!("{path}{index}"),
            name => join(path, name),
        };
        self.missing
            .extend(part.missing.into_iter().filter(|inner| inner != tag || tag.is_empty()).map(place));
        self.unknown.extend(part.unknown.into_iter().map(place));
        self.raw.extend(part.raw.into_iter().map(place));
        self.changed.extend(part.changed.into_iter().map(place));
    }
}

/// Returns whether the codec returns the line unchanged.
fn comes_back(line: &Line) -> bool {
    let incoming = Incoming::decode(Frame::new(line.clone()));
    incoming.line().is_some_and(|kept| kept.as_bytes() == line.as_bytes())
}

fn noise(kept: bool, error: Option<DecodeError>) -> Verdict {
    let undecodable = error.map_or_else(|| "no JSON object".to_owned(), |error| error.to_string());
    Verdict {
        kind: None,
        known: false,
        undecodable: Some(undecodable),
        set_aside: Vec::new(),
        lossless: kept,
        unknown_fields: Vec::new(),
        raw: Vec::new(),
    }
}

/// Describes an error of a part that starts at byte `at` of the line, with its position in the line.
fn described(error: &DecodeError, at: usize, path: &str) -> String {
    let path = if error.path().is_empty() { path.to_owned() } else { join(path, error.path()) };
    format!("{} at line 1 column {} (in {path})", error.reason(), at + error.offset())
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The maximum number of kept requests: a capture of one side has no replies to that side's requests.
const MAX_OPEN: usize = 1024;
