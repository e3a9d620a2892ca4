//! The memory that a line keeps alive: short lines are copied out of their block, long lines share it.

use std::sync::{Arc, Weak};

use agentwire_codec::{Frame, Limits, Line, LineDecoder, WireReader};
use agentwire_transport::{ByteSource, TransportError};
use bytes::Bytes;

#[test]
fn short_lines_do_not_keep_their_block() {
    let (lines, alive) = split(&b"0123456789\n".repeat(1000));
    assert_eq!(lines.len(), 1000);
    assert_eq!(alive, 0);
}

#[test]
fn short_line_alone_in_its_block_is_copied() {
    let (lines, alive) = split(b"{}\n");
    assert_eq!((lines.len(), alive), (1, 0));
}

#[test]
fn long_line_is_not_copied() {
    let block = block(&[&vec![b'x'; 60_000][..], b"\n{}\n"].concat());
    let range = block.0.as_ptr_range();
    let mut decoder = LineDecoder::new(Limits::default());
    decoder.push(block.0.clone());
    let line = decoder.next().unwrap().unwrap();
    assert!(range.contains(&line.as_bytes().as_ptr()));
}

#[test]
fn long_line_in_a_much_larger_block_is_copied() {
    let mut stream = b"{}\n".repeat(10_000);
    stream.extend([b'x'; 8000]);
    stream.push(b'\n');
    let (lines, alive) = split(&stream);
    assert_eq!((lines.len(), alive), (10_001, 0));
}

#[test]
fn line_over_many_blocks_keeps_none_of_them() {
    let mut decoder = LineDecoder::new(Limits::default());
    let blocks: Vec<_> = (0..10).map(|_| block(&[b'x'; 6000])).collect();
    let owners: Vec<_> = blocks.iter().map(|(_, owner)| owner.clone()).collect();
    for (block, _) in blocks {
        decoder.push(block);
        assert_eq!(decoder.next(), None);
    }
    assert!(owners.iter().all(|owner| owner.upgrade().is_none()));
    decoder.push(Bytes::from_static(b"\n"));
    let line = decoder.next().unwrap().unwrap();
    assert_eq!(line.len(), 60_000);
    let bytes = line.into_bytes();
    assert!(bytes.is_unique());
    let vec: Vec<u8> = bytes.into();
    assert!(vec.capacity() < 61_000, "{}", vec.capacity());
    assert_eq!(decoder.buffered(), 0);
}

#[test]
fn line_over_blocks_of_any_size_and_owner_is_complete() {
    let mut decoder = LineDecoder::new(Limits::default());
    let mut expected = Vec::new();
    for round in 0..3 {
        for (number, length) in
            [1, 300, 4095, 4096, 5000, 65_536, 9, 70_000, 0, 12_000].into_iter().enumerate()
        {
            let piece: Vec<u8> = (0..length).map(|at| b'a' + ((at + number + round) % 26) as u8).collect();
            expected.extend_from_slice(&piece);
            let roomy = || {
                let mut roomy = Vec::with_capacity(length * 3 + 1);
                roomy.extend_from_slice(&piece);
                roomy
            };
            let block = match (number + round) % 4 {
                0 => Bytes::from(piece),
                1 => block(&piece).0,
                2 => Bytes::from(roomy()),
                _ => {
                    // The block starts with another line.
                    expected.clear();
                    expected.extend_from_slice(&piece);
                    Bytes::from([b"{}\n", &piece[..]].concat())
                }
            };
            decoder.push(block);
            while decoder.next().is_some() {}
            assert_eq!(decoder.buffered(), expected.len());
        }
    }
    decoder.push(Bytes::from_static(b"the end\nnext\n"));
    expected.extend_from_slice(b"the end");
    assert!(expected.len() > 4096);
    assert_eq!(decoder.next().unwrap().unwrap().as_bytes(), expected);
    assert_eq!(decoder.next(), Some(Ok(Line::from("next"))));
}

#[test]
fn error_keeps_nothing_of_its_line() {
    let mut decoder = LineDecoder::new(Limits::max_line(10_000));
    let (bytes, owner) = block(&vec![b'x'; 50_000]);
    decoder.push(bytes);
    let error = decoder.next().unwrap().unwrap_err();
    assert!(owner.upgrade().is_none());
    assert!(error.to_string().len() < 400);
}

#[tokio::test]
async fn kept_frame_does_not_keep_its_block() {
    let (frames, alive) = read(&PIECE.repeat(500)).await;
    assert_eq!((frames.len(), alive), (500, 0));
    assert_eq!(frames[250].line.as_bytes(), &PIECE[..PIECE.len() - 1]);
}

/// A stream event.
const PIECE: &[u8] = b"{\"type\":\"stream_event\",\"event\":{\"type\":\"message_stop\"},\"uuid\":\"00000000-0000-4000-8000-000000000001\"}\n";

/// Returns the frames of a block, and the number of owners of the block while the frames are kept.
async fn read(stream: &[u8]) -> (Vec<Frame>, usize) {
    struct Once(Option<Bytes>);
    impl ByteSource for Once {
        async fn read(&mut self) -> Result<Option<Bytes>, TransportError> {
            Ok(self.0.take())
        }
    }
    let (bytes, owner) = block(stream);
    let mut reader = WireReader::new(Once(Some(bytes)), Limits::default());
    let batch = reader.read().await.unwrap().unwrap();
    let frames = batch.into_iter().map(Result::unwrap).collect();
    (frames, owner.strong_count())
}

/// Returns the lines of a block, and the number of owners of the block while the lines are kept.
fn split(stream: &[u8]) -> (Vec<Line>, usize) {
    let (bytes, owner) = block(stream);
    let mut decoder = LineDecoder::new(Limits::default());
    decoder.push(bytes);
    let lines: Vec<_> = std::iter::from_fn(|| decoder.next()).map(Result::unwrap).collect();
    (lines, owner.strong_count())
}

/// Returns a block, and a counter of its owners.
fn block(bytes: &[u8]) -> (Bytes, Weak<()>) {
    struct Owner(Vec<u8>, #[expect(dead_code, reason = "it is counted")] Arc<()>);
    impl AsRef<[u8]> for Owner {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    let owner = Arc::new(());
    let weak = Arc::downgrade(&owner);
    (Bytes::from_owner(Owner(bytes.to_vec(), owner)), weak)
}
