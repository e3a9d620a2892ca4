//! Base64 with padding, written here since one use does not justify a dependency.

/// Encodes the bytes.
pub(super) fn base64(bytes: &[u8]) -> String {
    let digit = |bits: u32, shift: u32| char::from(ALPHABET[(bits >> shift) as usize & 63]);
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        text.push(digit(bits, 18));
        text.push(digit(bits, 12));
        text.push(if chunk.len() > 1 { digit(bits, 6) } else { '=' });
        text.push(if chunk.len() > 2 { digit(bits, 0) } else { '=' });
    }
    text
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_matches_rfc_4648() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, expected) in cases {
            assert_eq!(base64(plain.as_bytes()), expected);
        }
        assert_eq!(base64(&[0xff, 0xff, 0xfe, 0xfb]), "///++w==");
    }
}
