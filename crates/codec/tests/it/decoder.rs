//! The line decoder: splits of the stream, limits and errors.

use agentwire_codec::{FrameError, FrameKind, Limits, Line, LineDecoder};
use bytes::Bytes;
use proptest::prelude::*;

use crate::decode;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn split_of_the_stream_does_not_change_the_lines(
        stream in stream(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        limit in 1_usize..24,
    ) {
        let whole = decode(limit, [&stream[..]]);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]);
        prop_assert_eq!(&decode(limit, pieces.clone()), &whole);
        prop_assert_eq!(&decode(limit, stream.chunks(1)), &whole);

        let mut late = LineDecoder::new(Limits::max_line(limit));
        pieces.for_each(|piece| late.push(Bytes::copy_from_slice(piece)));
        prop_assert_eq!(late.buffered(), stream.len());
        let mut lines: Vec<_> = std::iter::from_fn(|| late.next()).collect();
        lines.extend(late.finish());
        prop_assert_eq!(&lines, &whole);
    }

    #[test]
    fn lines_are_the_parts_between_newlines(stream in stream(), limit in 1_usize..24) {
        let mut pieces: Vec<&[u8]> = stream.split(|&byte| byte == b'\n').collect();
        if pieces.last().is_some_and(|last| last.is_empty()) {
            pieces.pop();
        }
        let lines = decode(limit, [&stream[..]]);
        prop_assert_eq!(lines.len(), pieces.len());
        for (number, (line, piece)) in lines.iter().zip(pieces).enumerate() {
            match line {
                Ok(line) => prop_assert_eq!(line.as_bytes(), piece),
                Err(FrameError::TooLong { line, limit: reported, .. }) => {
                    prop_assert!(piece.len() > limit);
                    prop_assert_eq!((*line, *reported), (number as u64 + 1, limit));
                }
                Err(_) => prop_assert!(false),
            }
        }
    }
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let byte =
        prop_oneof![4 => Just(b'\n'), 1 => Just(b'\r'), 6 => any::<u8>(), 6 => Just(b'{'), 6 => Just(b'"')];
    prop::collection::vec(byte, 0..120)
}

#[test]
fn over_long_line_is_one_error_reported_early() {
    let mut decoder = LineDecoder::new(Limits::max_line(64));
    let start =
        Bytes::from_static(br#"{"type":"control_response","response":{"request_id":"req_7","response":{"#);
    decoder.push(start);
    let Some(Err(FrameError::TooLong { line, limit, excerpt, kind, .. })) = decoder.next() else {
        panic!("no error");
    };
    assert_eq!((line, limit), (1, 64));
    assert_eq!(kind, FrameKind::Response(Some("req_7".into())));
    assert_eq!(excerpt, r#"{"type":"control_response","response":{"request_id":"req_7","res…"#);
    for _ in 0..1000 {
        decoder.push(Bytes::from_static(&[b'x'; 100]));
        assert_eq!(decoder.next(), None);
        assert_eq!(decoder.buffered(), 0);
    }
    decoder.push(Bytes::from_static(b"}\nnext\n"));
    assert_eq!(decoder.next(), Some(Ok(Line::from("next"))));
    assert_eq!(decoder.next(), None);
}

/// In most results of the CLI `type` comes after the text.
#[test]
fn kind_of_an_over_long_line_is_found_beyond_the_limit() {
    let text = r#"\"type\":\"user\" and more text, "#.repeat(20);
    let line =
        format!("{{\"result\":\"{text}\",\"usage\":{{\"type\":\"x\"}},\"type\":\"result\",\"x\":1}}\nnext\n");
    for cut in 0..=line.len() {
        let (start, end) = line.as_bytes().split_at(cut);
        let lines = decode(64, [start, end]);
        let [Err(FrameError::TooLong { line: 1, limit: 64, kind, .. }), Ok(next)] = &lines[..] else {
            panic!("{lines:?}")
        };
        assert_eq!((kind, next), (&FrameKind::Result, &Line::from("next")), "cut at {cut}");
    }
    let reply = format!(
        r#"{{"response":{{"response":{{"x":"{text}"}},"request_id":"req_1"}},"type":"control_response"}}"#
    );
    let lines = decode(64, [reply.as_bytes()]);
    let [Err(FrameError::TooLong { kind, .. })] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(*kind, FrameKind::Response(Some("req_1".into())));
}

#[test]
fn over_long_line_without_a_type_is_reported_at_its_end() {
    let mut decoder = LineDecoder::new(Limits::max_line(8));
    decoder.push(Bytes::from(format!("{{\"a\":\"{}", "x".repeat(100))));
    assert_eq!(decoder.next(), None);
    assert_eq!(decoder.buffered(), 0);
    let Some(Err(FrameError::TooLong { kind, excerpt, .. })) = decoder.finish() else { panic!("no error") };
    assert_eq!((kind, &*excerpt), (FrameKind::Other, "{\"a\":\"xx…"));
    assert_eq!(decoder.finish(), None);
}

#[test]
fn excerpt_is_short_and_valid_text() {
    let long = "é".repeat(300);
    let lines = decode(250, [long.as_bytes()]);
    let Err(FrameError::TooLong { excerpt, .. }) = &lines[0] else { panic!("{lines:?}") };
    assert_eq!(*excerpt, format!("{}…", "é".repeat(100)));
    let odd = format!("x{long}");
    assert_eq!(Line::from(odd.as_str()).excerpt(), format!("x{}…", "é".repeat(99)));
}

#[test]
fn decoder_can_be_used_after_finish() {
    let mut decoder = LineDecoder::new(Limits::default());
    decoder.push(Bytes::from_static(b"one"));
    assert_eq!(decoder.next(), None);
    assert_eq!(decoder.finish(), Some(Ok(Line::from("one"))));
    assert_eq!(decoder.finish(), None);
    decoder.push(Bytes::new());
    decoder.push(Bytes::from_static(b"two\n"));
    assert_eq!(decoder.next(), Some(Ok(Line::from("two"))));
}
