//! Changes of a request by the API.

/// A change that the API made to the request (an item of `input_transformations`).
#[wire(tag = "type")]
pub enum InputTransformation {
    /// A thinking block was dropped.
    ThinkingDropped(TransformedThinking) = "thinking_dropped",
    /// A mismatched thinking block was allowed.
    ThinkingMismatchAllowed(TransformedThinking) = "thinking_mismatch_allowed",
}

/// A thinking block that does not match its position.
#[wire]
pub struct TransformedThinking {
    /// The position in the request, such as `messages.2.content.0`.
    pub path: Box<str>,
    /// The kind of mismatch.
    pub reason: Option<BindingMismatch>,
}

/// The kind of mismatch of a thinking block.
#[wire]
pub enum BindingMismatch {
    /// Another model created the block, and the current one may not read it.
    Model = "model_binding_mismatch",
    /// The preceding conversation differs.
    Prefix = "prefix_binding_mismatch",
    /// The block belongs to another organisation.
    Organization = "organization_binding_mismatch",
    /// The block belongs to another end user.
    EndUser = "end_user_binding_mismatch",
}
