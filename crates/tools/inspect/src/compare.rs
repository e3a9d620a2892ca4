//! Compares a value with the output of our types, and lists missing and changed fields.

use crate::node::Node;

/// The differences between a text and its value as one of our types.
#[derive(Debug, Default, PartialEq)]
pub struct View {
    /// The paths of fields that the type does not have, relative to the text.
    pub missing: Vec<String>,
    /// The paths of objects of a kind that our union does not know.
    pub unknown: Vec<String>,
    /// The paths of objects and lists that the type keeps as text.
    pub raw: Vec<String>,
    /// The paths of values that the type changes.
    pub changed: Vec<String>,
}

/// Compares `line` with `view`, both at `path`, and adds the paths of their differences to `found`.
///
/// An empty field (null, false, empty) may be absent from either, since optional fields are written that way.
pub fn compare(line: &Node, view: &Node, path: &str, found: &mut View) {
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
        // A `null` that is read as absent is not written.
        (line, view) if line.is_empty() && view.is_empty() && is_null(line) => {}
        _ => found.changed.push(path.to_owned()),
    }
}

fn fields(line: &[(Box<str>, Node)], view: &[(Box<str>, Node)], path: &str, found: &mut View) {
    for (index, (name, value)) in line.iter().enumerate() {
        let place = join(path, name);
        // The second occurrence of a key is compared with the second one.
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
pub fn join(path: &str, name: &str) -> String {
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

/// A double distinguishes numbers of up to this many digits.
const EXACT_DIGITS: usize = 15;
