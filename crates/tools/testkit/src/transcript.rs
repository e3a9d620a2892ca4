//! A recorded session as a text file: both directions, in order, every line untouched.
//!
//! A transcript is lines of a sigil, a space and the recorded line, so that common tools can search and compare it:
//!
//! ```text
//! # agentwire-transcript 1
//! # cli 2.1.330  recorded 2026-11-21  os linux  redacted yes
//! $ ["--output-format","stream-json","--input-format","stream-json"]
//! > {"type":"user","message":{"role":"user","content":"hi"}}
//! ~ 40ms
//! < {"type":"assistant"}
//! ! a warning on stderr
//! ^ SIGINT
//! | end of input
//! = exit 0
//! # a comment
//! ```
//!
//! The first line holds the version of the format.
//! A reader refuses a newer major version, and keeps unknown entries of a newer minor one.
//! The second line is optional: it has the origin of the recording, and `faults yes` if our side sent faulty
//! lines on purpose. The arguments, if there are any, follow directly; everything after that is an [`Entry`].
//! There is one way to write each thing, so a file that was read is written back byte for byte.

mod entry;
mod error;
mod header;
mod reader;

use bytes::Bytes;

pub use entry::{End, Entry};
pub use error::{ParseCause, ParseError, WriteCause, WriteError};
pub use header::{Argv, Header, Version};

/// A whole transcript in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transcript {
    /// The version of the format, and where the recording comes from.
    pub header: Header,
    /// The arguments that the program was started with, without the program itself.
    pub argv: Option<Argv>,
    /// The events of the session, in order.
    pub entries: Vec<Entry>,
}

impl Transcript {
    /// Creates a transcript of these parts.
    pub fn new(header: Header, argv: Option<Argv>, entries: Vec<Entry>) -> Self {
        Self { header, argv, entries }
    }

    /// Reads a transcript, or a bare capture of the CLI's output.
    ///
    /// Text that begins with the header line is a transcript; text that begins with `{` is read as JSON lines, as by
    /// [`Transcript::from_json_lines`]. Lines need not be UTF-8.
    ///
    /// # Errors
    ///
    /// [`ParseError`] with the number of the line and the cause.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self, ParseError> {
        reader::parse(Bytes::copy_from_slice(text.as_ref()))
    }

    /// Reads each line of the text as one inbound line.
    ///
    /// This is for output of the CLI that was captured by other means.
    /// Such text has no header, so writing the transcript gives the transcript format, not the text again.
    pub fn from_json_lines(text: impl AsRef<[u8]>) -> Self {
        reader::json_lines(Bytes::copy_from_slice(text.as_ref()))
    }

    /// Returns the text of this transcript.
    ///
    /// Reading it again gives an equal transcript; the text of a transcript that was read from the transcript format
    /// is the text that was read.
    ///
    /// # Errors
    ///
    /// [`WriteError`] when a part cannot be written so that it is read back the same, such as a line that holds a
    /// line feed.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        if self.header.cli.is_none() && self.header.facts().is_some() {
            return Err(WriteCause::NoCli.at(None));
        }
        let (mut text, mut read, mut lines) = (Vec::new(), Self::default(), 0);
        let parts = std::iter::once(None).chain(self.entries.iter().map(Some));
        // Each part is read back at once, so that the error names it.
        for (count, entry) in parts.enumerate() {
            let part = entry.map_or_else(|| self.head(), Entry::to_line);
            let failed = |cause: WriteCause| cause.at(count.checked_sub(1));
            if entry.is_some() && part.contains(&b'\n') {
                return Err(failed(WriteCause::LineFeed));
            }
            for line in part.split(|byte| *byte == b'\n') {
                let taken = read.take(lines, &Bytes::copy_from_slice(line));
                taken.map_err(|cause| failed(WriteCause::Unreadable(cause)))?;
                lines += 1;
            }
            let is_same_head = read.header == self.header && read.argv == self.argv;
            if !is_same_head || read.entries.len() != count || read.entries.last() != entry {
                return Err(failed(WriteCause::NotReadBack));
            }
            text.extend_from_slice(&part);
            text.push(b'\n');
        }
        Ok(text)
    }

    /// Returns the lines before the entries, without the last line feed.
    fn head(&self) -> Vec<u8> {
        let mut text = [reader::MAGIC, self.header.version.to_string().as_bytes()].concat();
        if let Some(facts) = self.header.facts() {
            text.extend_from_slice(format!("\n# {facts}").as_bytes());
        }
        if let Some(argv) = &self.argv {
            text.extend_from_slice(format!("\n$ {}", argv.json()).as_bytes());
        }
        text
    }

    /// Returns the line number of this entry in the file that was or would be written; the first line is 1.
    ///
    /// A transcript of nothing but lines of the CLI counts as a bare capture, which has no header.
    pub fn line_number(&self, entry: usize) -> usize {
        let facts = usize::from(self.header.facts().is_some());
        let argv = usize::from(self.argv.is_some());
        let bare = facts + argv == 0 && self.entries.iter().all(|entry| matches!(entry, Entry::Inbound(_)));
        entry + 1 + if bare { 0 } else { 1 + facts + argv }
    }

    /// Returns the lines of the CLI, in order.
    pub fn inbound(&self) -> impl Iterator<Item = &Bytes> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Inbound(line) => Some(line),
            _ => None,
        })
    }

    /// Returns the lines to the CLI, in order.
    pub fn outbound(&self) -> impl Iterator<Item = &Bytes> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Outbound(line) => Some(line),
            _ => None,
        })
    }
}
