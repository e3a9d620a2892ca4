//! What the API changed in the request before the model saw it.

use serde::{Deserialize, Serialize};

use crate::{open_enum::open_enum, tagged::tagged};

tagged! {
    /// One change of the request by the API (an item of `input_transformations`).
    pub enum InputTransformation by "type" {
        /// A thinking block was taken out.
        ThinkingDropped(TransformedThinking) = "thinking_dropped",
        /// A thinking block was let through although it does not fit.
        ThinkingMismatchAllowed(TransformedThinking) = "thinking_mismatch_allowed",
    }
}

/// A thinking block that does not fit where it stands.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TransformedThinking {
    /// Where it was in the request, such as `messages.2.content.0`.
    pub path: Box<str>,
    /// In what it does not fit.
    pub reason: Option<BindingMismatch>,
}

open_enum! {
    /// In what a thinking block does not fit where it stands.
    pub enum BindingMismatch {
        /// Another model thought it, and the one asked may not read it.
        Model = "model_binding_mismatch",
        /// The conversation before it is another one.
        Prefix = "prefix_binding_mismatch",
        /// It was made for another organisation.
        Organization = "organization_binding_mismatch",
        /// It was made for another end user.
        EndUser = "end_user_binding_mismatch",
    }
}
