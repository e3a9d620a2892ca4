//! Full-text search in sessions, without an index.

mod hits;
mod needle;
mod text;

use std::ops::Range;

use agentwire_protocol::session_info::SessionMessageKind;
use agentwire_protocol::{SessionId, Uuid};

pub use hits::Hits;

use crate::{RawEntry, SessionError, Sessions};
use needle::Needle;
use text::SearchableEntry;

/// A text to search for, and which parts of sessions to search.
///
/// Texts are compared after decoding JSON: `"`, a line break and `é` match `\"`, `\n` and `\u00e9` in the file.
/// Case is ignored unless [`exact`](Self::exact) is set: character by character, so that `É` matches `é`, but `ß` does
/// not match `SS`, and there is no Unicode normalization.
///
/// The search covers all entries, including those before a compaction and on abandoned branches, but not messages that
/// the CLI generated (`isMeta`); messages of channels and other senders are searched.
#[derive(Clone, Debug)]
pub struct Search {
    needle: Needle,
    thinking: bool,
    tools: bool,
    subagents: bool,
    context: usize,
}

impl Search {
    /// Creates a search in the messages of the user and the model; an empty text has no matches.
    pub fn new(text: impl AsRef<str>) -> Self {
        let needle = Needle::new(text.as_ref(), false);
        Self { needle, thinking: false, tools: false, subagents: false, context: CONTEXT }
    }

    /// Matches upper and lower case exactly.
    #[must_use]
    pub fn exact(self) -> Self {
        Self { needle: Needle::new(&self.needle.text, true), ..self }
    }

    /// Also searches the model's thinking.
    #[must_use]
    pub fn in_thinking(self) -> Self {
        Self { thinking: true, ..self }
    }

    /// Also searches the inputs and results of tools: their string values, not the names of fields.
    #[must_use]
    pub fn in_tools(self) -> Self {
        Self { tools: true, ..self }
    }

    /// Also searches the files of a session's subagents, after its own file.
    #[must_use]
    pub fn in_subagents(self) -> Self {
        Self { subagents: true, ..self }
    }

    /// Sets how many characters of context an excerpt has on each side; the default is 60.
    #[must_use]
    pub fn with_context(self, characters: usize) -> Self {
        Self { context: characters, ..self }
    }

    /// Returns the hits in these entries, in order.
    pub fn in_entries<'a>(
        &'a self,
        session: &'a SessionId,
        entries: &'a [RawEntry],
    ) -> impl Iterator<Item = Hit> + use<'a> {
        entries.iter().flat_map(move |entry| self.in_line(session, None, entry.as_str().as_bytes()))
    }

    /// Returns the hits in a line, which may be invalid.
    fn in_line(&self, session: &SessionId, agent: Option<&str>, line: &[u8]) -> Vec<Hit> {
        if !self.needle.may_be_in(line) {
            return Vec::new();
        }
        SearchableEntry::of(line).map(|entry| self.in_entry(session, agent, &entry)).unwrap_or_default()
    }

    fn in_entry(&self, session: &SessionId, agent: Option<&str>, entry: &SearchableEntry) -> Vec<Hit> {
        let looked_into = |part: HitPart| match part {
            HitPart::Text => true,
            HitPart::Thinking => self.thinking,
            HitPart::ToolInput | HitPart::ToolResult => self.tools,
        };
        let mut hits = Vec::new();
        entry.texts(&mut |part, text| {
            let Some(found) = looked_into(part).then(|| self.needle.find(text)).flatten() else { return };
            let (excerpt, at) = excerpt(text, &found, self.context);
            hits.push(Hit {
                session_id: session.clone(),
                agent: agent.map(Box::from),
                uuid: entry.uuid.clone(),
                role: entry.role.clone(),
                part,
                offset: found.start,
                excerpt,
                at,
            });
        });
        hits
    }
}

impl Sessions {
    /// Searches the sessions, most recently written first, and each from its start.
    ///
    /// The iterator reads files as far as needed for the next hit.
    /// If a file has an entry several times, only its first hits are returned.
    /// It holds the names of the sessions, the ids of the entries with hits in one file, and one line in memory.
    ///
    /// # Errors
    ///
    /// If the projects folder can't be read; a folder that does not exist has no sessions.
    pub fn search(&self, search: &Search) -> Result<Hits, SessionError> {
        Hits::new(self.clone(), search.clone())
    }
}

/// A text with at least one match.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hit {
    /// The session.
    pub session_id: SessionId,
    /// The subagent, if the text is in a subagent's file.
    pub agent: Option<Box<str>>,
    /// The id of the entry, if it has one.
    pub uuid: Option<Uuid>,
    /// The role of the message; tool results have the user's role.
    pub role: SessionMessageKind,
    /// The part of the entry.
    pub part: HitPart,
    /// The byte offset of the first match in the whole text.
    pub offset: usize,
    /// The first match with its context.
    pub excerpt: String,
    /// The byte range of the first match in the excerpt.
    pub at: Range<usize>,
}

/// The part of an entry that contains a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HitPart {
    /// The text of a message.
    Text,
    /// The model's thinking.
    Thinking,
    /// A text in a tool's input.
    ToolInput,
    /// A text in a tool's result.
    ToolResult,
}

/// Returns a match with its context, and the range of the match in it.
fn excerpt(text: &str, found: &Range<usize>, characters: usize) -> (String, Range<usize>) {
    let (before, after) = (&text[..found.start], &text[found.end..]);
    let start = before.char_indices().rev().take(characters).last().map_or(found.start, |(at, _)| at);
    let end = found.end + after.char_indices().nth(characters).map_or(after.len(), |(at, _)| at);
    (text[start..end].to_owned(), found.start - start..found.end - start)
}

/// How many characters of context an excerpt has on each side by default.
const CONTEXT: usize = 60;

#[cfg(test)]
mod tests {
    use super::{Search, excerpt};

    #[test]
    fn an_excerpt_is_cut_between_characters() {
        let cut = |characters| excerpt("\u{e9}\u{e8}abc\u{e7}\u{ea}", &(4..7), characters);
        assert_eq!(cut(0), ("abc".to_owned(), 0..3));
        assert_eq!(cut(1), ("\u{e8}abc\u{e7}".to_owned(), 2..5));
        assert_eq!(cut(9), ("\u{e9}\u{e8}abc\u{e7}\u{ea}".to_owned(), 4..7));
    }

    /// Lines that can't match must be skipped without decoding, for speed.
    #[test]
    fn lines_that_can_not_match_are_not_decoded() {
        let text = "words of a walk, with \\u001b[1mthe escapes\\u001b[0m of a terminal and C\\u00e9zanne";
        let line = |more: &str| format!(r#"{{"type":"user","message":{{"content":"{text}{more}"}}}}"#);
        let may = |wanted: &str, more: &str| Search::new(wanted).needle.may_be_in(line(more).as_bytes());
        for wanted in ["quicksilver", "a walk\n\nwithout", "WALKS", "\u{1f600}ab", "[1mthx"] {
            assert!(!may(wanted, ""), "{wanted}");
            assert!(may(wanted, &serde_json::to_string(wanted).unwrap()), "{wanted}");
        }
    }
}
