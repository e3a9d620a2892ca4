//! Compares the streamed pieces of a block with the whole block.
//!
//! Reports only faults that are certain: the CLI may tidy the input of a tool, and a redaction may replace a name in
//! the whole block and not in its pieces.

use agentwire_testkit::json::Json;

/// The pieces of one block, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    texts: Vec<Box<str>>,
    signature: Vec<Box<str>>,
}

impl Pieces {
    /// Starts a block, which may already have content.
    pub(super) fn start(block: Option<&Json>) -> Self {
        let mut pieces = Self::default();
        let texts = TEXTS.iter().filter_map(|name| block?.text_at(&[name])).filter(|text| !text.is_empty());
        pieces.texts.extend(texts.map(Box::from));
        pieces
    }

    /// Adds a delta.
    pub(super) fn grow(&mut self, event: &Json) {
        let piece = ["text", "thinking", "partial_json"].iter();
        self.texts.extend(piece.filter_map(|name| event.text_at(&["delta", name])).map(Box::from));
        self.signature.extend(event.text_at(&["delta", "signature"]).map(Box::from));
    }

    /// Returns whether a whole block would show anything.
    pub(super) fn hold_something(&self) -> bool {
        self.texts.iter().any(|piece| !piece.trim().is_empty())
    }

    /// Returns the fault of the pieces, compared with the whole block.
    pub(super) fn fault(&self, whole: &Json) -> Option<&'static str> {
        if let Some(input) = whole.field("input") {
            return self.input_fault(input);
        }
        let signature = whole.text_at(&["signature"]).and_then(|whole| text_fault(&self.signature, whole));
        let text = TEXTS.iter().find_map(|name| whole.text_at(&[name]));
        text.and_then(|whole| text_fault(&self.texts, whole)).or(signature)
    }

    fn input_fault(&self, input: &Json) -> Option<&'static str> {
        let grown = self.texts.concat();
        let parsed = Json::parse(grown.as_bytes());
        if parsed.as_ref().is_some_and(|parsed| parsed.same(input)) {
            return None;
        }
        if sorted(&grown) == sorted(&input.to_string()) {
            return Some(SHUFFLED);
        }
        let is_input = |text: &str| Json::parse(text.as_bytes()).is_some_and(|json| json.same(input));
        if is_doubled(&self.texts, is_input) {
            return Some(DOUBLED);
        }
        match parsed {
            // An input that was not JSON is shown as an empty object.
            None => (!input.fields().is_empty()).then_some(MISSING),
            Some(parsed) => {
                let lacks = |(name, value): &(Box<str>, Json)| {
                    let shown = input.text_at(&[name]);
                    value.text().zip(shown).is_some_and(|(grown, shown)| lacks(grown, shown))
                };
                parsed.fields().iter().any(lacks).then_some(MISSING)
            }
        }
    }
}

fn text_fault(pieces: &[Box<str>], whole: &str) -> Option<&'static str> {
    let grown = pieces.concat();
    if whole.is_empty() || grown.trim() == whole.trim() {
        return None;
    }
    if grown.len() == whole.len() && sorted(&grown) == sorted(whole) {
        return Some(SHUFFLED);
    }
    if is_doubled(pieces, |text| text == whole) {
        return Some(DOUBLED);
    }
    lacks(&grown, whole).then_some(MISSING)
}

/// Returns whether the whole contains all that was added, in order, and more.
fn lacks(grown: &str, whole: &str) -> bool {
    let mut rest = whole.bytes();
    grown.len() < whole.len() && grown.bytes().all(|byte| rest.any(|other| other == byte))
}

/// Returns whether the text is right without a piece that repeats the one before.
fn is_doubled(pieces: &[Box<str>], is_right: impl Fn(&str) -> bool) -> bool {
    let repeats = (1..pieces.len()).filter(|at| pieces.get(*at) == pieces.get(*at - 1));
    repeats.take(MAX_REPEATS).any(|at| {
        let others = pieces.iter().enumerate().filter(|(index, _)| *index != at);
        is_right(&others.map(|(_, piece)| &**piece).collect::<String>())
    })
}

fn sorted(text: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    bytes.sort_unstable();
    bytes
}

const TEXTS: &[&str] = &["text", "thinking"];
const SHUFFLED: &str = "are in another order";
const DOUBLED: &str = "have one twice";
const MISSING: &str = "lack some of it";
/// How many repeated pieces are looked at, so that a long block does not take long.
const MAX_REPEATS: usize = 64;
