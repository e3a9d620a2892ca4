//! Late tags moved to the front of their objects, so that a text can be read in order.

use super::scan::{Token, TokenKind, tokens};
use crate::json;

/// A text with insertions, and where they stand.
#[derive(Debug)]
pub(super) struct Hoisted {
    pub(super) text: String,
    insertions: Vec<Insertion>,
}

/// A field that was moved to the front of its object.
#[derive(Debug)]
struct Insertion {
    /// Where it is put, as an offset in the original.
    at: usize,
    length: usize,
    /// The length of its name, with what stands between it and the value.
    name: usize,
    /// Where its value stands in the original.
    value: (usize, usize),
}

impl Hoisted {
    /// The offset in the original text; that of a moved name is the place behind its object's brace.
    pub(super) fn original(&self, offset: usize) -> usize {
        let mut inserted = 0;
        for insertion in &self.insertions {
            let within = offset.saturating_sub(insertion.at + inserted);
            if within == 0 {
                break;
            }
            if within <= insertion.name || within == insertion.length {
                return insertion.at;
            }
            if within < insertion.length {
                let (from, to) = insertion.value;
                return (from + within - insertion.name).min(to);
            }
            inserted += insertion.length;
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
    // The first stands for what is around the text, and stays.
    let mut stack = vec![Object::new(0)];
    for token in tokens(text) {
        let outermost = stack.len() == 1;
        let Some(object) = stack.last_mut() else { break };
        match token.kind {
            TokenKind::OpenObject => {
                object.value(text, token);
                stack.push(Object::new(token.to));
            }
            TokenKind::OpenArray => {
                object.value(text, token);
                object.arrays += 1;
            }
            TokenKind::Close if object.arrays > 0 => object.arrays -= 1,
            TokenKind::Close if outermost => {}
            TokenKind::Close => late.extend(stack.pop().and_then(Object::late)),
            _ if object.arrays > 0 => {}
            TokenKind::Scalar if object.in_value => object.value(text, token),
            TokenKind::Scalar => object.name = (token.from, token.to),
            TokenKind::Colon => object.in_value = true,
            TokenKind::Comma => {
                object.in_value = false;
                object.fields += 1;
            }
        }
    }
    (!late.is_empty()).then(|| rewrite(text, late))
}

/// Whether late fields of that name are moved.
pub(crate) const fn is_tag(name: &str) -> bool {
    let mut index = 0;
    while index < TAGS.len() {
        if same(TAGS[index].as_bytes(), name.as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

/// `==`, which can't be had at compile time.
const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
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
        for (tag, Field { value: (from, to), .. }) in &object.tags {
            let before = hoisted.text.len();
            hoisted.text.extend(["\"", tag, "\":"]);
            let name = hoisted.text.len() - before;
            hoisted.text.extend([&text[*from..*to], ","]);
            let length = hoisted.text.len() - before;
            hoisted.insertions.push(Insertion { at: object.start, length, name, value: (*from, *to) });
        }
        done = object.start;
    }
    hoisted.text.push_str(&blotted[done..]);
    hoisted
}

/// An object that the walk is in.
struct Object {
    start: usize,
    /// How many lists are open within it.
    arrays: usize,
    in_value: bool,
    /// How many fields lie behind.
    fields: usize,
    name: (usize, usize),
    /// The first field of each tag's name.
    tags: Vec<Found>,
}

/// The first field of a tag's name.
struct Found {
    tag: usize,
    /// How many fields come before it.
    before: usize,
    /// `None` where its value is no string: it tells no kind, and none that comes later does.
    field: Option<Field>,
}

impl Object {
    fn new(start: usize) -> Self {
        Self { start, arrays: 0, in_value: false, fields: 0, name: (0, 0), tags: Vec::new() }
    }

    /// A value begins.
    fn value(&mut self, text: &str, Token { from, to, .. }: Token) {
        if self.arrays > 0 || !self.in_value {
            return;
        }
        if let Some(tag) = tag_index(&text[self.name.0..self.name.1])
            && self.tags.iter().all(|found| found.tag != tag)
        {
            let field = text[from..].starts_with('"').then_some(Field { name: self.name, value: (from, to) });
            self.tags.push(Found { tag, before: self.fields, field });
        }
    }

    /// `None` where the tags stand in front, in their order.
    fn late(mut self) -> Option<Late> {
        self.tags.sort_unstable_by_key(|found| found.tag);
        self.tags.retain(|found| found.field.is_some());
        if self.tags.iter().enumerate().all(|(index, found)| found.before == index) {
            return None;
        }
        let tags = self.tags.into_iter().filter_map(|found| Some((TAGS[found.tag], found.field?)));
        Some(Late { start: self.start, tags: tags.collect() })
    }
}

/// Which tag a name is, also where it is written with escapes.
fn tag_index(name: &str) -> Option<usize> {
    let name: std::borrow::Cow<'_, str> = match name.strip_prefix('"')?.strip_suffix('"')? {
        plain if !plain.contains('\\') => plain.into(),
        _ => json::from_str::<String>(name).ok()?.into(),
    };
    TAGS.iter().position(|tag| *tag == name)
}

/// The fields that tell the kinds of this protocol's unions apart, outermost first.
const TAGS: [&str; 5] = ["type", "subtype", "behavior", "kind", "hook_event_name"];

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
        assert_eq!(hoisted.original(5), 1, "in a moved name");
        assert_eq!(hoisted.original(11), text.rfind("\"}").unwrap() + 1, "behind a moved value");
    }

    #[test]
    fn a_text_with_its_tags_in_front_is_left_alone() {
        for text in [r#"{"type":"r","subtype":"s","a":1}"#, r#"{"a":1,"type":5}"#, "[1,{\"type\":", "", "}]"]
        {
            assert!(hoist(text).is_none(), "{text}");
        }
    }
}
