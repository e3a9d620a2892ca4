//! Splits blocks of 64 KiB into lines in one buffer, as a program without an SDK would.

/// A buffer for reads, which returns lines without copying them.
///
/// Each byte is searched once. The incomplete last line is moved to the front before the next read.
#[derive(Debug)]
pub struct Lines {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The bytes before this place contain no further newline.
    searched: usize,
}

/// An empty buffer with room for one block.
impl Default for Lines {
    fn default() -> Self {
        Self { buffer: vec![0; BLOCK], start: 0, end: 0, searched: 0 }
    }
}

impl Lines {
    /// Returns the free part of the buffer, for the next read.
    pub fn room(&mut self) -> &mut [u8] {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.searched -= self.start;
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.end * 2, 0);
        }
        &mut self.buffer[self.end..]
    }

    /// Notes that this many bytes were read into the free part.
    pub fn filled(&mut self, length: usize) {
        self.end += length;
    }

    /// Returns whether the buffer contains a complete line.
    pub fn has_line(&mut self) -> bool {
        let rest = &self.buffer[self.searched..self.end];
        self.searched += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.searched < self.end
    }

    /// Returns the next complete line without its newline.
    pub fn next_line(&mut self) -> Option<&[u8]> {
        if !self.has_line() {
            return None;
        }
        let (start, end) = (self.start, self.searched);
        self.start = end + 1;
        self.searched = self.start;
        Some(&self.buffer[start..end])
    }
}

/// The default capacity of a pipe on Linux.
const BLOCK: usize = 64 << 10;
