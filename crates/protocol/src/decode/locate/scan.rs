//! A walk over JSON text by its tokens, tolerant of a text that breaks off.

/// What the walk meets, with byte offsets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    /// `{` or `[`, at the offset.
    Open { at: usize, object: bool },
    /// `}` or `]`, at the offset.
    Close { at: usize },
    /// A string, number or word, from the first offset up to the second.
    Scalar { from: usize, to: usize },
    /// `:`.
    Colon,
    /// `,`.
    Comma,
}

/// The tokens of `text`, as far as it goes.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        let from = at;
        let token = match *bytes.get(at)? {
            byte @ (b'{' | b'[') => Token::Open { at, object: byte == b'{' },
            b'}' | b']' => Token::Close { at },
            b':' => Token::Colon,
            b',' => Token::Comma,
            b'"' => Token::Scalar { from, to: string_end(bytes, from) },
            _ => Token::Scalar { from, to: word_end(bytes, from) },
        };
        at = if let Token::Scalar { to, .. } = token { to } else { at + 1 };
        Some(token)
    })
}

/// The path to the innermost value that `offset` lies in or right behind, such as `a.b[2]`.
pub(super) fn path_at(text: &str, offset: usize) -> String {
    let mut stack: Vec<Step> = Vec::new();
    for token in tokens(text) {
        match token {
            Token::Open { at, .. } | Token::Scalar { from: at, .. } if at >= offset => break,
            Token::Open { object, .. } => stack.push(Step::new(object)),
            // An error at a closing bracket is the container's own.
            Token::Close { at } if at + 1 >= offset => {
                if let Some(step) = stack.last_mut() {
                    step.closed = true;
                }
                break;
            }
            Token::Close { .. } => {
                stack.pop();
            }
            Token::Scalar { from, to } => {
                if let Some(step) = stack.last_mut()
                    && step.object
                    && !step.in_value
                {
                    step.key = (from, to);
                }
            }
            Token::Colon => stack.iter_mut().next_back().into_iter().for_each(|step| step.in_value = true),
            Token::Comma => stack.iter_mut().next_back().into_iter().for_each(Step::next),
        }
    }
    let mut path = String::new();
    for step in stack.iter().filter(|step| !step.closed) {
        step.write(text, &mut path);
    }
    path
}

/// Where the walk stands in one container.
struct Step {
    object: bool,
    key: (usize, usize),
    in_value: bool,
    index: usize,
    closed: bool,
}

impl Step {
    fn new(object: bool) -> Self {
        Self { object, key: (0, 0), in_value: false, index: 0, closed: false }
    }

    fn next(&mut self) {
        self.in_value = false;
        self.index += 1;
    }

    fn write(&self, text: &str, path: &mut String) {
        if !self.object {
            path.push_str(&format!("[{}]", self.index));
        } else if self.in_value {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(text[self.key.0..self.key.1].trim_matches('"'));
        }
    }
}

fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    bytes.len()
}

/// The end of a number or word, at least one character on; characters of several bytes are kept whole.
fn word_end(bytes: &[u8], from: usize) -> usize {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"{}[]:,\"".contains(byte);
    bytes[from..].iter().position(ends).map_or(bytes.len(), |length| from + length.max(1))
}

#[cfg(test)]
mod tests {
    use super::path_at;

    #[test]
    fn the_path_names_the_value_at_the_offset() {
        let text = r#"{"a":1,"b":{"c":[10,{"d":"x"}]},"e":2}"#;
        for (needle, path) in [
            ("1,", "a"),
            ("10", "b.c[0]"),
            (r#""x""#, "b.c[1].d"),
            ("2}", "e"),
            ("}]", "b.c[1]"),
            ("]}", "b.c"),
        ] {
            // One past the value's first byte, as the parser reports it.
            let offset = text.find(needle).unwrap() + 1;
            assert_eq!(path_at(text, offset), path, "{needle}");
        }
        assert_eq!(path_at(text, text.len()), "");
        assert_eq!(path_at("", 0), "");
        assert_eq!(path_at(r#"{"a":{"b":"cut"#, 14), "a.b");
    }
}
