//! The check of a tool's arguments, and of the data that it gives, against the schemas that its server gave for them.

mod weight;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use jsonschema::Validator;
use rmcp::model::JsonObject;
use serde_json::Value;

use self::weight::{Extent, Weight};
use crate::excerpt::excerpt;

/// How arguments, or data, do not fit a schema, at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The place, as a JSON pointer; empty for all of it.
    pub pointer: String,
    /// What is wrong there.
    pub problem: String,
}

impl Violation {
    /// Of all of it.
    pub(crate) fn whole(problem: &str) -> Self {
        Self { pointer: String::new(), problem: problem.to_owned() }
    }
}

/// A schema, compiled when it is first used.
#[derive(Debug)]
pub(crate) struct Schema {
    text: Arc<JsonObject>,
    compiled: OnceLock<Option<Compiled>>,
}

#[derive(Debug)]
struct Compiled {
    validator: Validator,
    weight: Weight,
    /// Whether no value ever has more than one schema, so that the first error is found without any other.
    is_plain: bool,
}

impl Schema {
    pub(super) fn new(text: &Arc<JsonObject>) -> Self {
        Self { text: Arc::clone(text), compiled: OnceLock::new() }
    }

    /// All that is wrong with a value, within bounds of what is told, and of the work that it takes.
    ///
    /// A schema that can't be compiled finds nothing: the server checks too, and knows what it meant.
    /// Of one whose references multiply, only what holds without them is checked.
    /// What is too much to be checked does not fit; and where it would take too long to say what is wrong, nothing more
    /// is said than that something is.
    pub(crate) fn violations(&self, tool: &str, value: &Value) -> Vec<Violation> {
        let Some(compiled) = self.compiled.get_or_init(|| self.compile(tool)) else { return Vec::new() };
        let Compiled { validator, weight, is_plain } = compiled;
        let extent = Extent::of(value);
        if weight.check(extent) > MAX_CHECKED {
            return vec![Violation::whole("there is too much of it to be checked against the schema")];
        }
        // Mostly nothing is wrong, which is told without looking for words, and remembers where it has been.
        if validator.is_valid(value) {
            return Vec::new();
        }
        let work = if *is_plain { weight.check(extent) } else { weight.search(extent) };
        if work <= MAX_SEARCHED {
            // All are collected before the first is there.
            return all(validator, value);
        }
        if *is_plain {
            return validator.validate(value).err().into_iter().map(told).collect();
        }
        vec![Violation::whole("it does not fit the schema, which is too intricate to say where")]
    }

    fn compile(&self, tool: &str) -> Option<Compiled> {
        // Offline, whatever features another crate turns on: a schema must not make us fetch anything.
        let mut schema = Value::Object((*self.text).clone());
        let mut weight = Weight::of(&schema);
        if weight.is_excessive() {
            tracing::warn!(tool, "a schema of a tool has references that multiply: they are not followed");
            weight::cut(&mut schema);
            weight = Weight::of(&schema);
        }
        let is_plain = weight::is_plain(&schema);
        jsonschema::options()
            .offline()
            .build(&schema)
            .map(|validator| Compiled { validator, weight, is_plain })
            .inspect_err(|error| {
                let error = error.to_string();
                tracing::warn!(tool, error = %excerpt(&error), "a schema of a tool can't be used");
            })
            .ok()
    }
}

fn all(validator: &Validator, value: &Value) -> Vec<Violation> {
    let mut violations: Vec<_> = validator.iter_errors(value).take(MAX_VIOLATIONS + 1).map(told).collect();
    if violations.len() > MAX_VIOLATIONS {
        violations.truncate(MAX_VIOLATIONS);
        violations.push(Violation::whole("and more"));
    }
    violations
}

fn told(error: jsonschema::ValidationError<'_>) -> Violation {
    let mut problem = error.to_string();
    if problem.len() > MAX_QUOTED {
        // The value itself is quoted there.
        problem = error.masked().to_string();
    }
    Violation { pointer: error.instance_path().as_str().to_owned(), problem: excerpt(&problem).into_owned() }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, problem } = self;
        if pointer.is_empty() { f.write_str(problem) } else { write!(f, "{pointer}: {problem}") }
    }
}

const MAX_VIOLATIONS: usize = 20;
/// How many schemas may be applied to how many values for a check: about a second.
const MAX_CHECKED: usize = 100_000_000;
/// How many may be for all errors to be collected.
const MAX_SEARCHED: usize = 1_000_000;
/// The longest text, in bytes, that may quote the value.
const MAX_QUOTED: usize = 200;

#[cfg(test)]
mod tests;
