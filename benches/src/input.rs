//! Bytes to decode: whole for who only needs a slice, and in blocks as a transport gives them.

use bytes::Bytes;

/// A piece of the CLI's output.
#[derive(Clone, Debug)]
pub struct Input {
    bytes: Bytes,
    blocks: Vec<Bytes>,
}

impl Input {
    /// The same bytes, whole and cut into blocks that are allocations of their own.
    pub fn new(bytes: Vec<u8>) -> Self {
        let blocks = bytes.chunks(BLOCK).map(Bytes::copy_from_slice).collect();
        Self { bytes: bytes.into(), blocks }
    }

    /// The same, in parts of whole lines, each some megabytes long.
    pub fn parts(&self) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut rest = self.bytes();
        while !rest.is_empty() {
            let from = rest.len().min(PART);
            let end = memchr::memchr(b'\n', &rest[from..]).map_or(rest.len(), |at| from + at + 1);
            let (part, behind) = rest.split_at(end);
            parts.push(Self::new(part.to_vec()));
            rest = behind;
        }
        parts
    }

    /// All of it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All of it, as a pipe would give it.
    pub fn blocks(&self) -> &[Bytes] {
        &self.blocks
    }
}

/// What a pipe holds by default on Linux, and so what one read gives at most.
const BLOCK: usize = 64 << 10;

/// Long enough to time, short enough that the machine does much the same meanwhile.
const PART: usize = 2 << 20;
