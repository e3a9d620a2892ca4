//! Which request an answer was for that can't be taken: so that its caller is told, and does not wait for nothing.

use bytes::Bytes;
use rmcp::model::RequestId;
use serde::{Deserialize, de::IgnoredAny};

/// The start and the end of a line that is too long.
///
/// Some servers put the id of an answer in front, and others behind what may be long.
#[derive(Debug, Default)]
pub(super) struct TooLong {
    /// The end of what came before the last piece; empty as long as no line is long.
    before: Vec<u8>,
    last: Bytes,
    /// The start of a line whose end has not come.
    start: Option<String>,
}

impl TooLong {
    /// Sees a piece of the stream; `is_long` says whether it goes on with a line that is long.
    ///
    /// Gives what a line that is too long answers, once it has ended.
    pub(super) fn see(&mut self, piece: &Bytes, is_long: bool) -> Option<RequestId> {
        if !is_long && self.start.is_none() {
            *self = Self::default();
            return None;
        }
        self.before.extend_from_slice(&self.last);
        self.before.drain(..self.before.len().saturating_sub(END));
        self.last = piece.clone();
        if self.start.is_some() { self.ended() } else { None }
    }

    /// A line is too long: its start, as the decoder tells it.
    ///
    /// Gives what it answers, where that is known.
    pub(super) fn begins(&mut self, start: &str) -> Option<RequestId> {
        answered_in_front(start).or_else(|| {
            self.start = Some(start.to_owned());
            self.ended()
        })
    }

    fn ended(&mut self) -> Option<RequestId> {
        // A line that is too long began before the last piece, so that it ends with the first newline.
        let end = self.last.iter().position(|&byte| byte == b'\n')?;
        self.start = None;
        let mut tail = std::mem::take(&mut self.before);
        tail.extend_from_slice(&self.last[..end]);
        answered_behind(&tail)
    }
}

/// What a line answers that is JSON and no message.
pub(super) fn answered(line: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Answer {
        id: RequestId,
        method: Option<IgnoredAny>,
        result: Option<IgnoredAny>,
        error: Option<IgnoredAny>,
    }
    let Answer { id, method, result, error } = serde_json::from_slice(line).ok()?;
    (method.is_none() && (result.is_some() || error.is_some())).then_some(id)
}

/// What an answer is for whose id stands before all that may be long.
fn answered_in_front(start: &str) -> Option<RequestId> {
    let mut rest = start.trim_start().strip_prefix('{')?;
    let mut id = None;
    loop {
        let (key, value) = rest.split_once(':')?;
        match key.trim() {
            "\"jsonrpc\"" => rest = value.split_once(',')?.1,
            "\"id\"" => {
                let (value, behind) = value.split_once(',')?;
                id = serde_json::from_str(value.trim()).ok();
                rest = behind;
            }
            "\"result\"" | "\"error\"" => return id,
            _ => return None,
        }
    }
}

/// What an answer is for whose id stands last, or last but for the version: before the brace that ends the line.
fn answered_behind(tail: &[u8]) -> Option<RequestId> {
    let tail = String::from_utf8_lossy(tail);
    let members = tail.trim_end().strip_suffix('}')?;
    let members = match members.rsplit_once("\"jsonrpc\"") {
        Some((before, version)) if !version.contains(',') => before.trim_end().strip_suffix(',')?,
        _ => members,
    };
    let (_, value) = members.rsplit_once("\"id\"")?;
    let id = value.trim_start().strip_prefix(':')?.trim();
    serde_json::from_str(id).ok()
}

/// Below this length the end of a line is not looked at.
pub(super) const LONG: usize = 1 << 20;
/// How much of the end of a line is kept: the id, the version and some room.
const END: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: i64) -> Option<RequestId> {
        Some(RequestId::Number(number))
    }

    #[test]
    fn the_id_is_found_in_front() {
        assert_eq!(answered_in_front(r#"{"jsonrpc":"2.0","id":5,"result":{"x"#), id(5));
        assert_eq!(answered_in_front(r#" { "id" : 5 , "error" : {"#), id(5));
        assert_eq!(answered_in_front(r#"{"id":5,"jsonrpc":"2.0","result":"#), id(5));
        for other in [
            r#"{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","#,
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"id":5,"#,
            r#"{"result":{"id":5,"result":"#,
            r#"{"jsonrpc":"2.0","id":5"#,
            "",
        ] {
            assert_eq!(answered_in_front(other), None, "{other}");
        }
    }

    #[test]
    fn the_id_is_found_behind() {
        assert_eq!(answered_behind(br#"xxx"}]},"jsonrpc":"2.0","id":7}"#), id(7));
        assert_eq!(answered_behind(br#"xxx"}]}, "id" : 7, "jsonrpc" : "2.0" } "#), id(7));
        for other in [&br#"{"id":7}}"#[..], br#"xx"}]}}"#, br#""id":7,"method":"x"}"#, b"\"id\":7", b"\xff"] {
            assert_eq!(answered_behind(other), None, "{}", String::from_utf8_lossy(other));
        }
    }

    #[test]
    fn the_end_of_a_line_may_come_in_any_pieces() {
        let end = br#"x"}]},"jsonrpc":"2.0","id":9}"#;
        for cut in 0..end.len() {
            let mut long = TooLong::default();
            assert_eq!(long.see(&Bytes::from_static(b"x"), true), None);
            assert_eq!(long.begins(r#"{"result":{"x"#), None);
            assert_eq!(long.see(&Bytes::copy_from_slice(&end[..cut]), false), None);
            let rest = [&end[cut..], b"\n{\"id\":1}\n"].concat();
            assert_eq!(long.see(&rest.into(), false), id(9), "{cut}");
            assert_eq!(long.see(&Bytes::from_static(b"{}\n"), false), None);
        }
    }

    #[test]
    fn an_answer_that_is_no_message_names_its_request() {
        assert_eq!(answered(br#"{"jsonrpc":"2.0","id":3,"error":"boom"}"#), id(3));
        assert_eq!(answered(br#"{"id":3,"method":"x","error":"boom"}"#), None);
        assert_eq!(answered(br#"{"level":"info"}"#), None);
    }
}
