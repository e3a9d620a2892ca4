//! Finds words in what was said in sessions, without an index.

mod hits;
mod needle;
mod said;

use std::ops::Range;

use agentwire_protocol::session_info::SessionMessageKind;
use agentwire_protocol::{SessionId, Uuid};

pub use hits::Hits;

use crate::stream::MAX_LINE;
use crate::{RawEntry, SessionError, Sessions};
use needle::Needle;
use said::Said;

/// What is looked for in sessions, and where in them.
///
/// A text is found as it was said, however JSON writes it: `"`, a line break or `é` are found where the file has
/// `\"`, `\n` or `\u00e9`.
/// Upper and lower case are the same unless [`exact`](Self::exact) is asked for: each character for itself, so that
/// `É` is `é`, but `ß` is not `SS`, and a letter with a combining accent is not the one that has its accent in it.
///
/// All that the entries hold is searched: also what lies before a compaction, or on a way that was left by going back.
/// What the CLI says in the user's place (`isMeta`) is not.
#[derive(Clone, Debug)]
pub struct Search {
    needle: Needle,
    thinking: bool,
    tools: bool,
    subagents: bool,
    context: usize,
    max_line: usize,
}

impl Search {
    /// Looks for this text in what the user and the model said; an empty text is found nowhere.
    pub fn new(text: impl AsRef<str>) -> Self {
        let needle = Needle::new(text.as_ref(), false);
        Self { needle, thinking: false, tools: false, subagents: false, context: CONTEXT, max_line: MAX_LINE }
    }

    /// Upper and lower case are different.
    #[must_use]
    pub fn exact(self) -> Self {
        Self { needle: Needle::new(self.needle.text(), true), ..self }
    }

    /// Looks into what the model thought, too.
    #[must_use]
    pub fn in_thinking(self) -> Self {
        Self { thinking: true, ..self }
    }

    /// Looks into the inputs of tools and into their results, too: their texts, not the names of their fields.
    #[must_use]
    pub fn in_tools(self) -> Self {
        Self { tools: true, ..self }
    }

    /// Looks into the files of subagents, too, those of a session after its own.
    #[must_use]
    pub fn in_subagents(self) -> Self {
        Self { subagents: true, ..self }
    }

    /// How many characters an excerpt has before and after what was found; 60 unless told.
    #[must_use]
    pub fn with_context(self, characters: usize) -> Self {
        Self { context: characters, ..self }
    }

    /// How many bytes a line may have that is looked into; 64 MiB unless told.
    #[must_use]
    pub fn with_max_line(self, bytes: usize) -> Self {
        Self { max_line: bytes, ..self }
    }

    /// The hits in entries, wherever these were kept, in their order.
    pub fn in_entries<'a>(
        &'a self,
        session: &'a SessionId,
        entries: &'a [RawEntry],
    ) -> impl Iterator<Item = Hit> + use<'a> {
        entries.iter().flat_map(move |entry| self.in_line(session, None, entry.as_str().as_bytes()))
    }

    /// The hits in a line, which need not be one of a session.
    fn in_line(&self, session: &SessionId, agent: Option<&str>, line: &[u8]) -> Vec<Hit> {
        if !self.needle.may_be_in(line) {
            return Vec::new();
        }
        Said::of(line).map(|said| self.in_said(session, agent, &said)).unwrap_or_default()
    }

    fn in_said(&self, session: &SessionId, agent: Option<&str>, said: &Said) -> Vec<Hit> {
        let looked_into = |part: HitPart| match part {
            HitPart::Text => true,
            HitPart::Thinking => self.thinking,
            HitPart::ToolInput | HitPart::ToolResult => self.tools,
        };
        let mut hits = Vec::new();
        said.texts(&mut |part, text| {
            let Some(found) = looked_into(part).then(|| self.needle.find(text)).flatten() else { return };
            let (excerpt, at) = excerpt(text, &found, self.context);
            hits.push(Hit {
                session_id: session.clone(),
                agent: agent.map(Box::from),
                uuid: said.uuid(),
                role: said.role(),
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
    /// Looks into the sessions, the one that was written last first, and into each from its start.
    ///
    /// The hits come one by one as they are asked for, and files are read as far as that needs.
    /// It holds the names of the sessions and one line of one of them.
    ///
    /// # Errors
    ///
    /// When the folder of all projects can't be read; one that does not exist holds no sessions.
    pub fn search(&self, search: &Search) -> Result<Hits, SessionError> {
        Hits::new(self.clone(), search.clone())
    }
}

/// A text in which something was found; it counts once, however often it has it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hit {
    /// The session.
    pub session_id: SessionId,
    /// The subagent in whose file it is; `None` for the session's own.
    pub agent: Option<Box<str>>,
    /// The id of the entry, where it has one.
    pub uuid: Option<Uuid>,
    /// Who said it; results of tools are said by the user.
    pub role: SessionMessageKind,
    /// What of the entry it is.
    pub part: HitPart,
    /// Where the first place is in the whole text, in bytes.
    pub offset: usize,
    /// The first place with some of what stands around it, as it was said.
    pub excerpt: String,
    /// Where the first place is in the excerpt, in bytes.
    pub at: Range<usize>,
}

/// What of an entry a hit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HitPart {
    /// What was said.
    Text,
    /// What the model thought.
    Thinking,
    /// A text in a tool's input.
    ToolInput,
    /// A text in a tool's result.
    ToolResult,
}

/// What stands around a place, and where in that the place is.
fn excerpt(text: &str, found: &Range<usize>, characters: usize) -> (String, Range<usize>) {
    let (before, after) = (&text[..found.start], &text[found.end..]);
    let start = before.char_indices().rev().take(characters).last().map_or(found.start, |(at, _)| at);
    let end = found.end + after.char_indices().nth(characters).map_or(after.len(), |(at, _)| at);
    (text[start..end].to_owned(), found.start - start..found.end - start)
}

/// How many characters of an excerpt stand on each side.
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

    /// What skipping saves is measured in the README.
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
