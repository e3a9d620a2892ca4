//! The check of a tool's arguments, and of the data that it gives, against the schemas that its server gave for them.

mod weight;

use std::sync::{Arc, OnceLock};

use jsonschema::Validator;
use rmcp::model::JsonObject;
use serde_json::Value;

use self::weight::{Extent, Weight};
use crate::{Violation, excerpt::excerpt};

/// A schema, compiled when it is first used.
#[derive(Debug)]
pub(crate) struct Schema {
    text: Arc<JsonObject>,
    compiled: OnceLock<Result<Compiled, Violation>>,
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
    /// Nothing fits a schema that can't be used: it can't be compiled, or its references multiply.
    /// What is too much to be checked does not fit; and where it would take too long to say what is wrong, nothing more
    /// is said than that something is.
    pub(crate) fn violations(&self, tool: &str, value: &Value) -> Vec<Violation> {
        let Compiled { validator, weight, is_plain } = match self.compiled(tool) {
            Ok(compiled) => compiled,
            Err(why) => return vec![why.clone()],
        };
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

    /// Returns whether values can be checked against it.
    pub(crate) fn is_usable(&self, tool: &str) -> bool {
        self.compiled(tool).is_ok()
    }

    fn compiled(&self, tool: &str) -> Result<&Compiled, &Violation> {
        let compiled = self.compiled.get_or_init(|| {
            self.compile().map_err(|why| {
                let why = excerpt(&why).into_owned();
                tracing::warn!(tool, error = %why, "a schema of a tool can't be used");
                Violation::whole(&format!(
                    "they can't be checked, as the schema of the tool can't be used: {why}"
                ))
            })
        });
        compiled.as_ref()
    }

    fn compile(&self) -> Result<Compiled, String> {
        let schema = Value::Object((*self.text).clone());
        let weight = Weight::of(&schema);
        if weight.is_excessive() {
            return Err("its references multiply".to_owned());
        }
        // Offline, whatever features another crate turns on: a schema must not make us fetch anything.
        let validator = jsonschema::options().offline().build(&schema).map_err(|error| error.to_string())?;
        Ok(Compiled { validator, weight, is_plain: weight::is_plain(&schema) })
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

const MAX_VIOLATIONS: usize = 20;
/// How many schemas may be applied to how many values for a check: about a second.
const MAX_CHECKED: usize = 100_000_000;
/// How many may be for all errors to be collected.
const MAX_SEARCHED: usize = 1_000_000;
/// The longest text, in bytes, that may quote the value.
const MAX_QUOTED: usize = 200;

#[cfg(test)]
mod tests;
