//! Conversions of what a permission handler returns.

use std::{error::Error, fmt::Display};

use agentwire_protocol::permission::{Allow, Decision, Deny};

use crate::excerpt;

/// The result of a permission handler that uses `?`: an error is a denial.
pub type PermissionResult = Result<Decision, Box<dyn Error + Send + Sync>>;

/// A value that a permission handler may return: a [`Decision`], an [`Allow`] or a [`Deny`], an `Option` of one, or a
/// `Result` of any of them. `None` leaves the question open.
pub trait IntoDecision {
    /// Converts the value into a decision; `None` leaves it to the next handler.
    ///
    /// # Errors
    ///
    /// The handler's error; the CLI denies.
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

/// `None` leaves the decision to the next handler; without one, the tool is denied.
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
