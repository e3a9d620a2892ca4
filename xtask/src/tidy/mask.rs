//! Rust source with comments and the insides of literals blanked, so that rules see code and nothing else.

/// The same text, of the same lines, with a space for each byte that is no code.
pub(super) fn code(text: &str) -> String {
    let mut mask = Mask { bytes: text.as_bytes(), at: 0, out: Vec::with_capacity(text.len()) };
    while mask.at < mask.bytes.len() {
        mask.step();
    }
    String::from_utf8_lossy(&mask.out).into_owned()
}

struct Mask<'a> {
    bytes: &'a [u8],
    at: usize,
    out: Vec<u8>,
}

impl Mask<'_> {
    fn step(&mut self) {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(b"//") {
            self.blank(rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()));
        } else if rest.starts_with(b"/*") {
            self.blank(block_comment(rest));
        } else if let Some(hashes) = raw_string(rest).filter(|_| !self.in_a_word()) {
            let open = rest.iter().position(|byte| *byte == b'"').unwrap_or(0) + 1;
            let close = [&b"\""[..], &b"#".repeat(hashes)].concat();
            self.keep(open);
            self.literal(find(&rest[open..], &close), close.len());
        } else if rest[0] == b'"' {
            self.keep(1);
            self.literal(plain_string(&rest[1..]), 1);
        } else if let Some(inside) = char_literal(rest) {
            self.keep(1);
            self.literal(inside, 1);
        } else {
            self.keep(1);
        }
    }

    fn in_a_word(&self) -> bool {
        self.out.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    }

    fn literal(&mut self, inside: usize, close: usize) {
        self.blank(inside);
        self.keep(close);
    }

    fn keep(&mut self, count: usize) {
        let end = (self.at + count).min(self.bytes.len());
        self.out.extend_from_slice(&self.bytes[self.at..end]);
        self.at = end;
    }

    fn blank(&mut self, count: usize) {
        let end = (self.at + count).min(self.bytes.len());
        let blanks = self.bytes[self.at..end].iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' });
        self.out.extend(blanks);
        self.at = end;
    }
}

/// The length of a block comment; one may hold others.
fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
        } else {
            at += 1;
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The number of `#` where a raw string begins: `r"`, `br##"`, `cr#"`.
fn raw_string(rest: &[u8]) -> Option<usize> {
    let after =
        rest.strip_prefix(b"r").or_else(|| rest.strip_prefix(b"br")).or_else(|| rest.strip_prefix(b"cr"))?;
    let hashes = after.iter().take_while(|byte| **byte == b'#').count();
    (after.get(hashes) == Some(&b'"')).then_some(hashes)
}

/// The length of what stands before the closing quote.
fn plain_string(inside: &[u8]) -> usize {
    let mut at = 0;
    while at < inside.len() && inside[at] != b'"' {
        at += if inside[at] == b'\\' { 2 } else { 1 };
    }
    at.min(inside.len())
}

/// The length of what stands in a character literal; `None` for a lifetime or anything else.
fn char_literal(rest: &[u8]) -> Option<usize> {
    let inside = rest.strip_prefix(b"'")?;
    if inside.first() == Some(&b'\\') {
        let close = inside.get(2..)?.iter().position(|byte| *byte == b'\'')?;
        return Some(2 + close);
    }
    let length = std::str::from_utf8(inside.get(..4.min(inside.len()))?)
        .map_or_else(|error| error.valid_up_to(), str::len);
    let first = std::str::from_utf8(&inside[..length]).ok()?.chars().next()?.len_utf8();
    (inside.get(first) == Some(&b'\'')).then_some(first)
}

fn find(text: &[u8], what: &[u8]) -> usize {
    text.windows(what.len()).position(|window| window == what).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::code;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(code(text), expect);
        assert_eq!(code(text).lines().count(), text.lines().count());
    }

    #[test]
    fn comments_and_literals_go_and_code_stays() {
        check("a // sleep(\nb", "a          \nb");
        check("a /* b /* c */ d */ e", "a                   e");
        check(r#"f("sleep(1)", "\"x")"#, r#"f("        ", "   ")"#);
        check(r###"r#"a "b" c"# d"###, r###"r#"       "# d"###);
        check("br\"x\" b\"y\"", "br\" \" b\" \"");
        check("for\"x\"", "for\" \"");
        check("'\"' + '\\'' + 'x'", "' ' + '  ' + ' '");
        check("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}");
        check("'\\u{1F600}' '€' x", "'         ' '   ' x");
    }

    #[test]
    fn what_does_not_end_does_no_harm() {
        check("a \"b\nc", "a \" \n ");
        check("/* /* */", "        ");
        check("r#\"a\"", "r#\"  ");
        check("\"\\", "\" ");
    }
}
