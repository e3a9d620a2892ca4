//! `fallback`: from here on another model answers.

use serde::{Deserialize, Serialize};

use crate::{message::RefusalCategory, tagged::tagged};

/// From here on another model answers (`fallback`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Fallback {
    /// The model that answered up to here, and declined to go on.
    pub from: FallbackModel,
    /// The model that goes on.
    pub to: FallbackModel,
    /// Why.
    pub trigger: Option<FallbackTrigger>,
}

/// One of the two models of a fallback.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FallbackModel {
    /// The model: the name in the request for the first, the full name for any other.
    pub model: Box<str>,
}

tagged! {
    /// Why another model answers.
    pub enum FallbackTrigger by "type" {
        /// The model declined.
        Refusal(FallbackRefusal) = "refusal",
    }
}

/// The model declined (`refusal`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FallbackRefusal {
    /// The policy that the request fell under; `None` where it is no named one.
    pub category: Option<RefusalCategory>,
}
