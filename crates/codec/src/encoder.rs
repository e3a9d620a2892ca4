//! Encodes values as lines.

use bytes::Bytes;
use serde::Serialize;

use crate::EncodeError;

/// Writes `value` as one line of JSON with its newline.
///
/// The only newline is at the end: raw JSON in the value may contain line breaks between tokens, which become spaces.
///
/// # Errors
///
/// If `value` can't be written as JSON.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Bytes, EncodeError> {
    let mut line = Vec::with_capacity(USUAL);
    serde_json::to_writer(&mut line, value)?;
    // A JSON string never contains a raw line break, so all line breaks are between tokens.
    let mut rest = &mut line[..];
    while let Some(at) = memchr::memchr2(b'\n', b'\r', rest) {
        rest[at] = b' ';
        rest = &mut rest[at + 1..];
    }
    line.push(b'\n');
    Ok(line.into())
}

/// The initial capacity, in bytes, which suffices for most lines.
const USUAL: usize = 512;

#[cfg(test)]
mod tests {
    use agentwire_protocol::RawJson;

    use super::encode;

    #[test]
    fn raw_json_over_several_lines_becomes_one() {
        let raw = RawJson::parse("{\r\n  \"a\": \"b\\nc\"\n}").unwrap();
        assert_eq!(&encode(&raw).unwrap()[..], b"{    \"a\": \"b\\nc\" }\n");
    }
}
