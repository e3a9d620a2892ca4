//! The text that is looked for, and the test by which most lines need not be decoded.

use std::ops::Range;

use memchr::{memchr2, memmem};

/// A text to find.
#[derive(Clone, Debug)]
pub(super) struct Needle {
    text: String,
    exact: bool,
    /// Its characters, in lower case unless it is exact.
    folded: Vec<char>,
    ascii: bool,
    /// Whether a surrogate's escape may be part of it.
    wide: bool,
    /// The longest piece of it that JSON writes in one way only, but for escapes by number.
    plain: Piece,
    /// All of it, where it is ASCII or exact.
    whole: Option<Piece>,
}

impl Needle {
    pub(super) fn new(text: &str, exact: bool) -> Self {
        let folded: Vec<_> = text.chars().map(|char| fold(char, exact)).collect();
        let plain: String = longest(&folded, |char| is_plain(char, exact)).iter().collect();
        let lower: String = folded.iter().collect();
        Self {
            text: text.to_owned(),
            exact,
            ascii: lower.is_ascii(),
            wide: folded.iter().any(|char| *char > '\u{ffff}' || *char == char::REPLACEMENT_CHARACTER),
            plain: Piece::new(&plain, exact),
            whole: (exact || lower.is_ascii()).then(|| Piece::new(&lower, exact)),
            folded,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether one of the texts in a line of JSON may have it; where this says no, none has.
    pub(super) fn may_be_in(&self, line: &[u8]) -> bool {
        if self.folded.is_empty() {
            return false;
        }
        // What is not ASCII is the same as nothing that is.
        let as_itself = self.plain.find(line).is_some() && (self.ascii || !line.is_ascii());
        as_itself || self.may_be_escaped_in(line)
    }

    /// Whether a character of it may be written by its number.
    fn may_be_escaped_in(&self, line: &[u8]) -> bool {
        memmem::find_iter(line, b"\\u").any(|at| {
            let number = line.get(at + 2..at + 6).and_then(|hex| std::str::from_utf8(hex).ok());
            let number = number.and_then(|hex| u32::from_str_radix(hex, 16).ok());
            number.is_some_and(|number| match char::from_u32(number) {
                Some(char) => self.folded.contains(&fold(char, self.exact)),
                None => self.wide,
            })
        })
    }

    /// Where it is first.
    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        if self.folded.is_empty() {
            return None;
        }
        if let Some(whole) = &self.whole {
            return whole.find(text.as_bytes()).map(|at| at..at + self.text.len());
        }
        text.char_indices().find_map(|(at, _)| {
            let mut rest = text[at..].char_indices();
            let same = self
                .folded
                .iter()
                .all(|char| rest.next().is_some_and(|(_, other)| fold(other, false) == *char));
            same.then(|| at..at + (text.len() - at - rest.as_str().len()))
        })
    }
}

/// Bytes to find, in either case of ASCII letters unless they are exact.
#[derive(Clone, Debug)]
struct Piece {
    bytes: Vec<u8>,
    /// The byte that is looked for first; `None` for exact bytes.
    rare: Option<usize>,
}

impl Piece {
    fn new(text: &str, exact: bool) -> Self {
        let bytes = text.as_bytes().to_vec();
        let rank = |byte: u8| COMMON.iter().position(|common| *common == byte).unwrap_or(COMMON.len());
        let rare = (0..bytes.len()).max_by_key(|at| rank(bytes[*at])).filter(|_| !exact);
        Self { bytes, rare }
    }

    fn find(&self, text: &[u8]) -> Option<usize> {
        let Some(rare) = self.rare else { return memmem::find(text, &self.bytes) };
        let (byte, mut from) = (self.bytes[rare], rare);
        loop {
            let found = memchr2(byte, byte.to_ascii_uppercase(), text.get(from..)?)?;
            let start = from + found - rare;
            let there = text.get(start..start + self.bytes.len())?;
            if there.eq_ignore_ascii_case(&self.bytes) {
                return Some(start);
            }
            from += found + 1;
        }
    }
}

/// The lower case of a character where that is one character, and is ASCII only if the character is.
///
/// So an ASCII letter is found where an ASCII letter is; a final sigma is a sigma.
fn fold(char: char, exact: bool) -> char {
    if exact || char.is_ascii() {
        return if exact { char } else { char.to_ascii_lowercase() };
    }
    let mut lower = char.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some('\u{3c2}'), None) => '\u{3c3}',
        (Some(lower), None) if !lower.is_ascii() => lower,
        _ => char,
    }
}

