//! Errors of stores.

use std::error::Error;
use std::fmt;

/// An error of a store.
#[derive(Debug, thiserror::Error)]
#[error("{doing}")]
pub struct StoreError {
    doing: Box<str>,
    source: Box<dyn Error + Send + Sync>,
}

impl StoreError {
    /// Creates an error from the failed operation, in lower case such as `writing to the bucket`, and its cause.
    pub fn new(doing: impl fmt::Display, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { doing: doing.to_string().into(), source: source.into() }
    }
}

/// A text that is invalid in a [`SessionKey`](crate::SessionKey).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The session id is not a UUID.
    #[error("the session id {0:?} is not a UUID")]
    Session(String),
    /// The project is not a single path component.
    #[error("the project {0:?} is empty, `.` or `..`, or has a slash or a control character")]
    Project(String),
    /// The subpath is not a relative path without `..`.
    #[error("the subpath {0:?} has an empty part, `.` or `..`, or a backslash or a control character")]
    Subpath(String),
}
