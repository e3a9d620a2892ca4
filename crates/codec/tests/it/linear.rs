//! The work is linear in the length of the stream: compares two sizes in the same run.

use std::time::Duration;

use agentwire_codec::{Frame, Limits, Line, LineDecoder};
use bytes::Bytes;

use crate::cpu;

#[test]
fn one_long_line_in_small_pieces_takes_linear_time() {
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
fn many_pieces_before_the_first_line_take_linear_time() {
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
fn over_long_line_takes_linear_time() {
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
fn kind_of_a_nested_line_takes_linear_time() {
    compare(|size| {
        let nested = r#"{"a":["\\\"",{}]},"#.repeat(size / 19);
        let line = format!(r#"{{"x":[{nested}0],"type":"result"}}"#);
        assert_eq!(Frame::new(Line::from(line.as_str())).kind, agentwire_codec::FrameKind::Result);
    });
}

/// Compares input of one size with sixteen times that size. Quadratic work would take 256 times as long; 96 times is allowed.
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
