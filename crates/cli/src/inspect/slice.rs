//! A part of a text by its path, and where in the text it begins.

use serde_json::value::RawValue;

use super::compare::join;
use super::node::fields;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Name(&'static str),
    Index(usize),
}

/// Returns the part at the end of the path, and the number of bytes before it.
pub(super) fn at<'a>(text: &'a str, path: &[Step]) -> Option<(usize, &'a str)> {
    let mut part = text;
    for step in path {
        part = match step {
            Step::Name(name) => fields(part)?.into_iter().find(|(field, _)| &**field == *name)?.1.get(),
            Step::Index(index) => serde_json::from_str::<Vec<&RawValue>>(part).ok()?.get(*index)?.get(),
        };
    }
    // Every step borrowed from the one before.
    Some((part.as_ptr().addr() - text.as_ptr().addr(), part))
}

/// Formats a path.
pub(super) fn show(path: &[Step]) -> String {
    path.iter().fold(String::new(), |shown, step| match step {
        Step::Name(name) => join(&shown, name),
        Step::Index(index) => format!("{shown}[{index}]"),
    })
}

#[cfg(test)]
mod tests {
    use super::{Step, at, show};

    #[test]
    fn a_part_knows_where_it_begins() {
        let text = r#" {"a": [1, {"b": "x"}]}"#;
        let path = [Step::Name("a"), Step::Index(1), Step::Name("b")];
        assert_eq!(at(text, &path), text.find("\"x\"").map(|at| (at, "\"x\"")));
        assert_eq!(show(&path), "a[1].b");
        assert_eq!(at(text, &[Step::Name("c")]), None);
    }
}
