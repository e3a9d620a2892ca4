//! Why a transcript could not be read or written.

use super::header::Version;
use crate::excerpt::excerpt;

/// A transcript that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {cause}")]
#[non_exhaustive]
pub struct ParseError {
    /// The number of the line in the file; the first is 1.
    pub line: usize,
    /// The cause.
    pub cause: ParseCause,
}

/// An error in a line of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseCause {
    /// The text has neither the header line nor a line of JSON with a `type`.
    #[error("neither a transcript header nor JSON lines with a `type`")]
    NotATranscript,
    /// The text is a stored session (`projects/…/*.jsonl`), which the CLI's hooks call a transcript (`transcript_path`).
    #[error("a session that the CLI stored, not a recording of its output: read it with agentwire-sessions")]
    StoredSession,
    /// The format is newer than this crate. Use a newer one.
    #[error("format version {found} is newer than {}, the newest that can be read", Version::CURRENT)]
    Newer {
        /// The version in the file.
        found: Version,
    },
    /// The version in the header line is not valid.
    #[error("{text:?} is not a format version")]
    BadVersion {
        /// The beginning of the text.
        text: String,
    },
    /// The facts of the header do not have the form of facts.
    #[error(
        "{text:?} is not a list of facts: each is a name, a space and a value, with two spaces between facts, \
         in the order cli, recorded, os, redacted and faults (each yes or no)"
    )]
    BadFacts {
        /// The beginning of the text.
        text: String,
    },
    /// The arguments are not a JSON list of strings.
    #[error("the arguments are not a JSON list of strings: {message}")]
    BadArgv {
        /// The message of the JSON reader.
        message: String,
    },
    /// The arguments are not directly after the header.
    #[error("the arguments belong directly after the header, once")]
    MisplacedArgv,
    /// The line does not begin with a sigil.
    #[error("unknown sigil `{sigil}`")]
    UnknownSigil {
        /// The first byte, escaped where it is not printable ASCII.
        sigil: String,
    },
    /// No space follows the sigil. An editor may have cut it off at the end of the line.
    #[error("no space after the sigil `{sigil}`")]
    NoSpace {
        /// The sigil.
        sigil: char,
    },
    /// What follows the sigil does not have the form that this sigil asks for.
    #[error("{text:?} after `{sigil}`, expected {expected}")]
    BadBody {
        /// The sigil.
        sigil: char,
        /// The form that was expected, by example.
        expected: &'static str,
        /// The beginning of the text.
        text: String,
    },
    /// The last line does not end in a line feed, so the file may be cut.
    #[error("no line feed at the end: the file may be cut")]
    NoNewline,
}

/// A transcript that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}", where_it_failed(.entry))]
#[non_exhaustive]
pub struct WriteError {
    /// The position of the entry, from 0; `None` for the header and the arguments.
    pub entry: Option<usize>,
    /// The cause.
    #[source]
    pub cause: WriteCause,
}

/// The reason why a part of a transcript could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteCause {
    /// The header has facts, but lacks the first one, the version.
    #[error("the header has facts but no CLI version: set `header.cli`")]
    NoCli,
    /// The entry has more than one line.
    #[error("it contains a line feed: write each line as an entry")]
    LineFeed,
    /// The text would not be readable.
    #[error(transparent)]
    Unreadable(ParseCause),
    /// The text would be read back differently.
    #[error("it would not be read back the same")]
    NotReadBack,
}

impl ParseCause {
    pub(super) fn at(self, line: usize) -> ParseError {
        ParseError { line, cause: self }
    }

    pub(super) fn bad_facts(text: &[u8]) -> Self {
        Self::BadFacts { text: excerpt(text) }
    }

    pub(super) fn bad_body(sigil: u8, text: &[u8]) -> Self {
        let expected = match sigil {
            b'|' => "`end of input`",
            b'^' => "a signal like `SIGTERM`",
            b'~' => "a time like `40ms`",
            _ => "`exit 0` or `signal SIGTERM`",
        };
        Self::BadBody { sigil: char::from(sigil), expected, text: excerpt(text) }
    }
}

impl WriteCause {
    pub(super) fn at(self, entry: Option<usize>) -> WriteError {
        WriteError { entry, cause: self }
    }
}

fn where_it_failed(entry: &Option<usize>) -> String {
    match entry {
        None => "the header cannot be written".to_owned(),
        Some(index) => format!("entry {index} cannot be written"),
    }
}
