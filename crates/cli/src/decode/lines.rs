//! The lines of a file, one at a time: JSON lines, or those of a transcript that either side wrote.

use std::io::{self, BufRead};

use agentwire_codec::Line;
use agentwire_inspect::From;

/// A reader of JSON lines, or of the lines in a transcript.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    /// `None` before the first line, which decides it.
    transcript: Option<bool>,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Self {
        Self { input, transcript: None }
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
            let transcript = *self.transcript.get_or_insert_with(|| bytes.starts_with(MAGIC));
            let (from, start) = match (transcript, bytes.first_chunk::<2>()) {
                (false, _) => (From::NotSaid, 0),
                (true, Some(b"< ")) => (From::Cli, 2),
                (true, Some(b"> ")) => (From::Us, 2),
                (true, _) => continue,
            };
            return Ok(Some((from, Line::new(bytes.split_off(start)))));
        }
    }
}

const MAGIC: &[u8] = b"# agentwire-transcript ";
