//! Lines out of blocks of 64 KiB, in one buffer: what a program without an SDK would do.

/// A buffer that is read into, and lines that are looked at where they lie.
///
/// No byte is looked at twice, and what is left of a line is moved once for each block that completes others.
#[derive(Debug)]
pub struct Lines {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// How far the search for the next newline has come.
    searched: usize,
}

impl Default for Lines {
    fn default() -> Self {
        Self::new()
    }
}

impl Lines {
    /// An empty one, with room for one block.
    pub fn new() -> Self {
        Self { buffer: vec![0; BLOCK], start: 0, end: 0, searched: 0 }
    }

    /// Where the next block is to be read to: behind what is left of the last line.
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

    /// So many bytes were read there.
    pub fn filled(&mut self, length: usize) {
        self.end += length;
    }

    /// Whether a whole line lies there.
    pub fn has_line(&mut self) -> bool {
        let rest = &self.buffer[self.searched..self.end];
        self.searched += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.searched < self.end
    }

    /// The next whole line without its newline.
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

/// What a pipe holds by default on Linux.
const BLOCK: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn lines_are_whole_wherever_the_blocks_are_cut() {
        let mut lines = Lines::new();
        let mut found = Vec::new();
        for block in [&b"on"[..], b"e\ntwo\nthr", b"ee", b"\n"] {
            lines.room()[..block.len()].copy_from_slice(block);
            lines.filled(block.len());
            while let Some(line) = lines.next_line() {
                found.push(String::from_utf8(line.to_vec()).unwrap());
            }
        }
        assert_eq!(found, ["one", "two", "three"]);
    }
}
