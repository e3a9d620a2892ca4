//! Finding where a run of plain characters in a string ends.

/// How far the first quote, backslash or control character is from `from`, if it is within a block: most are.
#[inline(always)]
pub(super) fn near_end(bytes: &[u8], from: usize) -> Option<usize> {
    let (low, high) = bytes.get(from..)?.first_chunk::<BLOCK>()?.split_first_chunk::<WORD>()?;
    let found = stops(u64::from_le_bytes(*low));
    if found != 0 {
        return Some(first(found));
    }
    let found = stops(u64::from_le_bytes(*high.first_chunk()?));
    (found != 0).then(|| WORD + first(found))
}

/// The offset of the first quote, backslash or control character from `from` on, or the length of `bytes`.
#[inline(always)]
pub(super) fn run_end(bytes: &[u8], from: usize) -> usize {
    let (blocks, _) = bytes.get(from..).unwrap_or_default().as_chunks::<BLOCK>();
    let mut at = from;
    for block in blocks {
        // In this form compilers make one comparison of vectors of it.
        if block.iter().fold(false, |found, &byte| found | is_stop(byte)) {
            return at + stop_in(block);
        }
        at += BLOCK;
    }
    last_end(bytes, at)
}

/// As [`run_end`], within the last bytes, of which there are fewer than a block.
#[inline(never)]
fn last_end(bytes: &[u8], from: usize) -> usize {
    from + stop_in(bytes.get(from..).unwrap_or_default())
}

/// The offset of the first stop, or the length.
#[inline(always)]
fn stop_in(bytes: &[u8]) -> usize {
    let (words, tail) = bytes.as_chunks::<WORD>();
    let mut at = 0;
    for word in words {
        let found = stops(u64::from_le_bytes(*word));
        if found != 0 {
            return at + first(found);
        }
        at += WORD;
    }
    at + tail.iter().position(|&byte| is_stop(byte)).unwrap_or(tail.len())
}

/// The highest bit of each byte that is a quote, a backslash or a control character.
///
/// Behind the first such byte there may be more bits than that: a borrow of the subtraction.
#[inline]
fn stops(word: u64) -> u64 {
    // With this bit turned, the quote comes right behind the control characters, and the space no longer does.
    let control_or_quote = (word ^ (EACH * 0x02)).wrapping_sub(EACH * 0x21);
    let backslash = (word ^ (EACH * u64::from(b'\\'))).wrapping_sub(EACH);
    let found = (control_or_quote | backslash) & (EACH * 0x80);
    // Of bytes that are not ASCII the bit says nothing, and they are rare.
    if found == 0 { 0 } else { found & !word }
}

/// The number of the byte that the lowest bit lies in.
#[inline]
fn first(stops: u64) -> usize {
    (stops.trailing_zeros() / 8) as usize
}

#[inline]
fn is_stop(byte: u8) -> bool {
    ((byte ^ 0x02) < 0x21) | (byte == b'\\')
}

/// The bytes of a word.
const WORD: usize = 8;
/// The bytes that are looked at together.
const BLOCK: usize = 16;
/// One in each byte.
const EACH: u64 = u64::MAX / 255;

#[cfg(test)]
mod tests {
    use super::{is_stop, run_end};

    #[test]
    fn every_byte_is_found_at_every_place() {
        for length in 0..26 {
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    let mut bytes = vec![b'a'; length];
                    bytes[at] = byte;
                    for from in 0..=length {
                        let expected = if is_stop(byte) && from <= at { at } else { length };
                        assert_eq!(run_end(&bytes, from), expected, "{byte} at {at} of {length} from {from}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_first_of_many_is_found() {
        let bytes: Vec<u8> = (0..2000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for from in 0..=bytes.len() {
            let rest = &bytes[from..];
            let expected = rest.iter().position(|&byte| is_stop(byte)).unwrap_or(rest.len());
            assert_eq!(run_end(&bytes, from), from + expected);
        }
        assert_eq!(run_end(b"abc", 7), 7);
    }
}