/// Whether the character, and nothing else that is the same, is written as itself in a JSON text.
fn is_plain(char: char, exact: bool) -> bool {
    let as_itself = !char.is_control() && !matches!(char, '"' | '\\' | '/' | char::REPLACEMENT_CHARACTER);
    as_itself && (exact || char.is_ascii() || char.to_uppercase().eq([char]))
}

/// The longest run of characters of which this is true.
fn longest(chars: &[char], is: impl Fn(char) -> bool) -> &[char] {
    chars
        .split(|char| !is(*char))
        .max_by_key(|run| run.iter().map(|char| char.len_utf8()).sum::<usize>())
        .unwrap_or(&[])
}

/// What entries are full of, the most common first.
const COMMON: &[u8] = b" \"etaoinsrhldcu0123456789mfpg,:-_.wyb{}[]vkxjqz";

#[cfg(test)]
mod tests {
    use super::{Needle, fold, is_plain};

    #[test]
    fn a_plain_character_is_the_same_as_no_other_but_its_ascii_case() {
        for char in (0..=0x10_ffff).filter_map(char::from_u32) {
            let folded = fold(char, false);
            assert_eq!(fold(folded, false), folded, "{char}");
            assert_eq!(folded.is_ascii(), char.is_ascii(), "{char}");
            if folded != char && !char.is_ascii() {
                assert!(!is_plain(folded, false), "{char} is {folded}");
            }
        }
    }

    #[test]
    fn a_text_is_found_in_either_case() {
        let find = |needle: &str, exact, text: &str| Needle::new(needle, exact).find(text);
        assert_eq!(find("World", false, "hello WORLD"), Some(6..11));
        assert_eq!(find("World", true, "hello WORLD world World"), Some(18..23));
        assert_eq!(find("\u{c9}t\u{e9}", false, "l'\u{e9}T\u{c9}"), Some(2..7));
        assert_eq!(find("\u{3a3}\u{399}\u{3a3}", false, "x\u{3c3}\u{3b9}\u{3c2}"), Some(1..7));
        assert_eq!(find("k", false, "\u{212a}"), None);
        assert_eq!(find("aab", false, "aaab"), Some(1..4));
        assert_eq!(find("zx", false, "z"), None);
        assert_eq!((find("", false, "a"), find("", true, "a")), (None, None));
    }

    #[test]
    fn a_line_is_passed_over_only_if_no_text_in_it_has_it() {
        for (needle, line, may) in [
            ("hello", r#"{"a":"x HeLLo"}"#, true),
            ("hello", r#"{"a":"x Hell"}"#, false),
            ("hello", r#"{"a":"h\u0045llo"}"#, true),
            ("hello", r#"{"a":"\u001b[1m"}"#, false),
            ("a\nhello", r#"{"a":"a\nhello"}"#, true),
            ("a/hello", r#"{"a":"a\/hello"}"#, true),
            ("\u{e9}t\u{e9}", r#"{"a":"\u00c9T\u00e9"}"#, true),
            ("\u{1f600}", r#"{"a":"\ud83d\ude00"}"#, true),
            ("x", r#"{"a":"\ud83d"}"#, false),
            ("\u{e9}t", r#"{"a":"at"}"#, false),
            ("\u{e9}t", "{\"a\":\"\u{c9}T\"}", true),
            ("\u{4f60}\u{597d}", "{\"a\":\"\u{4f60}\u{597d}\"}", true),
            ("\u{4f60}\u{597d}", "{\"a\":\"\u{4f60}\"}", false),
            ("\"", "{}", true),
            ("", "{}", false),
        ] {
            assert_eq!(Needle::new(needle, false).may_be_in(line.as_bytes()), may, "{needle} in {line}");
        }
    }
}
