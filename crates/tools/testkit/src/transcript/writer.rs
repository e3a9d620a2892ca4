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
    written: usize,
    /// The part above the entry: the header for the first one, which must not be read as a continuation of it.
    top: Vec<u8>,
}

impl<W: Write> TranscriptWriter<W> {
    /// Writes the header and the arguments.
    ///
    /// # Errors
    ///
    /// [`WriteError`] when they cannot be written so that they are read back the same, or when writing fails.
    pub fn new(mut out: W, header: &Header, argv: Option<&Argv>) -> Result<Self, WriteError> {
        let top = top(header, argv);
        let expected = super::Transcript::new(header.clone(), argv.cloned(), Vec::new());
        let same = reader::parse(Bytes::copy_from_slice(&top)).is_ok_and(|read| read == expected);
        if header.cli.is_none() && header.facts().is_some() {
            return Err(WriteCause::NoCli.at(None));
        }
        if !same {
            return Err(WriteCause::NotReadBack.at(None));
        }
        out.write_all(&top).map_err(|error| WriteCause::from(error).at(None))?;
        Ok(Self { out, written: 0, top })
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
        line.push(b'\n');
        if !self.is_read_back(entry, &line) {
            return Err(WriteCause::NotReadBack.at(index));
        }
        self.out.write_all(&line).map_err(|error| WriteCause::from(error).at(index))?;
        if self.written == 0 {
            // Behind arguments, no line is read as a part of the header.
            self.top.truncate(self.top.iter().position(|byte| *byte == b'\n').unwrap_or_default());
            self.top.extend_from_slice(b"\n$ []\n");
        }
        self.written += 1;
        Ok(())
    }

    /// Gives the writer below back.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Returns whether the reader takes the line for this entry, and not for a part of the header or for two entries.
    fn is_read_back(&self, entry: &Entry, line: &[u8]) -> bool {
        let read = reader::parse([&self.top, line].concat().into());
        read.is_ok_and(|read| read.entries == std::slice::from_ref(entry))
    }
}

fn top(header: &Header, argv: Option<&Argv>) -> Vec<u8> {
    let mut text = [MAGIC, header.version.to_string().as_bytes(), b"\n"].concat();
    if let Some(facts) = header.facts() {
        text.extend_from_slice(format!("# {facts}\n").as_bytes());
    }
    if let Some(argv) = argv {
        text.extend_from_slice(format!("$ {}\n", argv.json()).as_bytes());
    }
    text
}
