//! Finds string fields by name in part of a session's file; its first and last lines may be incomplete.

use agentwire_protocol::RawJson;
use memchr::memmem;

use crate::entry::last;

/// A field to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    CustomTitle,
    AiTitle,
    LastPrompt,
    Summary,
    GitBranch,
    Cwd,
    Timestamp,
    Tag,
    Entrypoint,
    SessionKind,
}

/// The first and the last string of each field in a text, found in one pass.
///
/// As in the reference SDK for Python, a field is found at any depth, also inside a tool's input, and values without a
/// space after the colon count before those with a space.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    text: &'a [u8],
    found: [Found<'a>; NAMES.len()],
}

/// The values of one field without and with a space after the colon, still escaped.
#[derive(Clone, Copy, Debug, Default)]
struct Found<'a> {
    first: [Option<&'a [u8]>; 2],
    last: [Option<&'a [u8]>; 2],
}

impl<'a> Fields<'a> {
    /// Searches the text.
    pub(crate) fn of(text: &'a [u8]) -> Self {
        let mut found = [Found::default(); NAMES.len()];
        let mut at = 0;
        while let Some(quote) = memchr::memchr(b'"', &text[at..]) {
            at += quote + 1;
            let Some((field, space, value)) = field_at(&text[at..]) else { continue };
            at += value;
            let Some(end) = end_of_string(&text[at..]) else { continue };
            let (value, found) = (Some(&text[at..at + end]), &mut found[field]);
            found.first[space] = found.first[space].or(value);
            found.last[space] = value;
            at += end + 1;
        }
        Self { text, found }
    }

    /// Returns the first value, unless it is empty.
    pub(crate) fn first(&self, field: Field) -> Option<String> {
        let [plain, spaced] = self.found[field as usize].first;
        plain.or(spaced).map(unescaped).filter(|text| !text.is_empty())
    }

    /// Returns whether the field is present with any value.
    pub(crate) fn has(&self, field: Field) -> bool {
        self.found[field as usize].last.iter().any(Option::is_some)
    }

    /// Returns the last value, unless it is empty.
    pub(crate) fn last(&self, field: Field) -> Option<String> {
        let [plain, spaced] = self.found[field as usize].last;
        spaced.or(plain).map(unescaped).filter(|text| !text.is_empty())
    }

    /// Returns the last value that is not inside of another field, unless it is empty.
    pub(crate) fn last_own(&self, field: Field) -> Option<String> {
        self.last_set(field).filter(|text| !text.is_empty())
    }

    /// Returns the last value that is not inside of another field; it may be empty.
    ///
    /// In an incomplete line a value counts at any depth.
    pub(crate) fn last_set(&self, field: Field) -> Option<String> {
        if !self.has(field) {
            return None;
        }
        let name = NAMES[field as usize];
        let marks: Vec<_> = memmem::find_iter(self.text, &format!("\"{name}\":")).collect();
        let mut start = self.text.len();
        for at in marks.into_iter().rev() {
            // A line may contain the name many times.
            if at >= start {
                continue;
            }
            start = memchr::memrchr(b'\n', &self.text[..at]).map_or(0, |end| end + 1);
            let end = memchr::memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |end| at + end);
            if let Some(value) = own(&self.text[start..end], field) {
                return Some(value);
            }
        }
        None
    }
}

/// Returns the value of a line's own field; of an incomplete line, the last one at any depth.
fn own(line: &[u8], field: Field) -> Option<String> {
    match agentwire_protocol::decode::decode::<RawJson>(&String::from_utf8_lossy(line)) {
        Ok(entry) => {
            let [value] = last(&entry, [NAMES[field as usize]])?;
            value?.decode().ok()
        }
        Err(_) => Fields::of(line).last(field),
    }
}

/// Returns the field with its name at the start of the text, whether a space precedes the value, and where the value
/// starts.
fn field_at(text: &[u8]) -> Option<(usize, usize, usize)> {
    // Skips most quotes quickly.
    if !matches!(text.first()?, b'c' | b'a' | b'l' | b's' | b'g' | b't' | b'e') {
        return None;
    }
    NAMES.iter().enumerate().find_map(|(field, name)| {
        let rest = text.strip_prefix(name.as_bytes())?.strip_prefix(b"\":")?;
        match rest {
            [b'"', ..] => Some((field, 0, name.len() + 3)),
            [b' ', b'"', ..] => Some((field, 1, name.len() + 4)),
            _ => None,
        }
    })
}

/// Returns the end of a string that starts here.
fn end_of_string(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Unescapes the inside of a string; returns it unchanged if it is invalid.
fn unescaped(inside: &[u8]) -> String {
    let inside = String::from_utf8_lossy(inside).into_owned();
    if !inside.contains('\\') {
        return inside;
    }
    agentwire_protocol::decode::decode(&format!("\"{inside}\"")).unwrap_or(inside)
}

/// In the order of [`Field`].
const NAMES: [&str; 10] = [
    "customTitle",
    "aiTitle",
    "lastPrompt",
    "summary",
    "gitBranch",
    "cwd",
    "timestamp",
    "tag",
    "entrypoint",
    "sessionKind",
];

#[cfg(test)]
mod tests {
    use super::{Field, Fields};

    #[test]
    fn the_first_and_the_last_string_of_a_name_are_found() {
        let text =
            br#"cut","cwd":1,"cwd":"a\n\"b","cwd":"c"} {"tag": "spaced","tag":"plain","cwd":"cut off\"#;
        let fields = Fields::of(text);
        assert_eq!(fields.first(Field::Cwd).unwrap(), "a\n\"b");
        assert_eq!(fields.last(Field::Cwd).unwrap(), "c");
        assert_eq!(fields.first(Field::Tag).unwrap(), "plain");
        assert_eq!(fields.last(Field::Tag).unwrap(), "spaced");
        assert_eq!(fields.last(Field::Summary), None);
    }

    #[test]
    fn a_value_inside_of_another_field_is_not_a_field_of_the_line() {
        let text = concat!(
            "cut\",\"input\":{\"aiTitle\":\"at any depth\"}}\n",
            "{\"summary\":\"own\",\"customTitle\":\"named\"}\n",
            "{\"input\":{\"summary\":\"inside\",\"list\":[{\"summary\":\"twice\"}]},\"customTitle\":1}\n",
            "{\"input\":{\"lastPrompt\":\"inside\",\"aiTitle\":\"inside\"}}\n",
        );
        let fields = Fields::of(text.as_bytes());
        assert_eq!(fields.last_own(Field::Summary).unwrap(), "own");
        assert_eq!(fields.last_own(Field::CustomTitle).unwrap(), "named");
        assert_eq!(fields.last_own(Field::AiTitle).unwrap(), "at any depth");
        assert_eq!((fields.last_own(Field::LastPrompt), fields.last_own(Field::Tag)), (None, None));
        assert_eq!(fields.last(Field::LastPrompt).unwrap(), "inside");
    }

    #[test]
    fn invalid_strings_do_not_affect_other_fields() {
        let text = b"{\"summary\":\"\xff\",\"aiTitle\":\"\\q\",\"customTitle\":\"\"}";
        let fields = Fields::of(text);
        assert_eq!(fields.last(Field::Summary).unwrap(), "\u{fffd}");
        assert_eq!(fields.last(Field::AiTitle).unwrap(), "\\q");
        assert_eq!(fields.last(Field::CustomTitle), None);
    }
}
