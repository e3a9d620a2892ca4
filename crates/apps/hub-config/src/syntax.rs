//! The JSON dialect of configuration files, and positions in it.

use std::cell::Cell;

use jsonc_parser::ParseOptions;

use super::TextPosition;

/// Returns the dialect: JSON with comments and trailing commas. Reader and editor must agree on it.
///
/// The caller removes a byte order mark first.
pub(crate) fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The starts of the lines of a text.
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// The last byte offset with its column: a file may be one long line.
    last: Cell<(usize, usize)>,
}

impl<'t> Lines<'t> {
    /// Finds the lines. As in the parser, a line feed, a carriage return or both end a line.
    pub(super) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes
            .iter()
            .enumerate()
            .filter(|&(at, &byte)| byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')));
        let starts = [0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect();
        Self { text, starts, last: Cell::new((0, 1)) }
    }

    /// Returns the position of a byte offset. Ascending offsets are fast.
    pub(super) fn position(&self, at: usize) -> TextPosition {
        let at = at.min(self.text.len());
        let line = self.starts.partition_point(|&start| start <= at).max(1);
        let start = self.starts[line - 1];
        let (from, column) = match self.last.get() {
            (last, column) if (start..=at).contains(&last) => (last, column),
            _ => (start, 1),
        };
        let between = &self.text.as_bytes()[from..at];
        // Continuation bytes do not begin a character.
        let column = column + between.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        self.last.set((at, column));
        TextPosition { line, column }
    }
}

/// Returns the path of a value in an object.
pub(super) fn key(path: &str, key: &str) -> String {
    let plain = !key.is_empty()
        && key.len() <= LONGEST
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-$@/".contains(&b));
    match (plain, path) {
        (true, "") => key.to_owned(),
        (true, _) => format!("{path}.{key}"),
        (false, _) => format!("{path}[{:?}]", shortened(key)),
    }
}

/// Returns the path of a value under an unknown or invalid key. The key is cut where it may contain a value, as in
/// `TOKEN=…` or `Authorization: …`.
pub(super) fn strange_key(path: &str, strange: &str) -> String {
    match strange.find(|c: char| c == '=' || c == ':' || c.is_whitespace()) {
        Some(at) => key(path, &format!("{}…", &strange[..at])),
        None => key(path, strange),
    }
}

/// Returns the path of a value in an array.
pub(super) fn index(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

/// Cuts a long key: keys are untrusted, and a problem is one line.
fn shortened(key: &str) -> String {
    match key.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &key[..at]),
        None => key.to_owned(),
    }
}

/// The longest key that is shown whole.
const LONGEST: usize = 128;

#[cfg(test)]
mod tests {
    use super::{Lines, index, key, strange_key};

    #[test]
    fn positions_are_lines_and_characters() {
        let text = "aé日\r\nb\rc\n\n𝄞x";
        let lines = Lines::new(text);
        let places: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len(), 99]).collect();
        let expected = [
            (1, 1),
            (1, 2),
            (1, 3),
            (1, 4),
            (1, 5),
            (2, 1),
            (2, 2),
            (3, 1),
            (3, 2),
            (4, 1),
            (5, 1),
            (5, 2),
            (5, 3),
            (5, 3),
        ];
        for _ in 0..2 {
            let found = places.iter().map(|&at| lines.position(at)).map(|place| (place.line, place.column));
            assert_eq!(found.collect::<Vec<_>>(), expected);
        }
        // In any order.
        for (&at, &expected) in places.iter().zip(&expected).rev() {
            let place = lines.position(at);
            assert_eq!((place.line, place.column), expected);
        }
    }

    #[test]
    fn paths_are_one_line_each() {
        assert_eq!(key("", "a"), "a");
        assert_eq!(key("a", "b-c"), "a.b-c");
        assert_eq!(key("a", "b.c"), r#"a["b.c"]"#);
        assert_eq!(key("", ""), r#"[""]"#);
        assert_eq!(key("a", "x\n\u{1b}\u{202e}\""), r#"a["x\n\u{1b}\u{202e}\""]"#);
        assert_eq!(index(&key("a", "args"), 3), "a.args[3]");
        assert_eq!(strange_key("a", "TOKEN=s3cr3t"), r#"a["TOKEN…"]"#);
        assert_eq!(strange_key("", "A: s3cr3t"), r#"["A…"]"#);
        assert_eq!(strange_key("a", "b c"), r#"a["b…"]"#);
        assert_eq!(strange_key("a", "b"), "a.b");
        assert!(key("", &"é".repeat(5000)).len() < 300);
    }
}
