//! Normalization of titles and tags.

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// Normalizes the tag to NFKC (`ﬁ` becomes `fi`), removes invisible characters (format characters such as zero-width
/// spaces and directional marks, private use, unassigned) and trims it; returns `None` if it is empty.
///
/// Repeats until nothing changes, as the reference SDKs do.
pub(super) fn tag(tag: &str) -> Option<String> {
    let mut tag = tag.to_owned();
    for _ in 0..MAX_ROUNDS {
        let next: String = tag.nfkc().filter(|c| !is_invisible(*c)).collect();
        if next == tag {
            break;
        }
        tag = next;
    }
    trimmed(&tag)
}

/// Trims the text; returns `None` if it is empty.
pub(super) fn trimmed(text: &str) -> Option<String> {
    // JavaScript's `trim` removes the byte order mark too.
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    (!text.is_empty()).then(|| text.to_owned())
}

fn is_invisible(c: char) -> bool {
    use GeneralCategory::{Format, PrivateUse, Unassigned};
    matches!(c.general_category(), Format | PrivateUse | Unassigned)
}

/// As in the reference SDKs.
const MAX_ROUNDS: usize = 10;

#[cfg(test)]
mod tests {
    use super::{tag, trimmed};

    #[test]
    fn invisible_characters_of_a_tag_are_removed() {
        for (given, kept) in [
            ("plain tag", Some("plain tag")),
            (" a\u{200b}b\u{feff} ", Some("ab")),
            ("\u{202e}\u{2066}x\u{e000}\u{f0000}\u{10fffd}\u{fdd0}\u{ffff}", Some("x")),
            ("\u{e9}\u{1f600}\u{4e2d}", Some("\u{e9}\u{1f600}\u{4e2d}")),
            ("\u{fb01}n\u{2460} \u{ff21}\u{3bc}e\u{301}", Some("fin1 A\u{3bc}\u{e9}")),
            ("e\u{200b}\u{301}", Some("\u{e9}")),
            ("a\u{378}b", Some("ab")),
            ("\u{ad}\u{e0041}", None),
            ("", None),
        ] {
            assert_eq!(tag(given).as_deref(), kept, "{given:?}");
        }
    }

    #[test]
    fn a_title_keeps_all_but_the_space_around_it() {
        assert_eq!(trimmed("\u{feff} a\u{200b} b\t").unwrap(), "a\u{200b} b");
        assert_eq!(trimmed(" \u{feff}\n"), None);
    }
}
