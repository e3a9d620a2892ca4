//! The ways to read a stream, from doing nothing with a line to typing all of it.
//!
//! Each gives the number of lines that it read, and drops what it made of a line before it reads the next.

use std::hint::black_box;

use agentwire_codec::{Frame, Incoming, Limits, LineDecoder};
use agentwire_protocol::Message;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use crate::{input::Input, plain};

/// One way.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Way {
    /// What tables call it.
    pub name: &'static str,
    /// Reads all of the input, and gives the number of its lines.
    pub read: fn(&Input) -> usize,
}

/// Finds the newlines, which every way must.
pub const SPLIT: Way = Way { name: "split into lines (memchr)", read: split };
/// Walks the JSON and keeps nothing: the limit for a parser of this library.
pub const IGNORED: Way = Way { name: "IgnoredAny", read: |input| parsed::<IgnoredAny>(input) };
/// Owned types with derived tags.
pub const PLAIN: Way = Way { name: "derive-tagged types", read: |input| parsed::<plain::Message>(input) };
/// A tree first, then those types.
pub const VALUE: Way = Way { name: "Value, then derive-tagged types", read: value };
/// Our types, with the events of the stream as text.
pub const RAW: Way = Way { name: "agentwire, event as text", read: |input| ours(input, is_message) };
/// Our types, with each event typed as well.
pub const TYPED: Way = Way { name: "agentwire, event typed", read: |input| ours(input, is_typed) };
/// The same through the codec, which finds the lines, reads their heads, and gives each message a line of its own.
pub const CODEC_RAW: Way =
    Way { name: "through the codec, event as text", read: |input| incoming(input, is_message) };
/// The same with each event typed as well.
pub const CODEC_TYPED: Way =
    Way { name: "through the codec, event typed", read: |input| incoming(input, is_typed) };

/// All of them, from the least work on.
pub const ALL: &[Way] = &[SPLIT, IGNORED, RAW, TYPED, CODEC_RAW, CODEC_TYPED, PLAIN, VALUE];

fn split(input: &Input) -> usize {
    lines(input).map(black_box).count()
}

fn parsed<T: DeserializeOwned>(input: &Input) -> usize {
    lines(input).map(|line| black_box(serde_json::from_slice::<T>(line).is_ok())).filter(|ok| *ok).count()
}

fn value(input: &Input) -> usize {
    let typed = |line| serde_json::from_value::<plain::Message>(serde_json::from_slice::<Value>(line)?);
    lines(input).map(|line| black_box(typed(line)).is_ok()).filter(|ok| *ok).count()
}

fn ours(input: &Input, is_good: fn(&Message) -> bool) -> usize {
    lines(input)
        .filter(|line| black_box(Message::from_bytes(line)).is_ok_and(|message| is_good(&message)))
        .count()
}

/// What a user of the codec does with each block that was read.
fn incoming(input: &Input, is_good: fn(&Message) -> bool) -> usize {
    let mut decoder = LineDecoder::new(Limits::default());
    let mut good = 0;
    for block in input.blocks() {
        decoder.push(block.clone());
        while let Some(Ok(line)) = decoder.next() {
            let incoming = black_box(Incoming::decode(Frame::new(line)));
            good += usize::from(matches!(&incoming, Incoming::Message(message, _) if is_good(message)));
        }
    }
    good
}

fn is_message(_: &Message) -> bool {
    true
}

fn is_typed(message: &Message) -> bool {
    match message {
        Message::StreamEvent(event) => black_box(event.event()).is_ok(),
        _ => true,
    }
}

fn lines(input: &Input) -> impl Iterator<Item = &[u8]> {
    let bytes = input.bytes();
    let mut start = 0;
    memchr::memchr_iter(b'\n', bytes).map(move |end| {
        let line = &bytes[start..end];
        start = end + 1;
        line
    })
}

#[cfg(test)]
mod tests {
    use super::{ALL, SPLIT};
    use agentwire_testkit::bench::stream::{Tags, generate};

    use crate::input::Input;

    #[test]
    fn every_way_reads_every_line() {
        for tags in [Tags::First, Tags::Last] {
            let input = Input::new(generate(tags, 50));
            for way in ALL {
                assert_eq!((way.read)(&input), (SPLIT.read)(&input), "{}", way.name);
            }
        }
    }
}
