//! A parser for event streams (`text/event-stream`), with a limit on the size of an event.
//!
//! HTML standard, section 9.2.6: lines end with CR, LF or both; the first colon ends the name of a field; several `data`
//! fields are lines of one text; an empty line ends an event; an event without data is ignored.
//! `id` and `retry` are ignored, because the older transport of MCP can't resume.

use bytes::{Buf as _, Bytes};

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The kind; `message` by default.
    pub(crate) name: String,
    /// The text, which may be invalid UTF-8.
    pub(crate) data: Vec<u8>,
}

/// The error of an event that is larger than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event is larger than {0} bytes")]
pub(crate) struct TooLarge(pub(crate) usize);

/// The parser's state.
pub(crate) struct Events {
    limit: usize,
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    after_cr: bool,
    first_line: bool,
}

impl Events {
    /// Creates a parser that buffers at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            name: Vec::new(),
            data: Vec::new(),
            has_data: false,
            after_cr: false,
            first_line: true,
        }
    }

    /// Removes bytes from the front of a chunk up to the end of the first complete event, and returns that event.
    ///
    /// Returns `None` if the chunk is used up without a complete event. After an error, parsing can't continue.
    pub(crate) fn next(&mut self, chunk: &mut Bytes) -> Result<Option<Event>, TooLarge> {
        while !chunk.is_empty() {
            if std::mem::take(&mut self.after_cr) && chunk[0] == b'\n' {
                chunk.advance(1);
                continue;
            }
            let Some(end) = chunk.iter().position(|byte| matches!(byte, b'\r' | b'\n')) else {
                self.buffer(chunk)?;
                chunk.clear();
                break;
            };
            self.buffer(&chunk[..end])?;
            self.after_cr = chunk[end] == b'\r';
            chunk.advance(end + 1);
            if let Some(event) = self.end_line()? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    fn buffer(&mut self, part: &[u8]) -> Result<(), TooLarge> {
        // The text of comments is not buffered, so their length is unlimited.
        let part = match (self.line.first(), part.first()) {
            (Some(b':'), _) => return Ok(()),
            (None, Some(b':')) => &part[..1],
            _ => part,
        };
        self.room(part.len())?;
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn room(&self, more: usize) -> Result<(), TooLarge> {
        let held = self.line.len() + self.name.len() + self.data.len();
        if held + more > self.limit { Err(TooLarge(self.limit)) } else { Ok(()) }
    }

    fn end_line(&mut self) -> Result<Option<Event>, TooLarge> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.first_line) && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (&line[..], &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.room(value.len() + 1)?;
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            // Comments, `id`, `retry` and unknown fields.
            _ => {}
        }
        // Reuse the buffer, unless it is large.
        if line.capacity() <= KEPT {
            line.clear();
            self.line = line;
        }
        Ok(None)
    }

    fn dispatch(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        let data = std::mem::take(&mut self.data);
        if !std::mem::take(&mut self.has_data) {
            return None;
        }
        let name =
            if name.is_empty() { "message".to_owned() } else { String::from_utf8_lossy(&name).into_owned() };
        Some(Event { name, data })
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const KEPT: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::{Event, Events, TooLarge};

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.to_owned(), data: data.as_bytes().to_vec() }
    }

    /// Parses a stream that arrives in these pieces.
    fn read<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<Event>, TooLarge> {
        let mut events = Events::new(limit);
        let mut found = Vec::new();
        for piece in pieces {
            let mut chunk = Bytes::copy_from_slice(piece);
            while let Some(event) = events.next(&mut chunk)? {
                found.push(event);
            }
            assert!(chunk.is_empty());
        }
        Ok(found)
    }

    fn whole(text: &str) -> Vec<Event> {
        read(1_000, [text.as_bytes()]).unwrap()
    }

    #[test]
    fn all_three_line_endings_are_accepted() {
        for text in [
            "event: endpoint\ndata: /m\n\ndata: 2\n\n",
            "event: endpoint\r\ndata: /m\r\n\r\ndata: 2\r\n\r\n",
            "event: endpoint\rdata: /m\r\rdata: 2\r\r",
            "event: endpoint\rdata: /m\n\r\ndata: 2\n\r",
        ] {
            assert_eq!(whole(text), [event("endpoint", "/m"), event("message", "2")], "{text:?}");
        }
    }

    #[test]
    fn fields_are_parsed_as_specified() {
        // The examples of the standard, and edge cases.
        assert_eq!(whole("data: YHOO\ndata: +2\ndata: 10\n\n"), [event("message", "YHOO\n+2\n10")]);
        assert_eq!(
            whole(
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n"
            ),
            [
                event("message", "first event"),
                event("message", "second event"),
                event("message", " third event")
            ]
        );
        assert_eq!(whole("data\n\ndata\ndata\n\ndata:"), [event("message", ""), event("message", "\n")]);
        assert_eq!(
            whole("data:test\n\ndata: test\n\n"),
            [event("message", "test"), event("message", "test")]
        );
        assert_eq!(whole("event: x\n\ndata: a\n\n"), [event("message", "a")], "no data, no event");
        assert_eq!(whole("event: x\nevent: y\ndata: a:b\n\n"), [event("y", "a:b")]);
        assert_eq!(whole("Data: a\nretry: 5\nfoo: b\n\n"), []);
        assert_eq!(whole("data: \"ä\"\n\n"), [event("message", "\"ä\"")]);
        assert_eq!(whole("data: cut"), [], "an event that is not finished is none");
    }

    #[test]
    fn byte_order_mark_is_not_part_of_the_first_field() {
        assert_eq!(whole("\u{feff}data: a\n\n\u{feff}data: b\n\n"), [event("message", "a")]);
        assert_eq!(whole("\u{feff}\n\ndata: a\n\n"), [event("message", "a")]);
    }

    #[test]
    fn events_are_bounded_and_comments_are_not() {
        let many = |count: usize| format!("data: {}\n\n", "x".repeat(count));
        assert_eq!(read(20, [many(14).as_bytes()]).unwrap().len(), 1);
        assert_eq!(read(20, [many(15).as_bytes()]), Err(TooLarge(20)));
        let lines = "data: aaaa\n".repeat(5);
        assert_eq!(read(20, [lines.as_bytes()]), Err(TooLarge(20)), "many lines of one event");
        let unfinished = ["data: ", "aaaaaaa", "aaaaaaa", "aaaaaaa"].map(str::as_bytes);
        assert_eq!(read(20, unfinished), Err(TooLarge(20)), "a line without an end");
        let comment = format!(":{}", "x".repeat(100));
        let pieces = [comment.as_bytes(), comment.as_bytes(), b"\ndata: a\n\n"];
        assert_eq!(read(20, pieces).unwrap(), [event("message", "a")]);
        let several = many(14).repeat(50);
        assert_eq!(read(20, [several.as_bytes()]).unwrap().len(), 50, "the bound is for one event");
    }

    /// Generates streams of lines, with all ends of lines.
    fn streams() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "data: ?[a-z:ä ]{0,6}",
            "event: ?[a-z]{0,4}",
            ":[a-z]{0,6}",
            "id: [0-9]",
            Just(String::new()),
            "[a-z:\u{feff}]{0,4}",
        ];
        let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\r")];
        prop::collection::vec((line, end), 0..24)
            .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
    }

    /// Parses a whole text by the plain reading of the standard.
    fn plainly(text: &str) -> Vec<Event> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
        let mut lines: Vec<_> = text.split('\n').collect();
        lines.pop();
        let (mut name, mut data, mut found) = (String::new(), Vec::new(), Vec::new());
        for line in lines {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                _ if line.is_empty() => {
                    let name = std::mem::take(&mut name);
                    let data = std::mem::take(&mut data);
                    if !data.is_empty() {
                        let name = if name.is_empty() { "message" } else { &name };
                        found.push(event(name, &data.join("\n")));
                    }
                }
                "data" => data.push(value.to_owned()),
                "event" => name = value.to_owned(),
                _ => {}
            }
        }
        found
    }

    proptest! {
        #[test]
        fn events_do_not_depend_on_the_chunks(text in streams(), sizes in prop::collection::vec(1_usize..7, 1..8)) {
            let mut rest = text.as_bytes();
            let mut pieces = Vec::new();
            for size in sizes.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, more) = rest.split_at((*size).min(rest.len()));
                pieces.push(piece);
                rest = more;
            }
            prop_assert_eq!(read(1_000, pieces).unwrap(), plainly(&text));
        }

        #[test]
        fn any_bytes_are_parsed_in_bounded_memory(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut events = Events::new(40);
            let mut chunk = Bytes::from(bytes);
            while let Ok(Some(event)) = events.next(&mut chunk) {
                prop_assert!(event.data.len() <= 40);
            }
            prop_assert!(events.line.len() + events.name.len() + events.data.len() <= 40);
        }
    }
}
