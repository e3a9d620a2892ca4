//! Reads the lines of a session's file in bounded memory.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::Path;

/// A reader of lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    from: BufReader<R>,
    line: Vec<u8>,
    /// The offset of the next line, in bytes.
    offset: u64,
    limit: usize,
}

/// A line of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A complete line without its break; the file's last line may be incomplete.
    Whole(&'a [u8]),
    /// The byte offset of a line that was skipped because it exceeds the limit.
    TooLong(u64),
}

impl Lines<File> {
    pub(crate) fn open(path: &Path, limit: usize) -> io::Result<Self> {
        File::open(path).map(|file| Self::new(file, limit))
    }
}

impl<R: Read> Lines<R> {
    /// Creates a reader of lines up to `limit` bytes.
    pub(crate) fn new(from: R, limit: usize) -> Self {
        Self { from: BufReader::with_capacity(CHUNK, from), line: Vec::new(), offset: 0, limit }
    }

    /// Reads the next line; returns `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let start = self.offset;
        self.line.clear();
        // One byte more than the longest line, for its break.
        let longest = (self.limit as u64).saturating_add(1);
        let read = (&mut self.from).take(longest).read_until(b'\n', &mut self.line)?;
        self.offset += read as u64;
        if read == 0 {
            return Ok(None);
        }
        if self.line.pop_if(|last| *last == b'\n').is_none() && read > self.limit {
            self.offset += self.from.skip_until(b'\n')? as u64;
            return Ok(Some(Line::TooLong(start)));
        }
        Ok(Some(Line::Whole(&self.line)))
    }
}

/// The default limit on a line, in bytes, which is also the default limit on a frame.
pub(crate) const MAX_LINE: usize = 64 * 1024 * 1024;

/// The size of a read, in bytes.
const CHUNK: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use super::{Line, Lines};

    /// Returns a text in small pieces.
    struct Pieces<'a>(&'a [u8], usize);

    impl std::io::Read for Pieces<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let length = self.1.min(into.len()).min(self.0.len());
            into[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn lines(text: &[u8], piece: usize, limit: usize) -> Vec<Result<String, u64>> {
        let mut lines = Lines::new(Pieces(text, piece), limit);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(match line {
                Line::Whole(line) => Ok(String::from_utf8(line.to_vec()).unwrap()),
                Line::TooLong(at) => Err(at),
            });
        }
        assert!(lines.line.len() <= limit + 1);
        found
    }

    #[test]
    fn lines_are_read_and_too_long_ones_reported() {
        let text = b"a\n\nbcd\n123456789\nef\n1234567\n12345678901234567890";
        let ok = |text: &str| Ok(text.to_owned());
        for piece in 1..text.len() {
            let found = lines(text, piece, 4);
            assert_eq!(found, [ok("a"), ok(""), ok("bcd"), Err(7), ok("ef"), Err(20), Err(28)], "{piece}");
            assert_eq!(lines(text, piece, 7).len(), 7);
            assert_eq!(lines(b"ab\ncd", piece, 7), [ok("ab"), ok("cd")]);
            assert_eq!(lines(b"1234\n12345\n", piece, 4), [ok("1234"), Err(5)]);
        }
        assert!(lines(b"", 1, 4).is_empty());
    }
}
