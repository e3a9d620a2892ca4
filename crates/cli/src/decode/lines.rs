//! The lines of a file, one at a time: JSON lines, or those of a transcript that either side wrote.

use std::io::{self, BufRead};

use agentwire_codec::Line;
use agentwire_inspect::From;
use agentwire_testkit::Transcript;

/// A reader of JSON lines, or of the lines in a transcript.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    /// Whether the first line is that of a transcript.
    is_transcript: bool,
    /// Whether its format is newer than this program.
    is_newer: bool,
    /// The number of lines that were read.
    number: usize,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Self {
        Self { input, is_transcript: false, is_newer: false, number: 0 }
    }

    /// Returns the next line and its sender; `None` at the end of the input.
    pub fn advance(&mut self) -> io::Result<Option<(From, Line)>> {
        loop {
            let mut bytes = Vec::new();
            if self.input.read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            if bytes.ends_with(b"\n") {
                bytes.pop();
            }
            self.number += 1;
            if self.number == 1 && bytes.starts_with(MAGIC) {
                self.is_transcript = true;
                let start = Transcript::parse([&bytes[..], b"\n"].concat()).map_err(io::Error::other)?;
                self.is_newer = start.header.version.is_newer();
            }
            let (from, start) = match &bytes[..] {
                _ if !self.is_transcript => (From::NotSaid, 0),
                [b'<', b' ', ..] => (From::Cli, 2),
                [b'>', b' ', ..] => (From::Us, 2),
                [] | [b'|' | b'^' | b'!' | b'~' | b'=' | b'#' | b'$', ..] => continue,
                // A newer format may have other lines.
                _ if self.is_newer => continue,
                _ => {
                    let why = format!("line {} does not follow the format of transcripts", self.number);
                    return Err(io::Error::other(why));
                }
            };
            return Ok(Some((from, Line::new(bytes.split_off(start)))));
        }
    }
}

const MAGIC: &[u8] = b"# agentwire-transcript ";
