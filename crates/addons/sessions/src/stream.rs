//! Reads the lines of a session's file in bounded memory.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use memchr::memchr;

/// A reader of lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    from: R,
    /// `at..end` is read and not yet returned.
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    /// There is no line break before this position.
    looked: usize,
    /// How many bytes of the file precede the buffer.
    before: u64,
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
        let buffer = vec![0; CHUNK.min(limit.saturating_add(1))];
        Self { from, buffer, at: 0, end: 0, looked: 0, before: 0, limit }
    }

    /// Reads the next line; returns `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let start = self.before + self.at as u64;
        let mut too_long = false;
        loop {
            if let Some(found) = memchr(b'\n', &self.buffer[self.looked..self.end]) {
                let (from, to) = (self.at, self.looked + found);
                (self.at, self.looked) = (to + 1, to + 1);
                too_long |= to - from > self.limit;
                return Ok(Some(self.line(from, to, too_long.then_some(start))));
            }
            self.looked = self.end;
            if self.end - self.at > self.limit {
                // Discards the line up to its end.
                too_long = true;
                self.at = self.end;
            }
            if self.fill()? == 0 {
                let (from, to) = (self.at, self.end);
                (self.at, self.looked) = (to, to);
                let line = (from < to || too_long).then(|| self.line(from, to, too_long.then_some(start)));
                return Ok(line);
            }
        }
    }

    /// Returns the size of the buffer.
    #[cfg(test)]
    fn kept(&self) -> usize {
        self.buffer.len()
    }

    fn line(&self, from: usize, to: usize, too_long: Option<u64>) -> Line<'_> {
        too_long.map_or_else(|| Line::Whole(&self.buffer[from..to]), Line::TooLong)
    }

    /// Reads more; returns 0 at the end of the file.
    fn fill(&mut self) -> io::Result<usize> {
        if self.at > 0 {
            self.buffer.copy_within(self.at..self.end, 0);
            self.before += self.at as u64;
            (self.looked, self.end) = (self.looked - self.at, self.end - self.at);
            self.at = 0;
        }
        if self.end == self.buffer.len() {
            let length = (self.buffer.len() * 2).min(self.limit.saturating_add(1)).max(self.end + 1);
            self.buffer.resize(length, 0);
        }
        loop {
            match self.from.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
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
        assert!(lines.kept() <= limit + 1);
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
