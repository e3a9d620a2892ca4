//! The start of a line whose newline has not come, in one buffer that grows as little as is cheap.

/// The start of a line whose newline has not come.
///
/// A buffer that doubles would hold up to twice the line, and three times while it moves; so it does below a mebibyte.
/// Pieces that are joined at the end would have the system find the memory of the line twice.
/// From there it grows by an eighth, or a mebibyte: an allocator mostly moves a large buffer without copying it.
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
            let length = buffer.len();
            buffer.reserve_exact(bytes.len().max(length / 8).max(length.min(STEP)));
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

/// Up to here a buffer doubles, and grows by so much.
const STEP: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::{Partial, STEP};

    #[test]
    fn what_is_held_is_a_step_or_an_eighth_more_than_what_came_at_most_and_rarely_moves() {
        for length in [1, 700, 4096, 30_000, 64 << 10] {
            let mut partial = Partial::default();
            let block = vec![b'x'; length];
            let (mut moves, mut held) = (0, 0);
            for count in 1..=(16 << 20) / length.max(512) {
                partial.extend(&block);
                let came = count * length;
                assert_eq!(partial.len(), came);
                let capacity = partial.0.capacity();
                let spare = came.min(STEP).max(came / 8);
                assert!(capacity <= came + spare, "{capacity} bytes for {came}, in blocks of {length}");
                moves += usize::from(capacity != held);
                held = capacity;
            }
            assert!(moves < 40, "{moves} moves, in blocks of {length}");
            let line = partial.take(b"end");
            assert!(line.ends_with(b"xend") && line.capacity() == line.len());
            assert_eq!(partial.len(), 0);
        }
    }
}
