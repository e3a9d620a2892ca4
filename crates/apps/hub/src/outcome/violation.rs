//! Violations of a schema.

use std::fmt;

/// A violation of a schema by one part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The part, as a JSON pointer; empty for the whole value.
    pub pointer: String,
    /// The problem.
    pub problem: String,
}

impl Violation {
    /// Creates a violation by the whole value.
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
