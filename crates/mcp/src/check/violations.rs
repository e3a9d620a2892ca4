//! Describes all violations of a schema in words that a model can act on.

use agentwire_control::panics::excerpt;
use jsonschema::{
    ValidationError, Validator,
    error::ValidationErrorKind::{AnyOf, Constant, OneOfNotValid, Type},
};
use serde_json::Value;

/// Returns a line for each violation, with its JSON pointer, or `None` if the value is valid.
pub(super) fn list(validator: &Validator, value: &Value, itself: &str) -> Option<String> {
    // `is_valid` is much cheaper than `iter_errors`, and most values are valid.
    if validator.is_valid(value) {
        return None;
    }
    let mut all = validator.iter_errors(value).flat_map(|violation| lines(&violation, itself));
    let mut text: String = all.by_ref().take(MAX_VIOLATIONS).collect();
    if all.next().is_some() {
        text.push_str("\n- and more");
    }
    Some(text)
}

/// Returns the line of a violation; of `anyOf` and `oneOf`, the lines of their branches.
///
/// Optional structs and most enums have such branches. The branches for another type or another tag are left out, unless
/// all are.
fn lines(violation: &ValidationError<'_>, itself: &str) -> Vec<String> {
    let path = violation.instance_path();
    if let AnyOf { context } | OneOfNotValid { context } = violation.kind() {
        let is_meant = |branch: &&Vec<ValidationError<'_>>| {
            !branch.iter().any(|violation| match violation.kind() {
                Type { .. } => violation.instance_path() == path,
                Constant { .. } => violation.instance_path() != path,
                _ => false,
            })
        };
        let (meant, others): (Vec<_>, Vec<_>) = context.iter().partition(is_meant);
        let branches = if meant.is_empty() { others } else { meant };
        return branches.into_iter().flatten().flat_map(|violation| lines(violation, itself)).collect();
    }
    let pointer = if path.as_str().is_empty() { itself } else { path.as_str() };
    let mut why = violation.to_string();
    if why.len() > MAX_QUOTED {
        // The message quotes the value: leave it out.
        why = violation.masked().to_string();
    }
    vec![format!("\n- {pointer}: {}", excerpt(&why))]
}

const MAX_VIOLATIONS: usize = 20;

/// The longest violation, in bytes, that may quote the value.
const MAX_QUOTED: usize = 200;
