//! Reads a text as one of our types, and finds the fields that the type does not have.

use agentwire_protocol::DecodeError;
use agentwire_protocol::decode::decode;
use serde::{Serialize, de::DeserializeOwned};
use serde_ignored::Path;

use crate::compare::{View, compare};
use crate::encode::encode;
use crate::node::Node;

/// Reads a text as one type of ours.
pub type Reader = fn(&str) -> Result<View, DecodeError>;

/// Reads the text as a `T`.
pub fn view<T: DeserializeOwned + Serialize>(text: &str) -> Result<View, DecodeError> {
    let mut view = View::of(&decode::<T>(text)?, text);
    let line = Node::parse(text).unwrap_or(Node::List(Vec::new()));
    let ignored = ignored::<T>(&line.tags_first());
    let missing = &mut view.missing;
    missing.extend(ignored.into_iter().filter(|path| !missing.contains(path)).collect::<Vec<_>>());
    Ok(view)
}

impl View {
    /// Compares a value with the text that it was read from.
    pub fn of<T: Serialize>(value: &T, text: &str) -> Self {
        // A decoded text is JSON, so there is a tree of it.
        let line = Node::parse(text).unwrap_or(Node::List(Vec::new()));
        let mut found = Self::default();
        match encode(value) {
            Ok(view) => compare(&line, &view, "", &mut found),
            Err(_) => found.changed.push(String::new()),
        }
        found.changed.sort();
        found
    }
}

/// Returns the fields that a `T` skips in the text. The tags come first in the text.
fn ignored<T: DeserializeOwned>(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let _: Result<T, _> = serde_ignored::deserialize(&mut deserializer, |path| paths.push(show(&path)));
    paths
}

fn show(path: &Path<'_>) -> String {
    match path {
        Path::Root => String::new(),
        Path::Seq { parent, index } => format!("{}[{index}]", show(parent)),
        Path::Map { parent, key } => super::compare::join(&show(parent), key),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            show(parent)
        }
    }
}
