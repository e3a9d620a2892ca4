//! Reads the values of an object.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    time::Duration,
};

use jsonc_parser::{
    ast::{Object, ObjectProp, Value},
    common::Ranged,
};

use super::Report;
use crate::{ProblemKind, TextPosition, syntax};

/// Returns the properties of an object without duplicates. The last one counts, as in all programs that read these
/// files.
pub(super) fn unique<'v, 'a>(
    object: &'v Object<'a>,
    path: &str,
    report: &mut Report<'_>,
) -> Vec<&'v ObjectProp<'a>> {
    unique_by(object, |key| syntax::strange_key(path, key), report)
}

/// Does the same for objects with arbitrary keys; `path` formats the path of a key.
pub(super) fn unique_by<'v, 'a>(
    object: &'v Object<'a>,
    path: impl Fn(&str) -> String,
    report: &mut Report<'_>,
) -> Vec<&'v ObjectProp<'a>> {
    let mut properties = Vec::with_capacity(object.properties.len());
    let mut before = HashMap::new();
    for property in &object.properties {
        let index = properties.len();
        match before.entry(property.name.as_str()) {
            Entry::Vacant(entry) => _ = entry.insert(index),
            Entry::Occupied(mut entry) => {
                let old: &mut Option<&ObjectProp<'_>> = &mut properties[*entry.get()];
                if let Some(old) = old.take() {
                    report.duplicate(property.start(), &path(property.name.as_str()), old.start());
                }
                entry.insert(index);
            }
        }
        properties.push(Some(property));
    }
    properties.into_iter().flatten().collect()
}

/// Reads values and reports their problems.
pub(super) struct Fields<'r, 't> {
    pub(super) report: &'r mut Report<'t>,
    /// The positions of strings with variables, by their paths below `path`.
    pub(super) positions: HashMap<String, TextPosition>,
    /// The path of the object.
    pub(super) path: &'r str,
}

impl Fields<'_, '_> {
    pub(super) fn wrong(&mut self, at: usize, path: &str, kind: ProblemKind) {
        let path = if path.is_empty() { self.path.to_owned() } else { joined(self.path, path) };
        self.report.add(at, &path, kind);
    }

    fn expected<T>(&mut self, value: &Value<'_>, path: &str, what: &'static str) -> Option<T> {
        self.wrong(value.start(), path, ProblemKind::Expected(what));
        None
    }

    /// Reads a string that may contain variables.
    pub(super) fn text(&mut self, value: &Value<'_>, path: &str) -> Option<String> {
        match value {
            Value::StringLit(text) => {
                self.positions.insert(path.to_owned(), self.report.position(value.start()));
                Some(text.value.clone().into_owned())
            }
            _ => self.expected(value, path, "a string"),
        }
    }

    /// Reads a string that is not empty.
    pub(super) fn some_text(&mut self, value: &Value<'_>, path: &str) -> Option<String> {
        match self.text(value, path)? {
            text if text.trim().is_empty() => self.expected(value, path, "a string that is not empty"),
            text => Some(text),
        }
    }

    pub(super) fn flag(&mut self, value: &Value<'_>, path: &str) -> Option<bool> {
        match value {
            Value::BooleanLit(flag) => Some(flag.value),
            _ => self.expected(value, path, "true or false"),
        }
    }

    pub(super) fn seconds(&mut self, value: &Value<'_>, path: &str) -> Option<Duration> {
        let seconds = value.as_number_lit().and_then(|number| number.value.parse::<f64>().ok());
        match seconds {
            Some(seconds) if (1.0..=3600.0).contains(&seconds) => Some(Duration::from_secs_f64(seconds)),
            Some(seconds) if seconds > 3600.0 => self.expected(value, path, MILLISECONDS),
            _ => self.expected(value, path, SECONDS),
        }
    }

    pub(super) fn texts(&mut self, value: &Value<'_>, path: &str) -> Option<Vec<String>> {
        let Value::Array(array) = value else { return self.expected(value, path, "an array of strings") };
        let read = |(at, element)| self.text(element, &syntax::index(path, at));
        // Read all of them, to report all problems.
        let texts: Vec<_> = array.elements.iter().enumerate().map(read).collect();
        texts.into_iter().collect()
    }

    /// Reads names with values. Names with `null` are left out.
    pub(super) fn map(
        &mut self,
        value: &Value<'_>,
        path: &str,
        (what, is_name): (&'static str, fn(&str) -> bool),
        mut read: impl FnMut(&mut Self, &Value<'_>, &str) -> Option<String>,
    ) -> Option<BTreeMap<String, String>> {
        let Value::Object(object) = value else {
            return self.expected(value, path, "an object with a string for each name");
        };
        let (mut map, errors) = (BTreeMap::new(), self.report.errors());
        for property in unique(object, &joined(self.path, path), self.report) {
            let name = property.name.as_str();
            let path = if is_name(name) { syntax::key(path, name) } else { syntax::strange_key(path, name) };
            if !is_name(name) {
                self.wrong(property.start(), &path, ProblemKind::Name(what));
            }
            if !matches!(property.value, Value::NullKeyword(_))
                && let Some(value) = read(self, &property.value, &path)
            {
                map.insert(name.to_owned(), value);
            }
        }
        (self.report.errors() == errors).then_some(map)
    }

    /// Reads the value of an environment variable. Numbers are accepted as in VS Code, and so are booleans.
    pub(super) fn variable(&mut self, value: &Value<'_>, path: &str) -> Option<String> {
        match value {
            Value::NumberLit(number) => Some(number.value.to_owned()),
            Value::BooleanLit(flag) => Some(flag.value.to_string()),
            _ => self.text(value, path),
        }
    }
}

/// Returns the path of a value below a path.
pub(crate) fn joined(path: &str, below: &str) -> String {
    match (path, below.starts_with('[')) {
        ("", _) => below.to_owned(),
        (_, true) => format!("{path}{below}"),
        (_, false) => format!("{path}.{below}"),
    }
}

const SECONDS: &str = "a number of seconds from 1 to 3600";
const MILLISECONDS: &str =
    "a number of seconds from 1 to 3600 (the milliseconds that Claude Code reads are not meant here)";
