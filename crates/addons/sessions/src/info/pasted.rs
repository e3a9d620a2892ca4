//! Pasted text in a prompt, which the CLI encloses in tags with an id of four hexadecimal digits.

/// Returns the text without the tags of pasted text.
pub(super) fn without_tags(text: &str) -> String {
    let (mut shown, mut rest) = (String::new(), text);
    while let Some((before, pasted, after)) = first_pasted(rest) {
        shown.extend([before, pasted]);
        rest = after;
    }
    shown + rest
}

/// Returns the first pasted text with the texts before and after it; `None` if there is none, or it has no end.
fn first_pasted(text: &str) -> Option<(&str, &str, &str)> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let (at, id, inside) = text.match_indices(START).find_map(|(at, start)| {
        let rest = &text[at + start.len()..];
        let id = rest.get(..4).filter(|id| id.bytes().all(is_digit))?;
        Some((at, id, rest[4..].strip_prefix("\">\n")?))
    })?;
    let (pasted, after) = inside.split_once(&format!("\n</pasted_content id=\"{id}\">"))?;
    Some((&text[..at], pasted, after))
}

const START: &str = "<pasted_content id=\"";

#[cfg(test)]
mod tests {
    use super::without_tags;

    #[test]
    fn the_tags_of_pasted_text_are_removed() {
        let pasted = |id: &str, text: &str| {
            format!("<pasted_content id=\"{id}\">\n{text}\n</pasted_content id=\"{id}\">")
        };
        let two = format!("see\n\n{}\n{} end", pasted("a1b2", "one\ntwo"), pasted("00ff", "three"));
        assert_eq!(without_tags(&two), "see\n\none\ntwo\nthree end");
        let open = "<pasted_content id=\"a1b2\">\na</pasted_content id=\"a1b2\">".to_owned();
        for unchanged in ["no paste".to_owned(), open, pasted("A1B2", "a"), pasted("a1b2c", "a")] {
            assert_eq!(without_tags(&unchanged), unchanged);
        }
    }
}
