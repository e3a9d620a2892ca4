//! Reads the `inputs` of a file: values that the user enters.

use std::collections::HashMap;

use jsonc_parser::{
    ast::{Object, Value},
    common::Ranged,
};

use super::{Report, unique};
use crate::{Input, ProblemKind, syntax};

/// Returns the inputs by id. An invalid input is reported; its server may ask for it anyway.
pub(super) fn read(value: &Value<'_>, report: &mut Report<'_>) -> HashMap<String, Input> {
    let Value::Array(array) = value else {
        if !matches!(value, Value::NullKeyword(_)) {
            report.add(value.start(), "inputs", ProblemKind::Expected("an array of objects"));
        }
        return HashMap::new();
    };
    let (mut inputs, mut places) = (HashMap::new(), HashMap::new());
    for (at, element) in array.elements.iter().enumerate() {
        let path = syntax::index("inputs", at);
        let Value::Object(object) = element else {
            report.add(element.start(), &path, ProblemKind::Expected("an object"));
            continue;
        };
        if let Some(input) = input(object, &path, report) {
            if let Some(before) = places.insert(input.id.clone(), object.start()) {
                report.duplicate(object.start(), &path, before);
            }
            inputs.insert(input.id.clone(), input);
        }
    }
    inputs
}

fn input(object: &Object<'_>, path: &str, report: &mut Report<'_>) -> Option<Input> {
    let mut input = Input::new("");
    for property in unique(object, path, report) {
        match (property.name.as_str(), &property.value) {
            ("id", value) => input.id = text(value).unwrap_or_default(),
            ("description", value) => input.description = text(value),
            ("default", value) => input.default = text(value),
            ("password", Value::BooleanLit(flag)) => input.password = flag.value,
            ("options", Value::Array(options)) => {
                input.options = options.elements.iter().filter_map(choice).collect();
            }
            // The other keys concern the display in VS Code.
            _ => {}
        }
    }
    if input.id.is_empty() {
        report.add(object.start(), path, ProblemKind::Expected("an object with an `id`"));
        return None;
    }
    Some(input)
}

fn text(value: &Value<'_>) -> Option<String> {
    value.as_string_lit().map(|text| text.value.clone().into_owned())
}

/// Reads an option: a text, or an object with a label.
fn choice(value: &Value<'_>) -> Option<String> {
    text(value).or_else(|| text(&value.as_object()?.get("value")?.value))
}
