//! Reads the lines of a session's file in bounded memory, and appends lines.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::path::Path;

/// A reader of lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    from: BufReader<R>,
    line: Vec<u8>,
    /// The offset of the next line, in bytes.
    offset: u64,
    limit: usize,
    /// Whether the end of the file was reached.
    ended: bool,
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
    /// Opens a session's file; its lines have up to [`MAX_LINE`] bytes.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(|file| Self::new(file, MAX_LINE))
    }
}

impl<R: Read> Lines<R> {
    /// Creates a reader of lines up to `limit` bytes.
    pub(crate) fn new(from: R, limit: usize) -> Self {
        Self { from: BufReader::with_capacity(CHUNK, from), line: Vec::new(), offset: 0, limit, ended: false }
    }

    /// Reads the next line; returns `None` at the end.
    ///
    /// A line without a break is the last one, even if a writer completes it meanwhile: if reading continued, the rest
    /// of that line would be lost, but not the lines after it.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let (start, mut too_long) = (self.offset, false);
        // One byte more than the longest line, for its break.
        let longest = (self.limit as u64).saturating_add(1);
        while !self.ended {
            self.line.clear();
            let read = (&mut self.from).take(longest).read_until(b'\n', &mut self.line)? as u64;
            self.offset += read;
            let has_break = self.line.pop_if(|last| *last == b'\n').is_some();
            self.ended = !has_break && read < longest;
            if !has_break && !self.ended {
                too_long = true;
            } else if too_long {
                return Ok(Some(Line::TooLong(start)));
            } else if read > 0 {
                return Ok(Some(Line::Whole(&self.line)));
            }
        }
        Ok(None)
    }
}

/// Writes whole lines to a file that was opened for appending.
///
/// A single system call writes them, so concurrent appends do not interleave.
/// After a partial write, such as on a full disk, the incomplete line is ended, so that another writer's next line is
/// separate. If that fails too, its error is returned, because it has the cause.
pub(crate) fn append_lines(file: &mut impl Write, lines: &[u8]) -> io::Result<()> {
    let written = write_once(file, lines)?;
    if written == lines.len() {
        return Ok(());
    }
    if written > 0 {
        write_once(file, b"\n")?;
    }
    let why = format!("only {written} of {} bytes were taken", lines.len());
    Err(io::Error::new(io::ErrorKind::WriteZero, why))
}

/// Returns how many bytes one write took. A write that was interrupted took none, and is repeated.
fn write_once(file: &mut impl Write, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match file.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            written => return written,
        }
    }
}

/// The limit on a line, in bytes, which is also the default limit on a frame.
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

    /// Returns one text in each read; an empty one looks like the end of the file.
    struct Growing<'a>(&'a [&'a str]);

    impl std::io::Read for Growing<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let Some((next, rest)) = self.0.split_first() else { return Ok(0) };
            into[..next.len()].copy_from_slice(next.as_bytes());
            self.0 = rest;
            Ok(next.len())
        }
    }

    fn lines(text: &[u8], piece: usize, limit: usize) -> Vec<Result<String, u64>> {
        all(Lines::new(Pieces(text, piece), limit))
    }

    fn all(mut lines: Lines<impl std::io::Read>) -> Vec<Result<String, u64>> {
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(match line {
                Line::Whole(line) => Ok(String::from_utf8(line.to_vec()).unwrap()),
                Line::TooLong(at) => Err(at),
            });
        }
        assert!(lines.line.len() <= lines.limit + 1);
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

    #[test]
    fn a_line_without_a_break_is_the_last_in_a_file_that_grows() {
        let growing = ["a\n{\"uuid\":\"b\",", "", "\"x\":1}\nc\n"];
        let found = |limit| all(Lines::new(Growing(&growing), limit));
        assert_eq!(found(99), [Ok("a".to_owned()), Ok("{\"uuid\":\"b\",".to_owned())]);
        assert_eq!(found(4), [Ok("a".to_owned()), Err(2)]);
    }
}
