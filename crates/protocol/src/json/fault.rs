//! What is wrong with a text, in `serde_json`'s words.

use std::{
    borrow::Cow,
    error::Error,
    fmt::{self, Display},
};

use serde::de::{Expected, Unexpected};

/// Why a text could not be read, and where.
///
/// It is boxed: it is part of every result on the way, most of which are fine.
pub(crate) struct Fault(Box<Inner>);

struct Inner {
    reason: Cow<'static, str>,
    /// `None` as long as only the visitor knows of it.
    at: Option<usize>,
    is_data: bool,
}

impl Fault {
    #[cold]
    pub(super) fn syntax(reason: &'static str, at: usize) -> Self {
        Self(Box::new(Inner { reason: reason.into(), at: Some(at), is_data: false }))
    }

    /// Places it at `at`, if it has no place.
    #[cold]
    pub(super) fn or_at(mut self, at: usize) -> Self {
        self.0.at.get_or_insert(at);
        self
    }

    /// What is wrong, without the position.
    pub(crate) fn reason(&self) -> &str {
        &self.0.reason
    }

    /// The number of bytes of the text up to the fault and with it; 0 where it is no fault of the text.
    pub(crate) fn offset(&self) -> usize {
        self.0.at.unwrap_or_default()
    }

    /// Whether the text is JSON as far as it was read, and only does not have the shape that was asked for.
    pub(crate) fn is_data(&self) -> bool {
        self.0.is_data
    }
}

impl serde::de::Error for Fault {
    #[cold]
    fn custom<T: Display>(reason: T) -> Self {
        Self(Box::new(Inner { reason: reason.to_string().into(), at: None, is_data: true }))
    }

    #[cold]
    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("invalid type: {}, expected {expected}", Told(unexpected)))
    }

    #[cold]
    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("invalid value: {}, expected {expected}", Told(unexpected)))
    }
}

/// A value in the words of JSON.
struct Told<'a>(Unexpected<'a>);

impl Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Unexpected::Unit => f.write_str("null"),
            Unexpected::Float(number) => {
                let number = serde_json::to_string(&number).map_err(|_| fmt::Error)?;
                write!(f, "floating point `{number}`")
            }
            other => Display::fmt(&other, f),
        }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fault({:?} at {:?})", self.0.reason, self.0.at)
    }
}

impl Error for Fault {}

pub(super) const EOF_IN_LIST: &str = "EOF while parsing a list";
pub(super) const EOF_IN_OBJECT: &str = "EOF while parsing an object";
pub(super) const EOF_IN_STRING: &str = "EOF while parsing a string";
pub(super) const EOF_IN_VALUE: &str = "EOF while parsing a value";
pub(super) const EXPECTED_COLON: &str = "expected `:`";
pub(super) const EXPECTED_LIST_COMMA_OR_END: &str = "expected `,` or `]`";
pub(super) const EXPECTED_OBJECT_COMMA_OR_END: &str = "expected `,` or `}`";
pub(super) const EXPECTED_IDENT: &str = "expected ident";
pub(super) const EXPECTED_VALUE: &str = "expected value";
pub(super) const EXPECTED_QUOTE: &str = "expected `\"`";
pub(super) const INVALID_ESCAPE: &str = "invalid escape";
pub(super) const INVALID_NUMBER: &str = "invalid number";
pub(super) const OUT_OF_RANGE: &str = "number out of range";
pub(super) const CONTROL_CHARACTER: &str = "control character (\\u0000-\\u001F) found while parsing a string";
pub(super) const KEY_MUST_BE_A_STRING: &str = "key must be a string";
pub(super) const EXPECTED_NUMERIC_KEY: &str = "invalid value: expected key to be a number in quotes";
pub(super) const LONE_SURROGATE: &str = "lone leading surrogate in hex escape";
pub(super) const TRAILING_COMMA: &str = "trailing comma";
pub(super) const TRAILING_CHARACTERS: &str = "trailing characters";
pub(super) const END_OF_HEX_ESCAPE: &str = "unexpected end of hex escape";
pub(super) const TOO_DEEP: &str = "recursion limit exceeded";
