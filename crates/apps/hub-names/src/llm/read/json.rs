//! Calls in the bare JSON form.

use std::{fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value, value::RawValue};

use super::{Step, TextCall, Why, line_length};

/// Reads at the start of a line.
pub(super) fn step(text: &str) -> Step {
    match text.as_bytes().first() {
        Some(b'{') => objects(text),
        Some(b'[') if !is_link(text) => array(text),
        _ => Step::line(text),
    }
}

/// Reads objects that share lines.
fn objects(text: &str) -> Step {
    let mut found: Vec<(Range<usize>, Result<TextCall, Why>)> = Vec::new();
    let (mut at, mut line_end) = (0, 0);
    loop {
        let rest = &text[at..];
        let mut read = serde_json::Deserializer::from_str(rest).into_iter::<Entries>();
        let (call, length) = match read.next() {
            Some(Ok(entries)) => (entries.meant_as_call().then(|| entries.call()), read.byte_offset()),
            Some(Err(error)) => {
                found.iter_mut().for_each(|(_, call)| *call = Err(Why::NotAlone));
                return broken(rest, &error).behind(at, found);
            }
            None => return Step::line(rest).behind(at, found),
        };
        if let Some(call) = call {
            found.push((at..at + length, call));
        }
        at += length;
        if at >= line_end {
            // Once for each line, since a line may have many objects.
            line_end = at + line_length(&text[at..]);
        }
        let line = &text[at..line_end];
        let left = line.trim_start();
        if !left.starts_with('{') {
            if !left.is_empty() {
                found.iter_mut().for_each(|(_, call)| *call = Err(Why::NotAlone));
            }
            return Step { found, length: at + line.len() };
        }
        at += line.len() - left.len();
    }
}

/// Skips an array, which is data. An array of calls is reported.
fn array(text: &str) -> Step {
    let mut read = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match read.next() {
        None => Step::line(text),
        Some(Err(error)) => broken(text, &error),
        Some(Ok(_)) => {
            let end = read.byte_offset();
            let calls = serde_json::from_str::<Vec<Entries>>(&text[..end]).unwrap_or_default();
            let listed = !calls.is_empty() && calls.iter().all(Entries::meant_as_call);
            let found = if listed { vec![(0..end, Err(Why::Listed))] } else { Vec::new() };
            Step { found, length: end + line_length(&text[end..]) }
        }
    }
}

/// Returns whether the text starts with a link of Markdown, which is not an array.
fn is_link(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let label = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    // A string of JSON may contain anything.
    label.is_some_and(|(label, rest)| !label.contains(['[', '"']) && rest.starts_with('('))
}

/// Handles text that starts like JSON and is invalid.
fn broken(text: &str, error: &serde_json::Error) -> Step {
    let why = if error.is_eof() { Why::Unfinished } else { Why::Json(error.to_string()) };
    if starts_as_call(text) {
        return Step { found: vec![(0..text.len(), Err(why))], length: text.len() };
    }
    // JSON data contains no calls, so skip to its certain end.
    let length = closed(text).map_or(text.len(), |end| end + line_length(&text[end..]));
    Step { found: Vec::new(), length }
}

/// Returns the certain end of the bracket at the start. Comments and strings of other languages could contain further
/// brackets, so these end the search.
fn closed(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut chars = text.char_indices();
    let mut before = ' ';
    while let Some((at, char)) = chars.next() {
        match char {
            '[' => open.push(']'),
            '{' => open.push('}'),
            ']' | '}' => {
                if open.pop() != Some(char) {
                    return None;
                }
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            '"' => loop {
                match chars.next()?.1 {
                    '"' => break,
                    '\\' => drop(chars.next()?),
                    '\n' => return None,
                    _ => {}
                }
            },
            '`' | '#' => return None,
            '\'' if !before.is_alphanumeric() => return None,
            '/' | '*' if before == '/' => return None,
            _ => {}
        }
        before = char;
    }
    None
}

/// Returns whether an object begins with a key of a call.
fn starts_as_call(text: &str) -> bool {
    let key = text.strip_prefix('{').and_then(|rest| rest.trim_start().strip_prefix('"'));
    let key = key.and_then(|rest| rest.split_once('"'));
    key.is_some_and(|(key, rest)| KEYS.contains(&key) && rest.trim_start().starts_with(':'))
}

impl Step {
    /// Moves a step after earlier findings.
    fn behind(self, at: usize, mut found: Vec<(Range<usize>, Result<TextCall, Why>)>) -> Self {
        found.extend(self.found.into_iter().map(|(span, call)| (at + span.start..at + span.end, call)));
        Self { found, length: at + self.length }
    }
}

/// The members of an object, including duplicate keys.
struct Entries(Vec<(String, Box<RawValue>)>);

impl Entries {
    /// Returns whether it has a tool and only keys of a call, including wrong names for them.
    fn meant_as_call(&self) -> bool {
        let meant = |key: &str| KEYS.contains(&key) || NEARLY.contains(&key);
        self.0.iter().any(|(key, value)| key == TOOL && value.get().starts_with('"'))
            && self.0.iter().all(|(key, _)| meant(key))
    }

    fn call(&self) -> Result<TextCall, Why> {
        if let Some((key, _)) = self.0.iter().find(|(key, _)| NEARLY.contains(&key.as_str())) {
            return Err(Why::Stray(key.clone()));
        }
        let text = |key| self.value::<String>(key, "text");
        let arguments = self.value::<Map<String, Value>>(ARGUMENTS, "JSON object")?;
        Ok(TextCall::Tool {
            server: text(SERVER)?,
            tool: text(TOOL)?.filter(|tool| !tool.is_empty()).ok_or(Why::Missing(TOOL))?,
            arguments: arguments.ok_or(Why::Missing(ARGUMENTS))?,
        })
    }

    fn value<'a, T: Deserialize<'a>>(
        &'a self,
        key: &'static str,
        what: &'static str,
    ) -> Result<Option<T>, Why> {
        let mut values = self.0.iter().filter(|(name, _)| name == key).map(|(_, value)| value);
        match (values.next(), values.next()) {
            (None, _) => Ok(None),
            (Some(value), None) => match serde_json::from_str(value.get()) {
                Ok(value) => Ok(Some(value)),
                Err(error) if error.is_data() => Err(Why::NotA(key, what)),
                Err(error) => Err(Why::Json(error.to_string())),
            },
            (Some(_), Some(_)) => Err(Why::Repeated(key)),
        }
    }
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Entries, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

const TOOL: &str = "tool";
const ARGUMENTS: &str = "arguments";
const SERVER: &str = "server";
const KEYS: &[&str] = &[TOOL, ARGUMENTS, SERVER];
/// Keys that models use for `arguments` or `server` by mistake.
const NEARLY: &[&str] = &["args", "input", "parameters", "params", "server_name"];
