//! A tokenizer for JSON text that may be truncated.

/// A token, from its first byte to the offset after its last byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: TokenKind,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// `{`
    OpenObject,
    /// `[`
    OpenArray,
    /// `}` or `]`
    Close,
    /// `:`
    Colon,
    /// `,`
    Comma,
    /// A string, number or word.
    Scalar,
}

/// Iterates over the tokens of `text`, up to its end or truncation.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        let from = at;
        let (kind, to) = match *bytes.get(at)? {
            b'{' => (TokenKind::OpenObject, at + 1),
            b'[' => (TokenKind::OpenArray, at + 1),
            b'}' | b']' => (TokenKind::Close, at + 1),
            b':' => (TokenKind::Colon, at + 1),
            b',' => (TokenKind::Comma, at + 1),
            b'"' => (TokenKind::Scalar, string_end(bytes, at)),
            _ => (TokenKind::Scalar, word_end(bytes, at)),
        };
        at = to;
        Some(Token { from, to, kind })
    })
}

/// Returns the offset after a string's closing quote, or the end of the text.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    bytes.len()
}

/// Returns the offset after a number or word. It ends at an ASCII byte, so multi-byte characters are not split.
fn word_end(bytes: &[u8], from: usize) -> usize {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"{}[]:,\"".contains(byte);
    bytes[from..].iter().position(ends).map_or(bytes.len(), |length| from + length)
}
