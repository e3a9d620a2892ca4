//! Compares a value with the output of our types, and lists missing and changed fields.

use super::node::Node;

/// What the two differ in, as paths.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Differences {
    /// On the line, but in no type of ours.
    pub(super) missing: Vec<String>,
    /// Objects that a union of ours kept unread, for their kind is not known.
    pub(super) unknown: Vec<String>,
    /// Objects that a type of ours keeps as text.
    pub(super) raw: Vec<String>,
    /// In a type of ours, with another value than on the line.
    pub(super) changed: Vec<String>,
}

/// Compares `line` with `view`, both found at `path`.
///
/// An empty field (null, false, empty) may be absent from either, since optional fields are written that way.
pub(super) fn compare(line: &Node, view: &Node, path: &str, found: &mut Differences) {
    match (line, view) {
        (line, Node::Unknown(view)) => {
            found.unknown.push(path.to_owned());
            compare(line, view, path, found);
        }
        (line, Node::Raw(view)) => {
            if matches!(line, Node::Object(_) | Node::List(_)) {
                found.raw.push(path.to_owned());
            }
            compare(line, view, path, found);
        }
        (Node::Object(line), Node::Object(view)) => fields(line, view, path, found),
        (Node::List(line), Node::List(view)) if line.len() == view.len() => {
            for (index, (line, view)) in line.iter().zip(view).enumerate() {
                compare(line, view, &format!("{path}[{index}]"), found);
            }
        }
        (Node::Scalar(a), Node::Scalar(b))
            if a == b || line.text().is_some() && line.text() == view.text() => {}
        (Node::Scalar(a), Node::Scalar(b)) if same_number(a, b) => {}
        // A `null` that is read as nothing is written as nothing.
        (line, view) if line.is_empty() && view.is_empty() && is_null(line) => {}
        _ => found.changed.push(path.to_owned()),
    }
}

fn fields(line: &[(Box<str>, Node)], view: &[(Box<str>, Node)], path: &str, found: &mut Differences) {
    for (index, (name, value)) in line.iter().enumerate() {
        let place = join(path, name);
        // Of a duplicate key, the second is compared with the second.
        let nth = line[..index].iter().filter(|(other, _)| other == name).count();
        match view.iter().filter(|(other, _)| other == name).nth(nth) {
            Some((_, view)) => compare(value, view, &place, found),
            None if value.is_empty() => {}
            None => found.missing.push(place),
        }
    }
    for (name, value) in view {
        // A union with an optional tag always writes it.
        if name.as_ref() != "type" && !value.is_empty() && !line.iter().any(|(other, _)| other == name) {
            found.changed.push(join(path, name));
        }
    }
}

/// Returns the path of a field.
pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn is_null(node: &Node) -> bool {
    matches!(node, Node::Scalar(raw) if &**raw == "null")
}

/// Returns whether two numbers are equal: `1` and `1.0` are, `9007199254740993` and its value as a double are not.
fn same_number(a: &str, b: &str) -> bool {
    let (Ok(x), Ok(y)) = (a.parse::<f64>(), b.parse::<f64>()) else { return false };
    x == y && x.is_finite() && digits(a) <= EXACT_DIGITS && digits(b) <= EXACT_DIGITS
}

/// Returns the number of significant digits.
fn digits(number: &str) -> usize {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

/// A double distinguishes numbers of up to so many digits.
const EXACT_DIGITS: usize = 15;

#[cfg(test)]
mod tests {
    use super::{Differences, compare};
    use crate::inspect::node::Node;

    fn differences(line: &str, view: &str) -> Differences {
        let mut found = Differences::default();
        compare(&Node::parse(line).unwrap(), &Node::parse(view).unwrap(), "", &mut found);
        found
    }

    #[test]
    fn equivalent_values_have_no_difference() {
        for (line, view) in [
            (r#"{"a":1,"b":"\u0041"}"#, r#"{"b":"A","a":1.0}"#),
            (r#"{"a":null,"b":[]}"#, r#"{}"#),
            (r#"{}"#, r#"{"a":[],"b":false}"#),
            (r#"{"a":null}"#, r#"{"a":[]}"#),
            (r#"[1e2]"#, "[100.0]"),
        ] {
            assert_eq!(differences(line, view), Differences::default(), "{line} {view}");
        }
    }

    #[test]
    fn what_was_changed_or_left_out_is_found() {
        for (line, view) in [
            ("1", "2"),
            ("9007199254740993", "9007199254740992.0"),
            ("[1]", "[]"),
            ("\"1\"", "1"),
            ("{}", "[]"),
            (r#"{}"#, r#"{"":1}"#),
            ("true", "false"),
        ] {
            assert_eq!(differences(line, view).changed, [""], "{line} {view}");
        }
        assert_eq!(differences(r#"{"a":[{"b":1,"c":2}]}"#, r#"{"a":[{"b":1}]}"#).missing, ["a[0].c"]);
        assert_eq!(differences(r#"{"a":1,"a":2}"#, r#"{"a":1}"#).missing, ["a"]);
    }
}
