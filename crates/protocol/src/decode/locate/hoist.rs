//! Copies of late tags, put at the front of their objects.

use super::scan::{Token, tokens};

/// A text with insertions, and where they stand.
#[derive(Debug)]
pub(super) struct Hoisted {
    pub(super) text: String,
    /// Offset in the original, and length, of each insertion, in order.
    insertions: Vec<(usize, usize)>,
}

impl Hoisted {
    /// The offset in the original text.
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
pub(super) fn hoist(text: &str) -> Option<Hoisted> {
    let mut insertions: Vec<(usize, String)> = Vec::new();
    let mut stack: Vec<Object> = Vec::new();
    for token in tokens(text) {
        match token {
            Token::Open { at, object } => stack.push(Object::new(at + 1, object)),
            Token::Close { .. } => insertions.extend(stack.pop().and_then(|object| object.insertion(text))),
            Token::Scalar { from, to } => {
                if let Some(object) = stack.last_mut() {
                    object.scalar(text, from, to);
                }
            }
            Token::Colon => {
                stack.iter_mut().next_back().into_iter().for_each(|object| object.in_value = true)
            }
            Token::Comma => stack.iter_mut().next_back().into_iter().for_each(Object::next),
        }
    }
    if insertions.is_empty() {
        return None;
    }
    insertions.sort_by_key(|(at, _)| *at);
    Some(insert(text, &insertions))
}

fn insert(text: &str, insertions: &[(usize, String)]) -> Hoisted {
    let mut hoisted = String::with_capacity(text.len() + 64);
    let mut done = 0;
    for (at, inserted) in insertions {
        hoisted.push_str(&text[done..*at]);
        hoisted.push_str(inserted);
        done = *at;
    }
    hoisted.push_str(&text[done..]);
    let insertions = insertions.iter().map(|(at, inserted)| (*at, inserted.len())).collect();
    Hoisted { text: hoisted, insertions }
}

/// An object that the walk is in, or an array.
struct Object {
    start: usize,
    object: bool,
    in_value: bool,
    fields: usize,
    key: (usize, usize),
    /// The values of the tag fields, with the number of fields before each.
    tags: [Option<(usize, (usize, usize))>; TAGS.len()],
}

impl Object {
    fn new(start: usize, object: bool) -> Self {
        Self { start, object, in_value: false, fields: 0, key: (0, 0), tags: [None; TAGS.len()] }
    }

    fn next(&mut self) {
        self.in_value = false;
        self.fields += 1;
    }

    fn scalar(&mut self, text: &str, from: usize, to: usize) {
        if !self.in_value {
            self.key = (from, to);
        } else if self.object
            && text[from..].starts_with('"')
            && let Some(index) = TAGS.iter().position(|tag| &text[self.key.0..self.key.1] == *tag)
        {
            self.tags[index].get_or_insert((self.fields, (from, to)));
        }
    }

    /// The copies that this object needs at its front.
    fn insertion(&self, text: &str) -> Option<(usize, String)> {
        let found =
            || TAGS.iter().zip(&self.tags).filter_map(|(tag, found)| found.map(|found| (*tag, found)));
        if found().enumerate().all(|(index, (_, (before, _)))| before == index) {
            return None;
        }
        let copies = found().map(|(tag, (_, (from, to)))| format!("{tag}:{},", &text[from..to])).collect();
        Some((self.start, copies))
    }
}

/// The fields that tell the kinds of this protocol's unions apart, outermost first, as they are written.
const TAGS: [&str; 2] = ["\"type\"", "\"subtype\""];

#[cfg(test)]
mod tests {
    use super::hoist;

    #[test]
    fn late_tags_are_copied_and_offsets_count_back() {
        let text = r#"{"a":[{"x":1,"type":"t"}],"subtype":"s","type":"r"}"#;
        let hoisted = hoist(text).unwrap();
        assert_eq!(
            hoisted.text,
            r#"{"type":"r","subtype":"s","a":[{"type":"t","x":1,"type":"t"}],"subtype":"s","type":"r"}"#
        );
        for needle in ["\"a\"", "1,", "\"r\"}"] {
            let there = hoisted.text.rfind(needle).unwrap();
            assert_eq!(hoisted.original(there), text.rfind(needle).unwrap(), "{needle}");
        }
        assert!(hoist(r#"{"type":"r","subtype":"s","a":1}"#).is_none());
        assert!(hoist("[1,{\"type\":").is_none());
    }
}
