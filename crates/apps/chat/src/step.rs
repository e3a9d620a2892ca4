//! Steps of an answer.

use std::fmt;

/// A step of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// The model has written text, beside calls or as the answer.
    Text(String),
    /// A tool is called, or a resource is read.
    Calls {
        /// The name that the model used.
        name: String,
    },
    /// A call has ended.
    Called {
        /// The name that the model used.
        name: String,
        /// Whether the call failed or was not made.
        failed: bool,
    },
    /// The model has written an invalid call, and was informed.
    Misread(String),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Calls { name } => write!(f, "[calls {name}]"),
            Self::Called { name, failed: false } => write!(f, "[{name} is done]"),
            Self::Called { name, failed: true } => write!(f, "[{name} failed]"),
            Self::Misread(why) => write!(f, "[no call: {why}]"),
        }
    }
}
