//! The messages of a session, counted on both sides of the pipe.

use serde::{Deserialize, Serialize};

/// The messages of a session, counted on both sides of the pipe. The two tallies are equal unless messages were lost,
/// duplicated, reordered or changed.
///
/// Messages are all lines except those of the control protocol.
/// The checksum covers the `uuid` of each message, and then
/// of a `stream_event` the text of its delta (`text`, `thinking`, `signature`, `partial_json`);
/// of `assistant` and `user` the text of each block, in order (`text`, `thinking`), the content of a `tool_result` as
/// JSON, or the message's content if it is plain text;
/// of a `result` its `result`.
/// Missing and empty texts are skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Tally {
    /// The number of messages.
    pub messages: u64,
    /// The bytes of their lines, without the newlines.
    pub bytes: u64,
    /// The checksum of their texts, in order.
    pub checksum: u64,
}

impl Tally {
    /// Counts a message from a line of this many bytes without its newline.
    pub fn message(&mut self, line: usize) {
        self.messages += 1;
        self.bytes += line as u64;
    }

    /// Adds a text of the message to the checksum.
    ///
    /// Long texts take a second for ten gigabytes or more, so that the checksum does not affect the measurement.
    pub fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.mix(text.len() as u64);
        let (blocks, rest) = text.as_bytes().as_chunks::<32>();
        // Four lanes that do not depend on each other.
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

/// Mixes a word into a state. For a given word this is a bijection of states.
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
            tally.text(text);
        }
        tally
    }

    #[test]
    fn lost_duplicated_reordered_cut_and_changed_texts_change_the_checksum() {
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
