//! One value, one line.

use bytes::Bytes;
use serde::Serialize;

use crate::EncodeError;

/// Writes `value` as one line of JSON with its newline.
///
/// Nothing but the end of the line is a newline: raw JSON inside the value may have been written over several lines,
/// and line breaks between JSON tokens become spaces.
///
/// # Errors
///
/// When `value` can't be written as JSON.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Bytes, EncodeError> {
    let mut line = Vec::with_capacity(USUAL);
    serde_json::to_writer(&mut line, value)?;
    // A JSON string never holds a raw line break, so one can only stand between tokens.
    let mut rest = &mut line[..];
    while let Some(at) = memchr::memchr2(b'\n', b'\r', rest) {
        rest[at] = b' ';
        rest = &mut rest[at + 1..];
    }
    line.push(b'\n');
    Ok(line.into())
}

/// Room for most lines, so that they are not moved while they grow, in bytes.
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
