//! Events of a stream do not depend on how it is divided, are those of the HTML standard, and respect the limit.
//!
//! The first byte determines the limit, the second how the rest is divided.

#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;

// Includes the file, because the crate with its HTTP client would take minutes to build.
#[path = "../../../apps/hub-transport/src/sse/events.rs"]
mod events;

use events::{Event, Events};

fuzz_target!(|data: &[u8]| {
    let [limit, seed, stream @ ..] = data else { return };
    let limit = if limit % 2 == 0 { usize::from(*limit) } else { 1 << 20 };
    let whole = read(stream, stream.len().max(1), limit);
    assert_eq!(whole, read(stream, usize::from(*seed) + 1, limit));
    assert_eq!(whole, read(stream, 1, limit));
    assert!(whole.0.iter().all(|event| event.name.len() <= 3 * limit.max(7) && event.data.len() <= limit));
    if !whole.1 {
        assert_eq!(whole.0, standard(stream));
    }
});

/// Returns the events of a stream that arrives in pieces of this length, and whether one was too large.
fn read(stream: &[u8], length: usize, limit: usize) -> (Vec<Event>, bool) {
    let mut events = Events::new(limit);
    let mut found = Vec::new();
    for piece in stream.chunks(length) {
        let mut piece = Bytes::copy_from_slice(piece);
        loop {
            match events.next(&mut piece) {
                Ok(Some(event)) => found.push(event),
                Ok(None) => break,
                Err(_) => return (found, true),
            }
        }
        assert!(piece.is_empty());
    }
    (found, false)
}

/// Returns the events as the standard defines them: all lines are known, and an event ends with an empty one.
fn standard(stream: &[u8]) -> Vec<Event> {
    let mut lines: Vec<Vec<u8>> = vec![Vec::new()];
    let mut bytes = stream.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stream).iter().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' | b'\n' => {
                if *byte == b'\r' {
                    bytes.next_if(|next| **next == b'\n');
                }
                lines.push(Vec::new());
            }
            byte => lines.last_mut().expect("there is a line").push(*byte),
        }
    }
    // The last line has no end.
    lines.pop();
    let (mut found, mut name, mut data) = (Vec::new(), Vec::new(), None::<Vec<u8>>);
    for line in lines {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &line[..colon] {
            b"" if line.is_empty() => {
                let name: Vec<u8> = std::mem::take(&mut name);
                let name = if name.is_empty() {
                    "message".into()
                } else {
                    String::from_utf8_lossy(&name).into_owned()
                };
                found.extend(data.take().map(|data| Event { name, data }));
            }
            b"data" => match &mut data {
                Some(data) => data.extend([b"\n", value].concat()),
                None => data = Some(value.to_vec()),
            },
            b"event" => name = value.to_vec(),
            _ => {}
        }
    }
    found
}
