//! The parts of frames that an item shows: short texts whole, long ones by their beginning.

use serde_json::Value;

use super::escape;

/// A text from a frame, with its place, so that a long one can be shown whole from the frame itself.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) label: String,
    pub(super) look: Look,
    /// The beginning of the text.
    pub(super) text: String,
    /// The length of the whole in bytes, if the text is only its beginning and a frame has the whole.
    pub(super) cut_from: Option<usize>,
    /// Where the whole text stands.
    pub(super) place: Place,
}

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Text written by a person or the model.
    Prose,
    /// What the model thought.
    Thought,
    /// Inputs, outputs and JSON.
    Code,
}

/// A place in a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The number of the frame's line.
    pub(super) line: usize,
    /// A JSON pointer into it.
    pub(super) pointer: String,
}

impl Place {
    pub(super) fn new(line: usize, pointer: impl Into<String>) -> Self {
        Self { line, pointer: pointer.into() }
    }

    /// Returns the place of a key below this place.
    pub(super) fn key(&self, key: &str) -> Self {
        let key = key.replace('~', "~0").replace('/', "~1");
        Self { line: self.line, pointer: format!("{}/{key}", self.pointer) }
    }

    /// Returns the place of a position below this place.
    pub(super) fn at(&self, position: usize) -> Self {
        Self { line: self.line, pointer: format!("{}/{position}", self.pointer) }
    }
}

impl Part {
    /// Creates a part with a text at this place.
    pub(super) fn new(look: Look, label: impl Into<String>, text: &str, place: Place) -> Self {
        Self::cut(look, label, text, place, MAX_SHOWN)
    }

    /// Returns the same part, cut earlier: details that readers rarely need.
    pub(super) fn brief(label: impl Into<String>, text: &str, place: Place) -> Self {
        Self::cut(Look::Code, label, text, place, BRIEF)
    }

    fn cut(look: Look, label: impl Into<String>, text: &str, place: Place, most: usize) -> Self {
        let shown = escape::beginning(text, most);
        Self {
            label: label.into(),
            look,
            text: shown.to_owned(),
            cut_from: (shown.len() < text.len()).then_some(text.len()),
            place,
        }
    }

    /// Returns the parts of a JSON value: a text unchanged, each field of an object by its name, other values as JSON.
    pub(super) fn of_value(label: &str, value: &Value, place: &Place) -> Vec<Self> {
        match value {
            Value::Null => Vec::new(),
            Value::String(text) => vec![Self::new(Look::Code, label, text, place.clone())],
            Value::Object(fields) if fields.is_empty() => Vec::new(),
            Value::Object(fields) => {
                let shown = fields.iter().take(FIELDS);
                shown.map(|(key, value)| Self::of_field(key, value, place.key(key))).collect()
            }
            other => vec![Self::of_field(label, other, place.clone())],
        }
    }

    fn of_field(label: &str, value: &Value, place: Place) -> Self {
        let label = escape::beginning(label, LABEL);
        match value {
            Value::String(text) => Self::new(Look::Code, label, text, place),
            other => Self::new(Look::Code, label, &other.to_string(), place),
        }
    }
}

/// More than this is shown on demand; it keeps a page about as long as its transcript.
const MAX_SHOWN: usize = 1_500;
/// The length of such details.
const BRIEF: usize = 200;
/// The number of fields of an object that are shown; the others are in the frame.
const FIELDS: usize = 12;
const LABEL: usize = 80;
