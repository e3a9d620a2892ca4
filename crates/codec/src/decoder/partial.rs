//! The start of a line whose newline has not come: kept in pieces, and joined once.

use bytes::{Bytes, BytesMut};

/// The start of a line whose newline has not come.
///
/// One buffer that grows would hold up to twice the line, three times while it moves, and be copied again and again.
#[derive(Debug, Default)]
pub(super) struct Partial {
    pieces: Vec<BytesMut>,
    length: usize,
}

impl Partial {
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Takes a block that goes on with the line and was read for it alone; one that others hold too is copied.
    pub(super) fn push(&mut self, block: Bytes) {
        match block.try_into_mut() {
            Ok(block) if block.capacity() - block.len() <= block.len() / 8 => {
                self.length += block.len();
                self.pieces.push(block);
            }
            Ok(block) => self.copy(&block),
            Err(block) => self.copy(&block),
        }
    }

    /// Copies bytes that go on with the line.
    pub(super) fn copy(&mut self, mut bytes: &[u8]) {
        if let Some(last) = self.pieces.last_mut() {
            let (fits, rest) = bytes.split_at(bytes.len().min(last.capacity() - last.len()));
            last.extend_from_slice(fits);
            self.length += fits.len();
            bytes = rest;
        }
        if !bytes.is_empty() {
            // As much again as there is, so that small pieces are few, and never much that stays empty.
            let mut piece = BytesMut::with_capacity(bytes.len().max(self.length.min(PIECE)));
            piece.extend_from_slice(bytes);
            self.length += bytes.len();
            self.pieces.push(piece);
        }
    }

    /// The line, whose last bytes these are; nothing is left here.
    pub(super) fn take(&mut self, last: &[u8]) -> Vec<u8> {
        let Self { pieces, length } = std::mem::take(self);
        let mut line = Vec::with_capacity(length + last.len());
        // Each is freed as soon as it is copied.
        pieces.into_iter().for_each(|piece| line.extend_from_slice(&piece));
        line.extend_from_slice(last);
        line
    }
}

/// The most that is set aside for bytes to come.
const PIECE: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{PIECE, Partial};

    #[test]
    fn what_is_held_is_hardly_more_than_what_came() {
        for length in [1, 700, 4096, 30_000, PIECE, 3 * PIECE] {
            let (mut taken, mut copied) = (Partial::default(), Partial::default());
            let block = vec![b'x'; length];
            for count in 1..=(4 << 20) / length.max(64) {
                // As the decoder does: short pieces are never kept as they came.
                if length < 4096 {
                    taken.copy(&block);
                } else {
                    taken.push(Bytes::from(block.clone()));
                }
                copied.copy(&block);
                for partial in [&taken, &copied] {
                    let came = count * length;
                    let held: usize = partial.pieces.iter().map(bytes::BytesMut::capacity).sum();
                    assert_eq!(partial.len(), came);
                    assert!(held <= came + came.min(PIECE), "{held} bytes for {came}, in blocks of {length}");
                    assert!(partial.pieces.len() <= 40 + came / length.clamp(4096, PIECE), "too many pieces");
                }
            }
            assert_eq!(taken.take(b"end"), copied.take(b"end"));
        }
    }

    #[test]
    fn a_block_that_was_read_for_the_line_is_not_copied() {
        let mut partial = Partial::default();
        let block = vec![b'x'; PIECE];
        let at = block.as_ptr();
        partial.push(Bytes::from(block));
        assert_eq!(partial.pieces[0].as_ptr(), at);
    }
}
