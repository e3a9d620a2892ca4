//! Work grows as the stream does: two sizes in the same run, compared with each other and not with a clock.

use std::time::Duration;

use agentwire_codec::{Frame, Limits, Line, LineDecoder};
use bytes::Bytes;

use crate::cpu;

#[test]
fn one_long_line_in_small_pieces() {
    compare(|size| {
        let mut decoder = LineDecoder::new(Limits::default());
        for _ in 0..size / 1024 {
            decoder.push(Bytes::from_static(&[b'x'; 1024]));
            assert_eq!(decoder.next(), None);
        }
        assert_eq!(decoder.finish().unwrap().unwrap().len(), size);
    });
}

#[test]
fn many_pieces_before_a_line_is_taken() {
    compare(|size| {
        let mut decoder = LineDecoder::new(Limits::default());
        for _ in 0..size / 64 {
            decoder.push(Bytes::from_static(
                b"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n",
            ));
        }
        assert_eq!(std::iter::from_fn(|| decoder.next()).count(), size / 64);
    });
}

#[test]
fn an_over_long_line() {
    compare(|size| {
        let mut decoder = LineDecoder::new(Limits::max_line(size / 2));
        let mut errors = 0;
        for _ in 0..size / 1024 {
            decoder.push(Bytes::from_static(&[b'x'; 1024]));
            errors += usize::from(decoder.next().is_some());
        }
        assert_eq!(errors, 1);
    });
}

#[test]
fn the_head_of_a_nested_line_with_the_type_last() {
    compare(|size| {
        let nested = r#"{"a":["\\\"",{}]},"#.repeat(size / 19);
        let line = format!(r#"{{"x":[{nested}0],"type":"result"}}"#);
        assert_eq!(Frame::new(Line::from(line.as_str())).kind, agentwire_codec::FrameKind::Result);
    });
}

/// Sixteen times the work may take sixteen times the time, with a wide margin; quadratic work would take 256 times it.
fn compare(work: impl Fn(usize)) {
    let best = |size| {
        let runs = (0..5).map(|_| {
            let start = cpu::time();
            work(size);
            cpu::time() - start
        });
        runs.min().unwrap()
    };
    let (small, large) = (best(SMALL), best(16 * SMALL));
    assert!(large < 96 * small.max(Duration::from_micros(20)), "{small:?} grew to {large:?}");
}

const SMALL: usize = 256 * 1024;
