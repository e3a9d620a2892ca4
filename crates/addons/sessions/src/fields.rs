//! Finds string fields by name in part of a session's file; its first and last lines may be incomplete.

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
/// As in the published Python SDK, a field is found at any depth, also inside a tool's input, and values without a
/// space after the colon count before those with a space.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
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
        Self { found }
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
    fn invalid_strings_do_not_affect_other_fields() {
        let text = b"{\"summary\":\"\xff\",\"aiTitle\":\"\\q\",\"customTitle\":\"\"}";
        let fields = Fields::of(text);
        assert_eq!(fields.last(Field::Summary).unwrap(), "\u{fffd}");
        assert_eq!(fields.last(Field::AiTitle).unwrap(), "\\q");
        assert_eq!(fields.last(Field::CustomTitle), None);
    }
}
