//! What was said, added up on both sides of the pipe.

use serde::{Deserialize, Serialize};

/// What was said, added up on both sides of the pipe: two are equal where nothing was lost, doubled, put in another order
/// or read wrongly.
///
/// Messages are all lines but those of the control protocol.
/// Of each, its `uuid` is said, and then
/// of a `stream_event` the text of its delta (`text`, `thinking`, `signature`, `partial_json`);
/// of `assistant` and `user` the text of each block, in order (`text`, `thinking`, the text of a `tool_result`), or the
/// content where it is plain text;
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
    /// Eight bytes a step, at some gigabytes a second, so that it is no part of what is measured.
    pub fn says(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let (words, rest) = text.as_bytes().as_chunks();
        let mut last = [0; 8];
        for (to, byte) in last.iter_mut().zip(rest) {
            *to = *byte;
        }
        self.mix(text.len() as u64);
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        self.mix(u64::from_le_bytes(last));
    }

    /// Each step depends on the one before, and none is undone by another.
    fn mix(&mut self, word: u64) {
        self.checksum = (self.checksum ^ word).wrapping_mul(ODD).rotate_left(29);
    }
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
        let right = of(&["one", "two", "three and some more"]);
        assert_eq!(right, of(&["one", "two", "three and some more"]));
        let wrong: [&[&str]; 6] = [
            &["one", "three and some more"],
            &["one", "two", "two", "three and some more"],
            &["two", "one", "three and some more"],
            &["one", "two", "three and some mor"],
            &["one", "two", "three and some mere"],
            &["onet", "wo", "three and some more"],
        ];
        for texts in wrong {
            assert_ne!(right.checksum, of(texts).checksum, "{texts:?}");
        }
    }
}
