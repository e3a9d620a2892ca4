//! Text as HTML, so that nothing in a transcript is ever read as markup.

/// Appends text for a place between tags, or within a quoted attribute.
///
/// What HTML would drop or change (control characters, a carriage return) is shown by its picture.
pub(super) fn text(page: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '\n' | '\t' => page.push(c),
            '\0'..='\x1f' => page.push(char::from_u32(PICTURES + u32::from(c)).unwrap_or(' ')),
            c => page.push(c),
        }
    }
}

/// Appends text for the inside of an attribute in double quotes.
pub(super) fn attribute(page: &mut String, value: &str) {
    for piece in value.split_inclusive(['"', '\'', '\n']) {
        let (head, last) = match piece.char_indices().next_back() {
            Some((at, '"')) => (&piece[..at], "&#34;"),
            Some((at, '\'')) => (&piece[..at], "&#39;"),
            Some((at, '\n')) => (&piece[..at], "&#10;"),
            _ => (piece, ""),
        };
        text(page, head);
        page.push_str(last);
    }
}

/// Writes a number with its digits in groups of three.
pub(super) fn grouped(page: &mut String, number: u64) {
    let digits = number.to_string();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            page.push('\u{202f}');
        }
        page.push(digit);
    }
}

/// Returns a time in milliseconds in readable units.
pub(super) fn time(millis: u64) -> String {
    match millis {
        0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        _ => format!("{} min {} s", millis / 60_000, millis % 60_000 / 1_000),
    }
}

/// Returns the longest prefix of a text with at most this number of bytes.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}

/// Unicode's pictures of the control characters, in their order.
const PICTURES: u32 = 0x2400;

#[cfg(test)]
mod tests {
    use super::{attribute, beginning, grouped, text, time};

    #[test]
    fn markup_is_text() {
        let mut page = String::new();
        text(&mut page, "</script><b a='\"'>&amp;\r\u{0}\u{2028}\n");
        assert_eq!(page, "&lt;/script&gt;&lt;b a='\"'&gt;&amp;amp;\u{240d}\u{2400}\u{2028}\n");
        let mut page = String::new();
        attribute(&mut page, "a\" onload='x'\n<");
        assert_eq!(page, "a&#34; onload=&#39;x&#39;&#10;&lt;");
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(beginning("aé", 2), "a");
        assert_eq!(beginning("aé", 3), "aé");
        assert_eq!(beginning("aé", 9), "aé");
    }

    #[test]
    fn numbers_and_times_are_readable() {
        let mut page = String::new();
        grouped(&mut page, 1_234_567);
        assert_eq!(page, "1\u{202f}234\u{202f}567");
        assert_eq!([time(7), time(1_250), time(61_000)], ["7 ms", "1.2 s", "1 min 1 s"]);
    }
}
