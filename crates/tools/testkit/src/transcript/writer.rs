//! Writes transcripts, entry by entry, so that a recorder needs no memory for a whole session.

use std::io::Write;

use bytes::Bytes;

use super::{
    entry::Entry,
    error::{WriteCause, WriteError},
    header::{Argv, Header},
    reader::{self, MAGIC},
};

/// Writes a transcript while it happens.
///
/// Each call hands whole lines to the writer below, and flushes nothing: what a crash leaves behind depends on it.
/// After an error of the writer below, the file may end in half a line.
#[derive(Debug)]
pub struct TranscriptWriter<W> {
    out: W,
    newer: bool,
    written: usize,
    /// The part above the entries; the first entry must not be read as a continuation of it.
    top: Top,
}

impl<W: Write> TranscriptWriter<W> {
    /// Writes the header and the arguments.
    ///
    /// # Errors
    ///
    /// [`WriteError`] when they cannot be written so that they are read back the same, or when writing fails.
    pub fn new(mut out: W, header: &Header, argv: Option<&Argv>) -> Result<Self, WriteError> {
        let (text, top) = top(header, argv);
        let expected = super::Transcript::new(header.clone(), argv.cloned(), Vec::new());
        let same = reader::parse(Bytes::copy_from_slice(&text)).is_ok_and(|read| read == expected);
        if header.cli.is_none() && header.facts().is_some() {
            return Err(WriteCause::NoCli.at(None));
        }
        if !same {
            return Err(WriteCause::NotReadBack.at(None));
        }
        out.write_all(&text).map_err(|error| WriteCause::from(error).at(None))?;
        Ok(Self { out, newer: header.version.is_newer(), written: 0, top })
    }

    /// Writes one entry.
    ///
    /// # Errors
    ///
    /// [`WriteError`] when it cannot be written so that it is read back the same, or when writing fails.
    /// An entry that is refused leaves the file as it was.
    pub fn write(&mut self, entry: &Entry) -> Result<(), WriteError> {
        let index = Some(self.written);
        let mut line = entry.to_line();
        if !self.is_read_back(entry, &line) {
            return Err(WriteCause::NotReadBack.at(index));
        }
        line.push(b'\n');
        self.out.write_all(&line).map_err(|error| WriteCause::from(error).at(index))?;
        self.written += 1;
        Ok(())
    }

    /// Gives the writer below back.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn is_read_back(&self, entry: &Entry, line: &[u8]) -> bool {
        if line.contains(&b'\n') || self.is_read_as_top(line) {
            return false;
        }
        match Entry::parse(&Bytes::copy_from_slice(line)) {
            Ok(read) => read == *entry,
            Err(_) => self.newer && matches!(entry, Entry::Unknown(_)),
        }
    }

    /// Returns whether the reader would take this line for a part of the header.
    fn is_read_as_top(&self, line: &[u8]) -> bool {
        if self.written > 0 {
            return false;
        }
        let facts = match reader::facts_text(1, line).filter(|_| self.top == Top::Version) {
            Some(text) => !self.newer || Header::default().parse_facts(text).is_ok(),
            None => false,
        };
        let argv =
            self.top != Top::Argv && line.strip_prefix(b"$ ").is_some_and(|json| Argv::parse(json).is_ok());
        facts || argv
    }
}

/// The last thing above the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Top {
    Version,
    Facts,
    Argv,
}

fn top(header: &Header, argv: Option<&Argv>) -> (Vec<u8>, Top) {
    let mut text = MAGIC.to_vec();
    text.extend_from_slice(format!("{}\n", header.version).as_bytes());
    let mut top = Top::Version;
    if let Some(facts) = header.facts() {
        text.extend_from_slice(format!("# {facts}\n").as_bytes());
        top = Top::Facts;
    }
    if let Some(argv) = argv {
        text.extend_from_slice(format!("$ {}\n", argv.json()).as_bytes());
        top = Top::Argv;
    }
    (text, top)
}
