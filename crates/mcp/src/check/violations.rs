//! Describes all violations of a schema in words that a model can act on.

use agentwire_control::panics::excerpt;
use jsonschema::{
    ValidationError, Validator,
    error::ValidationErrorKind::{AdditionalProperties, AnyOf, Constant, OneOfNotValid, Type},
};
use serde_json::Value;

/// Returns a line for each violation, with its JSON pointer, or `None` if the value is valid.
pub(super) fn list(validator: &Validator, value: &Value, itself: &str) -> Option<String> {
    // `is_valid` is much cheaper than `iter_errors`, and most values are valid.
    if validator.is_valid(value) {
        return None;
    }
    let violations: Vec<_> = validator.iter_errors(value).take(MAX_DISTINCT).collect();
    let mut found = Vec::new();
    violations.iter().for_each(|violation| add(violation, 0, &mut found));
    // The first branch of each violation comes first: one with many branches hides no other violation.
    found.sort_by_key(|(branch, ..)| *branch);
    let mut text: String = found.iter().take(MAX_VIOLATIONS).map(|found| line(found, itself)).collect();
    text.extend((found.len() > MAX_VIOLATIONS).then_some("\n- and more"));
    Some(text)
}

/// A violation with the number of its branch, and its message without the value.
type Found<'a> = (usize, String, &'a ValidationError<'a>);

/// Adds a violation, unless an equal one was added. For `anyOf` and `oneOf`, adds those of the branches that fit best.
///
/// Optional structs and most enums have such branches. If all are for another type or another tag, only the violations
/// that show this are added.
fn add<'a>(violation: &'a ValidationError<'a>, branch: usize, found: &mut Vec<Found<'a>>) {
    let path = violation.instance_path();
    if let AnyOf { context } | OneOfNotValid { context } = violation.kind() {
        // 2: the branch is for another type or tag. 1: it may be for another variant, or the value has a field too many.
        let misfit = |violation: &ValidationError<'_>| match violation.kind() {
            Type { .. } if violation.instance_path() == path => 2,
            Constant { .. } if violation.instance_path() != path => 2,
            AdditionalProperties { .. } if violation.instance_path() == path => 1,
            _ => 0,
        };
        let worst = |branch: &Vec<_>| branch.iter().map(misfit).max();
        let least = context.iter().map(worst).min().flatten();
        for (index, best) in context.iter().filter(|branch| worst(branch) == least).enumerate() {
            let shown = best.iter().filter(|violation| least < Some(2) || misfit(violation) == 2);
            shown.for_each(|violation| add(violation, branch + index, found));
        }
        return;
    }
    let message = violation.masked().to_string();
    let is_known = |(_, known, other): &Found<'_>| *known == message && other.instance_path() == path;
    if found.len() < MAX_DISTINCT && !found.iter().any(is_known) {
        found.push((branch, message, violation));
    }
}

/// Returns the line of a violation. Takes time in proportion to the value, since the full message quotes the value.
fn line((_, message, violation): &Found<'_>, itself: &str) -> String {
    let (path, full) = (violation.instance_path().as_str(), violation.to_string());
    let why = if full.len() > MAX_QUOTED { message } else { &full };
    format!("\n- {}: {}", excerpt(if path.is_empty() { itself } else { path }), excerpt(why))
}

const MAX_VIOLATIONS: usize = 20;

/// How many violations are collected, to choose the listed ones from: more than an enum has variants.
const MAX_DISTINCT: usize = 1000;

/// The longest violation, in bytes, that may quote the value.
const MAX_QUOTED: usize = 200;
