//! The one error of this program: a sentence for the terminal and an exit code.

use std::fmt;

use agentwire_net::error_chain;

/// Why a command failed, as text for the terminal.
#[derive(Debug)]
pub struct Failure {
    text: String,
    code: u8,
}

impl Failure {
    /// Creates a failure with this text. The exit code is 2: the command could not do its work.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), code: 2 }
    }

    /// Creates a finding with this text. The exit code is 1: the command did its work, and the outcome is bad.
    pub fn finding(text: impl Into<String>) -> Self {
        Self { text: text.into(), code: 1 }
    }

    /// Findings that were printed already.
    pub fn already_reported() -> Self {
        Self::exit(1)
    }

    /// Creates an exit code without a text, such as the exit code of another program.
    pub fn exit(code: u8) -> Self {
        Self { text: String::new(), code }
    }

    /// Returns whether there is no text to print.
    pub fn is_reported(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the exit code of the program.
    pub fn code(&self) -> u8 {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

// `Failure` itself is no `Error`, which is what lets `?` take every other error.
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(error_chain(&error))
    }
}

/// Adds the operation to an error.
pub trait While<T> {
    /// Puts `doing()` before the error's own text.
    fn while_doing(self, doing: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T, E: Into<Failure>> While<T> for Result<T, E> {
    fn while_doing(self, doing: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|error| {
            let failure = error.into();
            if failure.is_reported() {
                return failure;
            }
            Failure { text: format!("{}: {}", doing(), failure.text), code: failure.code }
        })
    }
}
