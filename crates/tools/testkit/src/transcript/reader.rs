//! Reads transcripts, and bare captures of the CLI's output.

use bytes::Bytes;

use super::{
    Transcript,
    entry::Entry,
    error::{ParseCause, ParseError},
    header::{Argv, Header, Version},
};

/// Reads either form; the start of the text decides.
pub(super) fn parse(text: Bytes) -> Result<Transcript, ParseError> {
    if text.starts_with(MAGIC) {
        return transcript(text);
    }
    let unmarked = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    if unmarked.trim_ascii_start().starts_with(b"{") {
        let mut lines = unmarked.split(|byte| *byte == b'\n');
        if let Some(index) = lines.clone().position(is_stored_entry) {
            return Err(ParseCause::StoredSession.at(index + 1));
        }
        if lines.any(has_type) {
            return Ok(json_lines(text));
        }
    }
    Err(ParseCause::NotATranscript.at(1))
}

/// Returns whether the line is a message of a stored session: each has a parent, which no line of the protocol has.
fn is_stored_entry(line: &[u8]) -> bool {
    let Ok(serde_json::Value::Object(entry)) = serde_json::from_slice(line) else { return false };
    entry.contains_key("parentUuid") && entry.contains_key("isSidechain")
}

/// Returns whether the line may be one of the protocol, in which all have a type.
fn has_type(line: &[u8]) -> bool {
    serde_json::from_slice(line).is_ok_and(|line: serde_json::Value| line["type"].is_string())
}

/// Reads every line as an inbound line.
pub(super) fn json_lines(text: Bytes) -> Transcript {
    let entries = Lines { rest: text }.map(|(line, _)| Entry::Inbound(line)).collect();
    Transcript { entries, ..Transcript::default() }
}

/// Reads the transcript format; the text is known to begin with the magic words.
fn transcript(text: Bytes) -> Result<Transcript, ParseError> {
    let mut read = Transcript::default();
    for (index, (line, complete)) in (Lines { rest: text }).enumerate() {
        read.take(index, &line).map_err(|cause| cause.at(index + 1))?;
        if !complete {
            return Err(ParseCause::NoNewline.at(index + 1));
        }
    }
    Ok(read)
}

impl Transcript {
    pub(super) fn take(&mut self, index: usize, line: &Bytes) -> Result<(), ParseCause> {
        if index == 0 {
            self.header.version = Version::parse(line.get(MAGIC.len()..).unwrap_or_default())?;
            return Ok(());
        }
        let newer = self.header.version.is_newer();
        match self.top_line(index, line) {
            Some(Ok(())) => return Ok(()),
            Some(Err(cause)) if !newer => return Err(cause),
            Some(Err(_)) | None => {}
        }
        let entry = match Entry::parse(line) {
            Err(_) if newer => Entry::Unknown(line.clone()),
            entry => entry?,
        };
        self.entries.push(entry);
        Ok(())
    }

    /// Reads the header's second line and the arguments; `None` when this line is neither.
    fn top_line(&mut self, index: usize, line: &Bytes) -> Option<Result<(), ParseCause>> {
        if let Some(text) = facts_text(index, line) {
            let mut header = Header { version: self.header.version, ..Header::default() };
            return Some(header.parse_facts(text).map(|()| self.header = header));
        }
        let first = self.argv.is_none() && self.entries.is_empty();
        let json = line.strip_prefix(b"$ ").filter(|_| first)?;
        Some(Argv::parse(json).map(|argv| self.argv = Some(argv)))
    }
}

/// Returns the text of the facts, if this line of the file contains them.
fn facts_text(index: usize, line: &[u8]) -> Option<&[u8]> {
    let text = line.strip_prefix(b"# ").filter(|_| index == 1)?;
    text.starts_with(FACTS).then_some(text)
}

/// The lines of a text without their line feeds, and whether each had one.
struct Lines {
    rest: Bytes,
}

impl Iterator for Lines {
    type Item = (Bytes, bool);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') else {
            return Some((std::mem::take(&mut self.rest), false));
        };
        let line = self.rest.split_to(end);
        // The line feed itself is at the front now.
        self.rest = self.rest.slice(1..);
        Some((line, true))
    }
}

pub(super) const MAGIC: &[u8] = b"# agentwire-transcript ";
const FACTS: &[u8] = b"cli ";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
