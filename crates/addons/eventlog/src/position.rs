//! The position of an event in the log of its session.

use std::{fmt, str::FromStr};

/// The position of an event: the number of its turn, then its number in the turn.
///
/// Its text, such as `3-17`, is the id of a server-sent event and of an entry in a Redis stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Position {
    /// The number of the turn in its session. A later turn has a higher number.
    pub turn: u64,
    /// The number of the event in the turn, from 1.
    pub sequence: u64,
}

impl Position {
    /// The position before all events.
    pub const START: Self = Self { turn: 0, sequence: 0 };

    /// Returns the position of an event of a turn.
    pub const fn new(turn: u64, sequence: u64) -> Self {
        Self { turn, sequence }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.turn, self.sequence)
    }
}

impl FromStr for Position {
    type Err = InvalidPosition;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidPosition { text: text.chars().take(SHOWN).collect() };
        let (turn, sequence) = text.split_once('-').ok_or_else(invalid)?;
        let number = |text: &str| text.parse().map_err(|_| invalid());
        Ok(Self { turn: number(turn)?, sequence: number(sequence)? })
    }
}

/// A text that is not a [`Position`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a position; write the numbers of the turn and of the event, such as `3-17`")]
#[non_exhaustive]
pub struct InvalidPosition {
    /// The start of the text.
    pub text: String,
}

/// How much of an invalid text an error shows, in characters.
const SHOWN: usize = 64;

#[cfg(test)]
mod tests {
    use super::Position;

    #[test]
    fn position_is_parsed_from_its_text() {
        for position in [Position::START, Position::new(3, 17), Position::new(u64::MAX, u64::MAX)] {
            assert_eq!(position.to_string().parse(), Ok(position));
        }
        for text in ["", "3", "3-", "-3", "a-1", "1-2-3", "18446744073709551616-1"] {
            assert!(text.parse::<Position>().is_err(), "{text}");
        }
    }

    #[test]
    fn later_turn_is_after_all_events_of_an_earlier_one() {
        assert!(Position::new(1, u64::MAX) < Position::new(2, 0));
        assert!(Position::new(2, 9) < Position::new(2, 10));
    }
}
