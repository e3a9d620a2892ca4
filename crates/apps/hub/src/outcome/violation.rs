//! How a value violates a schema.

use std::fmt;

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

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, problem } = self;
        if pointer.is_empty() { f.write_str(problem) } else { write!(f, "{pointer}: {problem}") }
    }
}
