//! What was meant as a call and is none.

use std::fmt;

use crate::llm::CallForm;

/// What was meant as a call and is none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Misread {
    /// The form that was read.
    pub form: CallForm,
    /// What is wrong.
    pub why: Why,
}

/// Why something is no call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Why {
    /// The text ends within it: while it grows, the rest may yet come.
    #[error("it is not complete")]
    Unfinished,
    /// It stands in a fenced code block, where it may be an example.
    #[error("it stands in a code block")]
    Fenced,
    /// Something follows it on its line, so that it may be part of a sentence.
    #[error("something else stands on its line")]
    NotAlone,
    /// Calls stand in an array.
    #[error("it stands in an array")]
    Listed,
    /// A field is missing, or empty.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A field comes twice.
    #[error("`{0}` comes twice")]
    Repeated(&'static str),
    /// Something stands there that has no place in a call.
    #[error("`{0}` has no place in it")]
    Stray(String),
    /// A field is not closed by its own end tag.
    #[error("`<{0}>` is not followed by its text and `</{0}>`")]
    Unclosed(&'static str),
    /// A field is not what it is to be.
    #[error("`{0}` is no {1}")]
    NotA(&'static str, &'static str),
    /// It is no JSON.
    #[error("its JSON is broken: {0}")]
    Json(String),
}

impl Misread {
    /// What to tell the model: what is wrong, and how a call is written.
    pub fn advice(&self) -> String {
        format!("The call was not made: {self}.\n\n{}", self.form.how_to())
    }
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.why, f)
    }
}

impl std::error::Error for Misread {}
