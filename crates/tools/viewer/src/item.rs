//! The items of the page: a prompt, a tool use with its result, a question with its answer.

use std::fmt::Debug;

use super::part::Part;

/// One event of a session, with all its frames.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) title: String,
    /// A few words after the title.
    pub(super) note: String,
    pub(super) outcome: Option<Outcome>,
    pub(super) badges: Vec<&'static str>,
    pub(super) parts: Vec<Part>,
    /// The entries of the transcript that are shown here and nowhere else.
    pub(super) entries: Vec<usize>,
    /// The entries of a stream that led to this message.
    pub(super) streamed: Vec<usize>,
    /// Lines of frames about this item that are shown with another item.
    pub(super) mentions: Vec<usize>,
    /// The start in the page's unit, milliseconds or entries; `to` is the end.
    pub(super) from: u64,
    pub(super) to: u64,
    /// The turn in which it began; 0 is the time before the first.
    pub(super) turn: usize,
    /// The tool use to which it belongs, directly or through its agent.
    pub(super) about: Option<String>,
    /// The subagent in which it happened, as hooks and permission requests name it.
    pub(super) agent: Option<String>,
    /// The item in which it is shown.
    pub(super) parent: Option<usize>,
    /// Whether another item shows its content now.
    pub(super) gone: bool,
}

/// The kind of an item, by which the reader can filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Prompt,
    Text,
    Thinking,
    Tool,
    Hook,
    Permission,
    Mcp,
    /// A request of ours.
    Request,
    /// Another request of the CLI's.
    Question,
    Result,
    /// A stream without its final message.
    Stream,
    System,
    /// Entries about the process.
    Process,
    /// An undecodable line, or one of an unknown kind.
    Unknown,
}

/// Returns the word for a variant in the page and in its style sheet: its name in lower case.
pub(super) fn word(variant: impl Debug) -> String {
    format!("{variant:?}").to_lowercase()
}

/// The outcome of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) mood: Mood,
    pub(super) words: String,
}

/// Which colour an outcome has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    Good,
    Bad,
    /// Neither, such as a reply without a decision.
    Plain,
    /// There is no answer.
    Open,
}

impl Outcome {
    pub(super) fn new(mood: Mood, words: impl Into<String>) -> Self {
        Self { mood, words: words.into() }
    }

    pub(super) fn good(words: impl Into<String>) -> Self {
        Self::new(Mood::Good, words)
    }

    pub(super) fn bad(words: impl Into<String>) -> Self {
        Self::new(Mood::Bad, words)
    }

    pub(super) fn plain(words: impl Into<String>) -> Self {
        Self::new(Mood::Plain, words)
    }

    pub(super) fn open(words: impl Into<String>) -> Self {
        Self::new(Mood::Open, words)
    }
}
