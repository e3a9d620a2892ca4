//! The lines of a file, one at a time: JSON lines, or those of a transcript that either side wrote.

use std::io::{self, BufRead};

use agentwire_codec::{FrameError, Limits, Line, LineDecoder};
use agentwire_inspect::From;

/// Reads lines through the codec, and checks that it returns them unchanged.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    decoder: LineDecoder,
    /// `None` before the first line, which decides it.
    transcript: Option<bool>,
}

/// One line.
#[derive(Debug)]
pub enum Decoded {
    Line {
        from: From,
        line: Line,
        /// Whether the codec gave it back byte for byte.
        kept: bool,
    },
    /// The codec dropped it.
    Dropped(FrameError),
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Self {
        Self { input, decoder: LineDecoder::new(Limits::default()), transcript: None }
    }

    /// Returns the next line; `None` at the end of the input.
    pub fn advance(&mut self) -> io::Result<Option<Decoded>> {
        loop {
            let mut bytes = Vec::new();
            if self.input.read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            let transcript = *self.transcript.get_or_insert_with(|| bytes.starts_with(MAGIC));
            let (from, start) = match (transcript, bytes.first_chunk::<2>()) {
                (false, _) => (From::NotSaid, 0),
                (true, Some(b"< ")) => (From::Cli, 2),
                (true, Some(b"> ")) => (From::Us, 2),
                (true, _) => continue,
            };
            let given = bytes.split_off(start);
            let decoded = self.through_the_codec(from, given);
            return Ok(Some(decoded));
        }
    }

    fn through_the_codec(&mut self, from: From, given: Vec<u8>) -> Decoded {
        let text = given.strip_suffix(b"\n").unwrap_or(&given).to_vec();
        self.decoder.push(given.into());
        match self.decoder.next().or_else(|| self.decoder.finish()) {
            Some(Ok(line)) => Decoded::Line { from, kept: line.as_bytes() == text, line },
            Some(Err(error)) => Decoded::Dropped(error),
            None => Decoded::Line { from, line: Line::new(text), kept: false },
        }
    }
}

const MAGIC: &[u8] = b"# agentwire-transcript ";
