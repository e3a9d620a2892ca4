//! Lines out of blocks of 64 KiB, in one buffer: what a program without an SDK would do.

/// A buffer that is read into, and lines that are looked at where they lie.
#[derive(Debug)]
pub(super) struct Lines {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Lines {
    pub(super) fn new() -> Self {
        Self { buffer: vec![0; BLOCK], start: 0, end: 0 }
    }

    /// Where the next block is to be read to: behind what is left of the last line.
    pub(super) fn room(&mut self) -> &mut [u8] {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(self.end * 2, 0);
        }
        &mut self.buffer[self.end..]
    }

    pub(super) fn filled(&mut self, length: usize) {
        self.end += length;
    }

    /// Whether a whole line lies there.
    pub(super) fn has_line(&self) -> bool {
        memchr::memchr(b'\n', &self.buffer[self.start..self.end]).is_some()
    }

    /// The next whole line without its newline.
    pub(super) fn next(&mut self) -> Option<&[u8]> {
        let rest = &self.buffer[self.start..self.end];
        let length = memchr::memchr(b'\n', rest)?;
        self.start += length + 1;
        Some(&rest[..length])
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
            while let Some(line) = lines.next() {
                found.push(String::from_utf8(line.to_vec()).unwrap());
            }
        }
        assert_eq!(found, ["one", "two", "three"]);
    }
}
