//! An answer's line, written around a body that is JSON already: most of what the CLI asks is answered so.

use agentwire_codec::{EncodeError, encode};
use agentwire_protocol::{Message, RawJson, RequestId, control::ControlResponse};
use bytes::Bytes;
use memchr::memchr2;

/// The line of an answer: what was asked for, or a text that says why not.
///
/// It is made without the router, so that no lock need be held for it.
pub(crate) fn line(id: &RequestId, reply: Result<RawJson, String>) -> Result<Bytes, EncodeError> {
    match reply {
        Ok(response) => success(id, response),
        Err(why) => {
            let response = ControlResponse::failure(id.clone(), why);
            encode(&Message::ControlResponse(Box::new(response)))
        }
    }
}

/// The line of a success.
///
/// It is what [`encode`] makes of the [`ControlResponse`], without looking through types what is known beforehand.
fn success(id: &RequestId, response: RawJson) -> Result<Bytes, EncodeError> {
    if !is_plain(id.as_str()) {
        let response = ControlResponse::success(id.clone(), Some(response));
        return encode(&Message::ControlResponse(Box::new(response)));
    }
    let (id, body) = (id.as_str(), response.as_str());
    let length = START.len() + id.len() + BETWEEN.len() + body.len() + END.len();
    let mut line = Vec::with_capacity(length);
    for part in [START, id, BETWEEN, body, END] {
        line.extend_from_slice(part.as_bytes());
    }
    // Raw JSON may have been written over several lines; one line is all that it may take here.
    if memchr2(b'\n', b'\r', body.as_bytes()).is_some() {
        let end = length - 1;
        line[..end].iter_mut().filter(|byte| LINE_BREAKS.contains(byte)).for_each(|byte| *byte = b' ');
    }
    Ok(line.into())
}

/// Whether a text stands in JSON as it is.
fn is_plain(text: &str) -> bool {
    // All of them, as words: what stops at the first looks at one byte after the other.
    let odd = |byte: u8| u8::from(byte < b' ') | u8::from(byte == b'"') | u8::from(byte == b'\\');
    text.bytes().fold(0, |found, byte| found | odd(byte)) == 0
}

const START: &str = r#"{"type":"control_response","response":{"subtype":"success","request_id":""#;
const BETWEEN: &str = r#"","response":"#;
const END: &str = "}}\n";
const LINE_BREAKS: &[u8] = b"\n\r";

#[cfg(test)]
mod tests {
    use agentwire_codec::encode;
    use agentwire_protocol::{Message, RawJson, control::ControlResponse};

    use super::success;

    #[test]
    fn the_line_is_that_of_the_typed_response() {
        let bodies = ["{}", "{\"a\":\"b\\nc\",\"d\":[1.10,\"\\u0061\"]}", "{\r\n  \"a\":\n1 }\n", "null"];
        for id in ["r1", "00000000-0000-4000-8000-000000000001", "", "q\"u\\o\u{1}te", "ä", "\u{7f}", "a\nb"]
        {
            for body in bodies {
                let body = RawJson::parse(body).unwrap();
                let response = ControlResponse::success(id.into(), Some(body.clone()));
                let typed = encode(&Message::ControlResponse(Box::new(response))).unwrap();
                assert_eq!(success(&id.into(), body).unwrap(), typed);
            }
        }
    }
}
