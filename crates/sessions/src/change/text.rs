//! What titles and tags may be made of.

/// The title without space around it; `None` where nothing is left.
pub(super) fn title(title: &str) -> Option<String> {
    trimmed(title)
}

/// The tag without space around it, and without what can't be seen: format characters (such as zero-width spaces and
/// directional marks), private ones and non-characters; `None` where nothing is left.
///
/// The published SDKs do the same, and two things more that need tables of Unicode which are not at hand: they put
/// characters in their compatible form (NFKC: `ﬁ` becomes `fi`), and take out those that are not assigned yet.
pub(super) fn tag(tag: &str) -> Option<String> {
    trimmed(&tag.replace(is_invisible, ""))
}

fn trimmed(text: &str) -> Option<String> {
    // JavaScript takes the byte order mark for space.
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    (!text.is_empty()).then(|| text.to_owned())
}

fn is_invisible(c: char) -> bool {
    let is_noncharacter = u32::from(c) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&c);
    is_noncharacter || INVISIBLE.iter().any(|&(first, last)| (first..=last).contains(&c))
}

/// The characters of the categories Cf and Co in Unicode 16, with the gaps inside of blocks that are for nothing else.
const INVISIBLE: [(char, char); 23] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{e000}', '\u{f8ff}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{fff9}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0001}', '\u{e0001}'),
    ('\u{e0020}', '\u{e007f}'),
    ('\u{f0000}', '\u{ffffd}'),
    ('\u{100000}', '\u{10fffd}'),
];

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
