//! `set_model`: changes the model.

/// Changes the model for all API requests from now on, even within the running turn (`set_model`). The CLI accepts any
/// name without a check.
#[wire(Default)]
pub struct SetModel {
    /// The model; `None` for the default.
    pub model: Option<Box<str>>,
}

impl SetModel {
    /// Returns a request to set this model, or the default.
    pub fn new(model: Option<&str>) -> Self {
        Self { model: model.map(Into::into) }
    }
}

/// The model after the change.
#[wire(Default, nulls)]
pub struct SetModelReply {
    /// The model's name.
    pub model: Option<Box<str>>,
}
