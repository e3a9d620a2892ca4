//! Late tags moved to the front of their objects, so that a text can be read in order.

use super::scan::{Token, TokenKind, tokens};

/// A text with insertions, and where they stand.
#[derive(Debug)]
pub(super) struct Hoisted {
    pub(super) text: String,
    /// Offset in the original, and length, of each insertion, in order.
    insertions: Vec<(usize, usize)>,
}

impl Hoisted {
    /// The offset in the original text; that of an insertion is the place behind its object's brace.
    pub(super) fn original(&self, offset: usize) -> usize {
        let mut inserted = 0;
        for &(at, length) in &self.insertions {
            if at + inserted >= offset {
                break;
            }
            if at + inserted + length >= offset {
                return at;
            }
            inserted += length;
        }
        offset - inserted
    }
}

/// `None` where every tag comes first already.
///
/// A tag's field is copied to the front, and in its old place its name is blotted out at the same length.
/// So nothing is there twice, and no offset but those behind an insertion changes.
pub(super) fn hoist(text: &str) -> Option<Hoisted> {
    let mut late: Vec<Late> = Vec::new();
    let mut stack: Vec<Container> = Vec::new();
    for token in tokens(text) {
        match (token.kind, stack.last_mut()) {
            (TokenKind::OpenObject, _) => stack.push(Container::new(token.to, true)),
            (TokenKind::OpenArray, _) => stack.push(Container::new(token.to, false)),
            (TokenKind::Close, _) => late.extend(stack.pop().and_then(Container::late)),
            (TokenKind::Scalar, Some(container)) => container.scalar(text, token),
            (TokenKind::Colon, Some(container)) => container.in_value = true,
            (TokenKind::Comma, Some(container)) => {
                container.in_value = false;
                container.fields += 1;
            }
            (TokenKind::Scalar | TokenKind::Colon | TokenKind::Comma, None) => {}
        }
    }
    (!late.is_empty()).then(|| rewrite(text, late))
}

/// An object whose tags come late.
struct Late {
    /// The offset behind its brace.
    start: usize,
    tags: Vec<(&'static str, Field)>,
}

/// A field's name and value, as offsets.
#[derive(Clone, Copy)]
struct Field {
    name: (usize, usize),
    value: (usize, usize),
}

fn rewrite(text: &str, mut late: Vec<Late>) -> Hoisted {
    late.sort_by_key(|object| object.start);
    let mut names: Vec<_> =
        late.iter().flat_map(|object| &object.tags).map(|(_, field)| field.name).collect();
    names.sort_unstable();
    let mut blotted = String::with_capacity(text.len());
    for (from, to) in names {
        blotted.push_str(&text[blotted.len()..from]);
        blotted.extend(["\"", &"_".repeat(to - from - 2), "\""]);
    }
    blotted.push_str(&text[blotted.len()..]);

    let mut hoisted = Hoisted { text: String::with_capacity(text.len() + 64), insertions: Vec::new() };
    let mut done = 0;
    for object in &late {
        hoisted.text.push_str(&blotted[done..object.start]);
        let before = hoisted.text.len();
        for (tag, Field { value: (from, to), .. }) in &object.tags {
            hoisted.text.extend(["\"", tag, "\":", &text[*from..*to], ","]);
        }
        hoisted.insertions.push((object.start, hoisted.text.len() - before));
        done = object.start;
    }
    hoisted.text.push_str(&blotted[done..]);
    hoisted
}

/// An object or array that the walk is in.
struct Container {
    start: usize,
    object: bool,
    in_value: bool,
    /// How many fields lie behind.
    fields: usize,
    name: (usize, usize),
    /// The tags found, each with the number of fields before it.
    tags: [Option<(usize, Field)>; TAGS.len()],
}

impl Container {
    fn new(start: usize, object: bool) -> Self {
        Self { start, object, in_value: false, fields: 0, name: (0, 0), tags: [None; TAGS.len()] }
    }

    fn scalar(&mut self, text: &str, Token { from, to, .. }: Token) {
        if !self.object {
            return;
        }
        if !self.in_value {
            self.name = (from, to);
        } else if text[from..].starts_with('"')
            && let Some(index) = tag_index(&text[self.name.0..self.name.1])
        {
            self.tags[index].get_or_insert((self.fields, Field { name: self.name, value: (from, to) }));
        }
    }

    /// `None` where the tags stand in front, in their order.
    fn late(self) -> Option<Late> {
        let found: Vec<_> =
            TAGS.iter().zip(self.tags).filter_map(|(tag, found)| Some((*tag, found?))).collect();
        if found.iter().enumerate().all(|(index, (_, (before, _)))| *before == index) {
            return None;
        }
        Some(Late {
            start: self.start,
            tags: found.into_iter().map(|(tag, (_, field))| (tag, field)).collect(),
        })
    }
}

/// Which tag a name is, also where it is written with escapes.
fn tag_index(name: &str) -> Option<usize> {
    let name: std::borrow::Cow<'_, str> = match name.strip_prefix('"')?.strip_suffix('"')? {
        plain if !plain.contains('\\') => plain.into(),
        _ => serde_json::from_str::<String>(name).ok()?.into(),
    };
    TAGS.iter().position(|tag| *tag == name)
}

/// The fields that tell the kinds of this protocol's unions apart, outermost first.
const TAGS: [&str; 3] = ["type", "subtype", "behavior"];

#[cfg(test)]
mod tests {
    use super::hoist;

    #[test]
    fn late_tags_are_moved_and_offsets_count_back() {
        let text = r#"{"a":[{"x":1,"type":"t"}],"subtype":"s","t\u0079pe":"r"}"#;
        let hoisted = hoist(text).unwrap();
        assert_eq!(
            hoisted.text,
            r#"{"type":"r","subtype":"s","a":[{"type":"t","x":1,"____":"t"}],"_______":"s","_________":"r"}"#
        );
        for needle in ["\"a\"", "1,", "\"r\"}", "}"] {
            let there = hoisted.text.rfind(needle).unwrap();
            assert_eq!(hoisted.original(there), text.rfind(needle).unwrap(), "{needle}");
        }
        assert_eq!(hoisted.original(5), 1, "inside an insertion");
    }

    #[test]
    fn a_text_with_its_tags_in_front_is_left_alone() {
        for text in [r#"{"type":"r","subtype":"s","a":1}"#, r#"{"a":1,"type":5}"#, "[1,{\"type\":", "", "}]"]
        {
            assert!(hoist(text).is_none(), "{text}");
        }
    }
}
