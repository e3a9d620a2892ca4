//! What was said, added up on both sides of the pipe.

use serde::{Deserialize, Serialize};

/// What was said, added up on both sides of the pipe: two are equal where nothing was lost, doubled, put in another order
/// or read wrongly.
///
/// Messages are all lines but those of the control protocol.
/// Of each, its `uuid` is said, and then
/// of a `stream_event` the text of its delta (`text`, `thinking`, `signature`, `partial_json`);
/// of `assistant` and `user` the text of each block, in order (`text`, `thinking`), and of a `tool_result` its content as
/// the JSON that it is, or the message's content where that is plain text;
/// of a `result` its `result`.
/// What is not there, and what is empty, is not said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "read and written by every client")]
pub struct Tally {
    /// How many messages.
    pub messages: u64,
    /// The bytes of their lines, without the newlines.
    pub bytes: u64,
    /// What they say, in order.
    pub checksum: u64,
}

impl Tally {
    /// A message came, in a line of so many bytes without its newline.
    pub fn message(&mut self, line: usize) {
        self.messages += 1;
        self.bytes += line as u64;
    }

    /// It says this.
    ///
    /// At ten gigabytes a second and more where it is long, so that it is no part of what is measured.
    pub fn says(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.mix(text.len() as u64);
        let (blocks, rest) = text.as_bytes().as_chunks::<32>();
        // Four at once, for none of them to wait for another.
        let mut lanes = [0; 4];
        for block in blocks {
            for (lane, word) in lanes.iter_mut().zip(block.as_chunks().0) {
                *lane = mixed(*lane, u64::from_le_bytes(*word));
            }
        }
        if !blocks.is_empty() {
            lanes.into_iter().for_each(|lane| self.mix(lane));
        }
        let (words, rest) = rest.as_chunks();
        let mut last = [0; 8];
        for (to, byte) in last.iter_mut().zip(rest) {
            *to = *byte;
        }
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        self.mix(u64::from_le_bytes(last));
    }

    fn mix(&mut self, word: u64) {
        self.checksum = mixed(self.checksum, word);
    }
}

/// Each step depends on the one before, and none is undone by another.
fn mixed(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(ODD).rotate_left(29)
}

const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

#[cfg(test)]
mod tests {
    use super::Tally;

    fn of(texts: &[&str]) -> Tally {
        let mut tally = Tally::default();
        for text in texts {
            tally.message(text.len());
            tally.says(text);
        }
        tally
    }

    #[test]
    fn what_is_lost_doubled_reordered_cut_or_changed_is_found() {
        const LONG: &str = "and a third one that is longer by far than all the others, to go the long way";
        let (short, changed) = (&LONG[..LONG.len() - 1], LONG.replace("others", "odders"));
        let exchanged = LONG.replace("and a third one", "one third and a");
        let right = of(&["one", "two", LONG]);
        assert_eq!(right, of(&["one", "two", LONG]));
        let wrong: [&[&str]; 8] = [
            &["one", LONG],
            &["one", "two", "two", LONG],
            &["two", "one", LONG],
            &["one", "twoo", LONG],
            &["onet", "wo", LONG],
            &["one", "two", short],
            &["one", "two", &changed],
            &["one", "two", &exchanged],
        ];
        for texts in wrong {
            assert_ne!(right.checksum, of(texts).checksum, "{texts:?}");
        }
    }
}
