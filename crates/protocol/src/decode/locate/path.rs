//! The path to a value, such as `message.content[2].input`.

use super::scan::{TokenKind, tokens};
use crate::decode::excerpt;

/// The path to the innermost value that `offset` lies in or right behind; empty for the whole text.
///
/// A long path is cut, and so is a long name in it: both come from the peer.
pub(super) fn path_at(text: &str, offset: usize) -> String {
    let mut steps: Vec<Step> = Vec::new();
    for token in tokens(text).take_while(|token| token.from < offset) {
        match (token.kind, steps.last_mut()) {
            (TokenKind::OpenObject, _) => steps.push(Step::Object { key: None, in_value: false }),
            (TokenKind::OpenArray, _) => steps.push(Step::Array { index: 0 }),
            (TokenKind::Close, _) => {
                steps.pop();
            }
            (TokenKind::Scalar, Some(Step::Object { key, in_value: false })) => {
                *key = Some((token.from, token.to));
            }
            (TokenKind::Colon, Some(Step::Object { in_value, .. })) => *in_value = true,
            (TokenKind::Comma, Some(Step::Object { in_value, .. })) => *in_value = false,
            (TokenKind::Comma, Some(Step::Array { index })) => *index += 1,
            (TokenKind::Scalar | TokenKind::Colon | TokenKind::Comma, _) => {}
        }
    }
    let mut path = String::new();
    for step in steps {
        if path.len() > MAX_PATH {
            path.push('…');
            break;
        }
        step.write(text, &mut path);
    }
    path
}

/// Where the walk stands in one container.
enum Step {
    Object { key: Option<(usize, usize)>, in_value: bool },
    Array { index: usize },
}

impl Step {
    fn write(&self, text: &str, path: &mut String) {
        match self {
            Self::Array { index } => path.push_str(&format!("[{index}]")),
            Self::Object { key: Some((from, to)), in_value: true } => {
                if !path.is_empty() {
                    path.push('.');
                }
                let name = &text[*from..*to];
                let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
                path.push_str(&excerpt(name, MAX_NAME));
            }
            // The fault is the object's own, or lies in a name.
            Self::Object { .. } => {}
        }
    }
}

/// The longest path, in bytes, give or take one step.
const MAX_PATH: usize = 200;

/// The longest name in a path, in bytes.
const MAX_NAME: usize = 60;

#[cfg(test)]
mod tests {
    use super::{MAX_PATH, path_at};

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
            (r#""e""#, ""),
        ] {
            // One past the value's first byte, as the parser reports it.
            let offset = text.find(needle).unwrap() + 1;
            assert_eq!(path_at(text, offset), path, "{needle}");
        }
        assert_eq!(path_at(text, text.len()), "");
        assert_eq!(path_at("", 0), "");
        assert_eq!(path_at(r#"{"a":{"b":"cut"#, 14), "a.b");
    }

    #[test]
    fn neither_depth_nor_a_long_name_makes_a_long_path() {
        for text in ["[".repeat(100_000), format!(r#"{{"{}":"#, "ä".repeat(100_000)), r#"{"a":"#.repeat(9999)]
        {
            let path = path_at(&text, text.len());
            assert!(path.len() < 2 * MAX_PATH && path.contains('…'), "{path}");
        }
    }
}
