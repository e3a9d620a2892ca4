//! Formats JSON without changing the text of its values.

/// Returns the JSON with one element per line, indented.
pub(super) fn indented(json: &str) -> String {
    let (mut text, mut depth, mut chars) =
        (String::with_capacity(json.len()), 0_usize, json.chars().peekable());
    while let Some(char) = chars.next() {
        match char {
            '"' => {
                text.push(char);
                string(&mut chars, &mut text);
            }
            '{' | '[' => {
                text.push(char);
                while chars.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                if let Some(end) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    text.push(end);
                } else {
                    depth += 1;
                    break_line(&mut text, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut text, depth);
                text.push(char);
            }
            ',' => {
                text.push(char);
                break_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            char if char.is_ascii_whitespace() => {}
            char => text.push(char),
        }
    }
    text
}

/// Copies the rest of a string.
fn string(chars: &mut impl Iterator<Item = char>, text: &mut String) {
    while let Some(char) = chars.next() {
        text.push(char);
        match char {
            '"' => return,
            '\\' => text.extend(chars.next()),
            _ => {}
        }
    }
}

fn break_line(text: &mut String, depth: usize) {
    text.push('\n');
    // The limit keeps the output linear in the input for deeply nested values.
    (0..depth.min(MAX_DEPTH)).for_each(|_| text.push_str("  "));
}

const MAX_DEPTH: usize = 16;

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn only_spaces_change() {
        let json = r#"{"a, {":[1.0,"b\"]" ,{ },[]], "n":12345678901234567890}"#;
        let expected = "{\n  \"a, {\": [\n    1.0,\n    \"b\\\"]\",\n    {},\n    []\n  ],\n  \"n\": 12345678901234567890\n}";
        assert_eq!(indented(json), expected);
        assert_eq!((&*indented("\"\\"), &*indented("1"), &*indented("{}")), ("\"\\", "1", "{}"));
    }
}
