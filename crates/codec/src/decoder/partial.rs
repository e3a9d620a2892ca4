//! The start of a line whose newline has not come, in one buffer that grows by an eighth.

/// The start of a line whose newline has not come.
///
/// A buffer that doubles would hold up to twice the line, and three times while it moves.
/// Pieces that are joined at the end would have the system find the memory of the line twice.
/// An eighth costs a few more moves, which an allocator mostly makes without copying where a buffer is large.
#[derive(Debug, Default)]
pub(super) struct Partial(Vec<u8>);

impl Partial {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Copies bytes that go on with the line.
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        let buffer = &mut self.0;
        if buffer.capacity() - buffer.len() < bytes.len() {
            buffer.reserve_exact(bytes.len().max(buffer.len() / 8));
        }
        buffer.extend_from_slice(bytes);
    }

    /// The line, whose last bytes these are; nothing is left here.
    pub(super) fn take(&mut self, last: &[u8]) -> Vec<u8> {
        self.0.reserve_exact(last.len());
        self.0.extend_from_slice(last);
        self.0.shrink_to_fit();
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Partial;

    #[test]
    fn what_is_held_is_an_eighth_more_than_what_came_at_most_and_rarely_moves() {
        for length in [1, 700, 4096, 30_000, 64 << 10] {
            let mut partial = Partial::default();
            let block = vec![b'x'; length];
            let (mut moves, mut held) = (0, 0);
            for count in 1..=(4 << 20) / length.max(64) {
                partial.extend(&block);
                let came = count * length;
                assert_eq!(partial.len(), came);
                let capacity = partial.0.capacity();
                assert!(capacity <= came + came / 8, "{capacity} bytes for {came}, in blocks of {length}");
                moves += usize::from(capacity != held);
                held = capacity;
            }
            assert!(moves < 120, "{moves} moves, in blocks of {length}");
            let line = partial.take(b"end");
            assert!(line.ends_with(b"xend") && line.capacity() == line.len());
            assert_eq!(partial.len(), 0);
        }
    }
}
