//! Rust source with comments and the contents of literals blanked, so that rules find only code.

/// Returns a text of the same lines and bytes, with spaces for comments and the contents of literals.
pub(super) fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let [open, inside, close] = piece(rest);
        let inside = open + inside;
        code.push_str(&rest[..open]);
        code.extend(rest[open..inside].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        let end = rest.len().min(inside + close);
        code.push_str(&rest[inside..end]);
        rest = &rest[end..];
    }
    code
}

/// The lengths of the next piece's opening, content and closing; the content is blanked.
fn piece(rest: &str) -> [usize; 3] {
    let until = |from: usize, end: &str| rest[from..].find(end).unwrap_or(rest.len() - from);
    let raw = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r').map(|raw| raw.trim_start_matches('#'));
    if rest.starts_with("//") {
        return [0, until(0, "\n"), 0];
    }
    if let Some(raw) = raw.filter(|raw| raw.starts_with('"')) {
        let open = rest.len() - raw.len() + 1;
        let close = format!("\"{}", "#".repeat(rest[..open].matches('#').count()));
        return [open, until(open, &close), close.len()];
    }
    if let Some(text) = rest.strip_prefix('"') {
        let mut escaped = false;
        let end = text.find(|char| {
            let ends = char == '"' && !escaped;
            escaped = char == '\\' && !escaped;
            ends
        });
        return [1, end.unwrap_or(rest.len() - 1), 1];
    }
    for literal in ["'\"'", "'\\''", "'\\\\'"] {
        if rest.starts_with(literal) {
            return [1, literal.len() - 2, 1];
        }
    }
    [rest.chars().next().map_or(0, char::len_utf8), 0, 0]
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn comments_and_literals_are_blanked() {
        for (text, expected) in [
            ("a // sleep(\nb", "a          \nb"),
            (r#"f("sleep(1)", "\"x")"#, r#"f("        ", "   ")"#),
            (r###"r#"a "b" c"# d"###, r###"r#"       "# d"###),
            ("br\"x\" 'a '\"' 'b", "br\" \" 'a ' ' 'b"),
            ("'\\'' \"é\n\" x", "'  ' \"  \n\" x"),
        ] {
            assert_eq!(code(text), expected);
        }
    }
}
