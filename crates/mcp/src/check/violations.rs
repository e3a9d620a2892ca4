//! Describes all violations of a schema in words that a model can act on.

use std::fmt::Write;

use agentwire_control::panics::excerpt;
use jsonschema::Validator;
use serde_json::Value;

/// Returns a line for each violation, with its JSON pointer, or `None` if the value is valid.
pub(super) fn list(validator: &Validator, value: &Value, itself: &str) -> Option<String> {
    // `is_valid` is much cheaper than `iter_errors`, and most values are valid.
    if validator.is_valid(value) {
        return None;
    }
    let mut violations = validator.iter_errors(value).peekable();
    violations.peek()?;
    let mut text = String::new();
    for (index, violation) in violations.enumerate() {
        if index == MAX_VIOLATIONS {
            text.push_str("\n- and more");
            break;
        }
        let pointer = match violation.instance_path().as_str() {
            "" => itself,
            pointer => pointer,
        };
        let mut why = violation.to_string();
        if why.len() > MAX_QUOTED {
            // The message quotes the value: leave it out.
            why = violation.masked().to_string();
        }
        // Writing to a string does not fail.
        let _: std::fmt::Result = write!(text, "\n- {pointer}: {}", excerpt(&why));
    }
    Some(text)
}

const MAX_VIOLATIONS: usize = 20;

/// The longest violation, in bytes, that may quote the value.
const MAX_QUOTED: usize = 200;
