//! What happens on the way to an answer.

use std::fmt;

/// What happens on the way to an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// The model has said something, beside calling tools or as the answer.
    Said(String),
    /// A tool is called, or a resource is read.
    Calls {
        /// What the model called it.
        name: String,
    },
    /// What was called has given something, or failed.
    Called {
        /// What the model called it.
        name: String,
        /// Whether it failed, or was not called at all.
        failed: bool,
    },
    /// The model has written what is no call, and was told.
    Misread(String),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Said(text) => f.write_str(text),
            Self::Calls { name } => write!(f, "[calls {name}]"),
            Self::Called { name, failed: false } => write!(f, "[{name} is done]"),
            Self::Called { name, failed: true } => write!(f, "[{name} failed]"),
            Self::Misread(why) => write!(f, "[no call: {why}]"),
        }
    }
}
