//! The searched text, and a test that rules out most lines before they are decoded.

use std::ops::Range;

use memchr::{memchr2_iter, memmem};

/// A text to find.
#[derive(Clone, Debug)]
pub(super) struct Needle {
    pub(super) text: String,
    exact: bool,
    /// The characters, in lower case unless `exact`.
    folded: Vec<char>,
    ascii: bool,
    /// The longest part that JSON writes in only one way, apart from `\u` escapes.
    plain: String,
}

impl Needle {
    pub(super) fn new(text: &str, exact: bool) -> Self {
        let folded: Vec<_> = text.chars().map(|char| fold(char, exact)).collect();
        Self {
            text: text.to_owned(),
            exact,
            ascii: folded.iter().all(char::is_ascii),
            plain: longest(&folded, |char| is_plain(char, exact)).iter().collect(),
            folded,
        }
    }

    /// Returns `false` if no text in this line of JSON can contain the needle.
    pub(super) fn may_be_in(&self, line: &[u8]) -> bool {
        // A needle with other characters is in an ASCII line only as an escape.
        let as_itself = (self.ascii || !line.is_ascii()) && self.plain_is_in(line);
        !self.folded.is_empty() && (as_itself || self.may_be_escaped_in(line))
    }

    fn plain_is_in(&self, line: &[u8]) -> bool {
        let plain = self.plain.as_bytes();
        let Some(first) = plain.first().filter(|_| !self.exact) else {
            return memmem::find(line, plain).is_some();
        };
        memchr2_iter(*first, first.to_ascii_uppercase(), line)
            .any(|at| line.get(at..at + plain.len()).is_some_and(|found| found.eq_ignore_ascii_case(plain)))
    }

    /// Returns whether a `\u` escape in the line may stand for a character of the needle.
    fn may_be_escaped_in(&self, line: &[u8]) -> bool {
        memmem::find_iter(line, b"\\u").any(|at| {
            let number = line.get(at + 2..at + 6).and_then(|hex| std::str::from_utf8(hex).ok());
            let number = number.and_then(|hex| u32::from_str_radix(hex, 16).ok());
            number.is_some_and(|number| match char::from_u32(number) {
                Some(char) => self.folded.contains(&fold(char, self.exact)),
                // Half of a surrogate pair.
                None => !self.ascii,
            })
        })
    }

    /// Returns the first place of the needle in a decoded text.
    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        let is_here = |text: &str| {
            let mut rest = text.char_indices();
            let same = |char: &char| rest.next().is_some_and(|(_, other)| fold(other, self.exact) == *char);
            self.folded.iter().all(same).then(|| text.len() - rest.as_str().len())
        };
        let mut starts = text.char_indices().filter(|_| !self.folded.is_empty());
        starts.find_map(|(at, _)| is_here(&text[at..]).map(|length| at..at + length))
    }
}

/// Returns the lower case of a character, if that is one character and is ASCII only if `char` is.
///
/// An ASCII letter thus matches only ASCII letters; a final sigma matches a sigma.
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

/// Returns whether JSON writes the character literally, and no other character folds to it, except the other case of an
/// ASCII letter.
fn is_plain(char: char, exact: bool) -> bool {
    let as_itself = !char.is_control() && !matches!(char, '"' | '\\' | '/' | char::REPLACEMENT_CHARACTER);
    as_itself && (exact || char.is_ascii() || char.to_uppercase().eq([char]))
}

/// Returns the longest run of characters with this property.
fn longest(chars: &[char], is: impl Fn(char) -> bool) -> &[char] {
    chars
        .split(|char| !is(*char))
        .max_by_key(|run| run.iter().map(|char| char.len_utf8()).sum::<usize>())
        .unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::{Needle, fold, is_plain};

    #[test]
    fn only_the_other_ascii_case_folds_to_a_plain_character() {
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
    fn a_line_is_skipped_only_if_no_text_in_it_can_match() {
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
