//! The fields of an object whose text is known to be JSON, found without reading what they hold.

use memchr::{memchr, memchr2};

/// The fields of an object, each as its key and the text of its value.
///
/// `None` stands for one that is written in another way than the CLI writes it, with a space or an escape: the rest is
/// then not looked at.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a>(Option<&'a str>);

impl<'a> Fields<'a> {
    /// `None` where the text is no object, or starts with a space.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let rest = text.strip_prefix('{')?;
        Some(Self(Some(rest).filter(|rest| *rest != "}")))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Option<(&'a str, &'a str)>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.0.take()?;
        let Some((key, value, rest)) = field(rest) else { return Some(None) };
        self.0 = rest;
        Some(Some((key, value)))
    }
}

/// What a string holds that is written without escapes.
pub(super) fn plain(value: &str) -> Option<&str> {
    let held = value.strip_prefix('"')?.strip_suffix('"')?;
    memchr(b'\\', held.as_bytes()).is_none().then_some(held)
}

/// The first field, and what is behind its comma.
fn field(text: &str) -> Option<(&str, &str, Option<&str>)> {
    let key = text.strip_prefix('"')?;
    let end = memchr(b'"', key.as_bytes())?;
    let (key, rest) = (key.get(..end)?, key.get(end + 1..)?);
    if memchr(b'\\', key.as_bytes()).is_some() {
        return None;
    }
    let value = rest.strip_prefix(':')?;
    let end = end_of(value.as_bytes())?;
    let (value, rest) = (value.get(..end)?, value.get(end..)?);
    match rest.as_bytes().first()? {
        b',' => Some((key, value, rest.get(1..))),
        // What is behind an object is not its own.
        b'}' => (rest.len() == 1).then_some((key, value, None)),
        _ => None,
    }
}

/// Where the first value ends.
fn end_of(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'"' => at = end_of_string(text, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' | b',' if depth == 0 => return (at > 0).then_some(at),
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return None,
            _ => at += 1,
        }
    }
}

/// Where the string that starts at `at` ends.
fn end_of_string(text: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        match text.get(at)? {
            b'"' => return Some(at + 1),
            // Whatever is escaped, it is not the end.
            _ => at += 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fields, plain};

    fn check(text: &str, expected: &[Option<(&str, &str)>]) {
        // What is no JSON is never asked about.
        assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{text}");
        let fields: Vec<_> = Fields::of(text).into_iter().flatten().collect();
        assert_eq!(fields, expected, "{text}");
    }

    #[test]
    fn fields_are_found_whatever_they_hold() {
        check("{}", &[]);
        check("[]", &[]);
        check(" {}", &[]);
        check(
            r#"{"a":1,"b":"x\\","c":{"d":"}\"]","e":[{}, 1]},"":[],"é":-1.5e3,"n":null}"#,
            &[
                Some(("a", "1")),
                Some(("b", r#""x\\""#)),
                Some(("c", r#"{"d":"}\"]","e":[{}, 1]}"#)),
                Some(("", "[]")),
                Some(("é", "-1.5e3")),
                Some(("n", "null")),
            ],
        );
        // As no CLI writes it.
        check(r#"{ "a":1}"#, &[None]);
        check(r#"{"a" :1}"#, &[None]);
        check(r#"{"a": 1}"#, &[None]);
        check(r#"{"a":1 }"#, &[None]);
        check(r#"{"a":{} }"#, &[None]);
        check(r#"{"a":1, "b":2}"#, &[Some(("a", "1")), None]);
        check(r#"{"\u0061":1}"#, &[None]);
        check(r#"{"a\"b":1}"#, &[None]);
        check(r#"{"a":1} "#, &[None]);
    }

    #[test]
    fn a_string_without_escapes_is_what_it_holds() {
        assert_eq!(plain(r#""a b""#), Some("a b"));
        assert_eq!(plain(r#""""#), Some(""));
        assert_eq!(plain(r#""a\"b""#), None);
        assert_eq!(plain("1"), None);
    }
}
