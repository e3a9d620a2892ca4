//! What goes wrong with a store.

use std::error::Error;
use std::fmt;

/// A store did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
#[error("{doing}")]
pub struct StoreError {
    doing: Box<str>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl StoreError {
    /// What failed, as a lower-case fragment such as `writing to the bucket`, and why.
    pub fn new(doing: impl fmt::Display, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { doing: doing.to_string().into(), source: Some(source.into()) }
    }
}

/// A text that can't be part of a [`SessionKey`](crate::SessionKey).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// A session's id must be a UUID.
    #[error("the session id {0:?} is not a UUID")]
    Session(String),
    /// A project must be one part of a path.
    #[error("the project {0:?} is empty, `.` or `..`, or has a slash or a control character")]
    Project(String),
    /// A subpath must lead downwards.
    #[error("the subpath {0:?} has an empty part, `.` or `..`, or a backslash or a control character")]
    Subpath(String),
}
