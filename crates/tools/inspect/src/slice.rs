//! A part of a text by its path, and where in the text it begins.

use serde_json::value::RawValue;

use crate::compare::join;
use crate::node::fields;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Name(&'static str),
    Index(usize),
}

/// Returns the part at the end of the path, and the number of bytes before it.
pub fn at<'a>(text: &'a str, path: &[Step]) -> Option<(usize, &'a str)> {
    let mut part = text;
    for step in path {
        part = match step {
            Step::Name(name) => fields(part)?.into_iter().find(|(field, _)| &**field == *name)?.1.get(),
            Step::Index(index) => serde_json::from_str::<Vec<&RawValue>>(part).ok()?.get(*index)?.get(),
        };
    }
    // Each step borrows from the previous one, so both pointers are into the same text.
    Some((part.as_ptr().addr() - text.as_ptr().addr(), part))
}

/// Formats a path.
pub fn show(path: &[Step]) -> String {
    path.iter().fold(String::new(), |shown, step| match step {
        Step::Name(name) => join(&shown, name),
        Step::Index(index) => format!("{shown}[{index}]"),
    })
}
