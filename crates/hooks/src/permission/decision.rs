//! What a permission handler may return.

use std::{error::Error, fmt::Display};

use agentwire_protocol::permission::{Allow, Decision, Deny};

use crate::excerpt;

/// The result of a permission handler that uses `?`: an error is a denial.
pub type PermissionResult = Result<Decision, Box<dyn Error + Send + Sync>>;

/// What a permission handler may return: a [`Decision`], an [`Allow`] or a [`Deny`], an `Option` of one that leaves the
/// question open where it is `None`, or a `Result` of any of them.
pub trait IntoDecision {
    /// The decision; `None` leaves it to the next handler.
    ///
    /// # Errors
    ///
    /// Why there is none; the CLI denies.
    fn into_decision(self) -> Result<Option<Decision>, String>;
}

impl IntoDecision for Decision {
    fn into_decision(self) -> Result<Option<Decision>, String> {
        Ok(Some(self))
    }
}

impl IntoDecision for Allow {
    fn into_decision(self) -> Result<Option<Decision>, String> {
        Ok(Some(self.into()))
    }
}

impl IntoDecision for Deny {
    fn into_decision(self) -> Result<Option<Decision>, String> {
        Ok(Some(self.into()))
    }
}

/// `None` leaves it to the next handler; where there is none, the tool is not used.
impl<D: IntoDecision> IntoDecision for Option<D> {
    fn into_decision(self) -> Result<Option<Decision>, String> {
        self.map_or(Ok(None), IntoDecision::into_decision)
    }
}

/// An error is never an allow, and is not left to the next handler.
impl<R: IntoDecision, D: Display> IntoDecision for Result<R, D> {
    fn into_decision(self) -> Result<Option<Decision>, String> {
        match self {
            Ok(decision) => decision.into_decision(),
            Err(error) => Err(excerpt(&error.to_string()).into_owned()),
        }
    }
}
