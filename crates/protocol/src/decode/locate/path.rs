//! The path to a value, such as `message.content[2].input`.

use super::scan::{TokenKind, tokens};
use crate::decode::excerpt;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Into the member of this name.
    Key(String),
    /// Into the element with this index.
    Index(usize),
}

/// Returns the path to the innermost value that contains `offset` or ends at it; empty for the whole text.
///
/// A path deeper than the limit is cut: no type of this crate is that deep.
pub(crate) fn path_at(text: &str, offset: usize) -> Vec<Step> {
    let mut steps: Vec<Open> = Vec::new();
    for token in tokens(text).take_while(|token| token.from < offset) {
        match (token.kind, steps.last_mut()) {
            (TokenKind::OpenObject, _) => steps.push(Open::Object { key: None, in_value: false }),
            (TokenKind::OpenArray, _) => steps.push(Open::Array { index: 0 }),
            (TokenKind::Close, _) => {
                steps.pop();
            }
            (TokenKind::Scalar, Some(Open::Object { key, in_value: false })) => {
                *key = Some((token.from, token.to));
            }
            (TokenKind::Colon, Some(Open::Object { in_value, .. })) => *in_value = true,
            (TokenKind::Comma, Some(Open::Object { in_value, .. })) => *in_value = false,
            (TokenKind::Comma, Some(Open::Array { index })) => *index += 1,
            (TokenKind::Scalar | TokenKind::Colon | TokenKind::Comma, _) => {}
        }
    }
    steps.into_iter().take(MAX_STEPS).filter_map(|open| open.step(text)).collect()
}

/// The position of the walk in one container.
enum Open {
    Object { key: Option<(usize, usize)>, in_value: bool },
    Array { index: usize },
}

impl Open {
    /// Returns `None` if the fault belongs to the object itself or lies in a name.
    fn step(self, text: &str) -> Option<Step> {
        match self {
            Self::Array { index } => Some(Step::Index(index)),
            Self::Object { key: Some((from, to)), in_value: true } => {
                let quoted = &text[from..to];
                let name =
                    serde_json::from_str(quoted).unwrap_or_else(|_| quoted.trim_matches('"').to_owned());
                Some(Step::Key(name))
            }
            Self::Object { .. } => None,
        }
    }
}

/// Formats a path. Long paths and long names in them are cut, since both come from the peer.
pub(crate) fn show(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        if path.len() > MAX_PATH {
            path.push('…');
            break;
        }
        match step {
            Step::Index(index) => path.push_str(&format!("[{index}]")),
            Step::Key(name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&excerpt(name, MAX_NAME));
            }
        }
    }
    path
}

/// The parser reads types only to a depth of 128.
const MAX_STEPS: usize = 256;

/// The maximum length of a formatted path in bytes, exceeded by at most one step.
const MAX_PATH: usize = 200;

/// The maximum length of a name in a path, in bytes.
const MAX_NAME: usize = 60;

#[cfg(test)]
mod tests {
    use super::{MAX_PATH, path_at, show};

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
            // serde_json reports the offset after the value's first byte.
            let offset = text.find(needle).unwrap() + 1;
            assert_eq!(show(&path_at(text, offset)), path, "{needle}");
        }
        assert_eq!(show(&path_at(text, text.len())), "");
        assert_eq!(show(&path_at("", 0)), "");
        assert_eq!(show(&path_at(r#"{"a":{"b":"cut"#, 14)), "a.b");
        assert_eq!(show(&path_at(r#"{"\u0061":1}"#, 11)), "a");
    }

    #[test]
    fn depth_and_long_names_do_not_make_a_long_path() {
        for text in ["[".repeat(100_000), format!(r#"{{"{}":"#, "ä".repeat(100_000)), r#"{"a":"#.repeat(9999)]
        {
            let path = show(&path_at(&text, text.len()));
            assert!(path.len() < 2 * MAX_PATH && path.contains('…'), "{path}");
        }
    }
}
