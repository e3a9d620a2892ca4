//! `fallback`: another model continues the answer.

use crate::message::RefusalCategory;

/// Another model continues the answer (`fallback`).
#[wire]
pub struct Fallback {
    /// The model that declined to continue.
    pub from: FallbackModel,
    /// The model that continues.
    pub to: FallbackModel,
    /// The reason.
    pub trigger: Option<FallbackTrigger>,
}

/// One of the two models of a fallback.
#[wire]
pub struct FallbackModel {
    /// The model's name: for the first model as in the request, otherwise the full name.
    pub model: Box<str>,
}

/// Why another model continues the answer.
#[wire(tag = "type")]
pub enum FallbackTrigger {
    /// The model declined.
    Refusal(FallbackRefusal) = "refusal",
}

/// The model declined (`refusal`).
#[wire(Default, nulls)]
pub struct FallbackRefusal {
    /// The category of the refusal; `None` if it has no name.
    pub category: Option<RefusalCategory>,
}
