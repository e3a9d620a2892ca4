//! Converts terminal output to text, without colours and overwritten lines.

/// Text, and whether it replaces the previous line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) overwrites: bool,
    pub(super) text: String,
}

/// A parser of one stream; a sequence may be split between two pieces.
#[derive(Debug, Default)]
pub(super) struct Plain {
    escape: Escape,
    /// Whether the last character was a carriage return: part of a line break, or a return to the start of the line.
    returned: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    Begun,
    /// Ends at a letter: colours and movements.
    Control,
    /// Ends at a bell or a terminator: titles and links.
    Text {
        ending: bool,
    },
}

impl Plain {
    pub(super) fn pieces(&mut self, text: &str) -> Vec<Piece> {
        let mut pieces = vec![Piece::default()];
        for c in text.chars() {
            let Some(c) = self.visible(c) else { continue };
            let returned = std::mem::take(&mut self.returned);
            if c == '\r' {
                self.returned = true;
                continue;
            }
            if returned && c != '\n' {
                pieces.push(Piece { overwrites: true, text: String::new() });
            }
            if let Some(piece) = pieces.last_mut() {
                match c {
                    // A backspace stays within the line.
                    '\u{8}' if piece.text.ends_with('\n') => {}
                    '\u{8}' => drop(piece.text.pop()),
                    _ => piece.text.push(c),
                }
            }
        }
        pieces
    }

    /// Returns the character unless it is part of an escape sequence.
    fn visible(&mut self, c: char) -> Option<char> {
        let (next, shown) = match (self.escape, c) {
            (Escape::None, '\u{1b}') => (Escape::Begun, None),
            (Escape::None, _) => {
                (Escape::None, (c == '\u{8}' || !c.is_control() || "\t\n\r".contains(c)).then_some(c))
            }
            (Escape::Begun, '[') => (Escape::Control, None),
            (Escape::Begun, ']') => (Escape::Text { ending: false }, None),
            // Of the other sequences, only two-character sequences and selections of a character set matter.
            (Escape::Begun, '(' | ')') => (Escape::Begun, None),
            (Escape::Begun, _) => (Escape::None, None),
            (Escape::Control, '\u{40}'..='\u{7e}') => (Escape::None, None),
            (Escape::Text { .. }, '\u{7}') | (Escape::Text { ending: true }, '\\') => (Escape::None, None),
            // A line break ends an unterminated sequence.
            (Escape::Control | Escape::Text { .. }, '\n') => (Escape::None, Some(c)),
            (Escape::Text { .. }, _) => (Escape::Text { ending: c == '\u{1b}' }, None),
            (Escape::Control, _) => (Escape::Control, None),
        };
        self.escape = next;
        shown
    }
}

/// Converts a whole text.
pub(crate) fn plain(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    for piece in Plain::default().pieces(text) {
        if piece.overwrites {
            whole.truncate(whole.rfind('\n').map_or(0, |at| at + 1));
        }
        whole.push_str(&piece.text);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::{Plain, plain};

    #[test]
    fn colours_and_titles_are_removed() {
        assert_eq!(
            plain(
                "\u{1b}[0;31mZero\u{1b}[39m\u{1b}(B \u{1b}]0;title\u{7}x\u{1b}]8;;u\u{1b}\\y\u{1b}[1Kz\u{0}"
            ),
            "Zero xyz"
        );
        assert_eq!(plain("a\u{1b}[31\nb"), "a\nb");
        assert_eq!(plain("a\u{1b}]0;b\nc"), "a\nc");
    }

    #[test]
    fn overwritten_lines_are_removed() {
        assert_eq!(plain("10%\r50%\r100%\ndone\r\nend\r"), "100%\ndone\nend");
        assert_eq!(plain("abc\u{8}\u{8}x\n\u{8}y"), "ax\ny");
    }

    #[test]
    fn a_sequence_may_be_split() {
        let mut stream = Plain::default();
        let text: Vec<_> =
            ["a\u{1b}", "[3", "1mb\r", "\nc\r", "d"].iter().flat_map(|text| stream.pieces(text)).collect();
        let shown: String = text.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(shown, "ab\ncd");
        assert_eq!(text.iter().filter(|piece| piece.overwrites).count(), 1);
    }
}
