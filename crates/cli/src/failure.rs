//! The one error of this program: a sentence for the terminal.

use std::fmt;

/// Why a command failed, as text for the terminal.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// A failure with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A failure that was reported already.
    pub fn already_reported() -> Self {
        Self(String::new())
    }

    /// Whether there is nothing left to say.
    pub fn is_reported(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// `Failure` itself is no `Error`, which is what lets `?` take every other error.
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        Self(text)
    }
}

/// Adds the operation to an error.
pub trait While<T> {
    /// Puts `doing()` before the error's own text.
    fn while_doing(self, doing: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T, E: Into<Failure>> While<T> for Result<T, E> {
    fn while_doing(self, doing: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|error| Failure(format!("{}: {}", doing(), error.into())))
    }
}
