//! What titles and tags may be made of.

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// The title without space around it; `None` where nothing is left.
pub(super) fn title(title: &str) -> Option<String> {
    trimmed(title)
}

/// The tag in its compatible form (NFKC: `ﬁ` becomes `fi`), without space around it, and without what can't be seen:
/// format characters (such as zero-width spaces and directional marks), private ones and those that are not assigned;
/// `None` where nothing is left.
///
/// The published SDKs do the same, as often as something changes.
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

fn trimmed(text: &str) -> Option<String> {
    // JavaScript takes the byte order mark for space.
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    (!text.is_empty()).then(|| text.to_owned())
}

fn is_invisible(c: char) -> bool {
    use GeneralCategory::{Format, PrivateUse, Unassigned};
    matches!(c.general_category(), Format | PrivateUse | Unassigned)
}

/// As in the published SDKs.
const MAX_ROUNDS: usize = 10;

#[cfg(test)]
mod tests {
    use super::{tag, title};

    #[test]
    fn what_is_invisible_in_a_tag_goes() {
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
        assert_eq!(title("\u{feff} a\u{200b} b\t").unwrap(), "a\u{200b} b");
        assert_eq!(title(" \u{feff}\n"), None);
    }
}
