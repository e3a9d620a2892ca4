//! Small queries: cost, models, version, and side questions.

use crate::model_info::ModelInfo;

/// Requests the cost of the session as text (`get_session_cost`).
#[wire(Copy, Default, Eq)]
pub struct GetSessionCost {}

/// The cost of the session.
#[wire(Default, Eq, tolerant)]
pub struct GetSessionCostReply {
    /// Several lines for a person; use `get_usage` for numbers.
    pub text: String,
}

/// Requests the available models (`list_models`). CLI 2.1.197 does not support it.
#[wire(Copy, Default, Eq)]
pub struct ListModels {}

/// The available models.
#[wire(Default, Eq, tolerant)]
pub struct ListModelsReply {
    /// One entry per model.
    pub models: Vec<ModelInfo>,
}

/// Requests the version of the program (`get_binary_version`).
#[wire(Copy, Default, Eq)]
pub struct GetBinaryVersion {}

/// The version of the program.
#[wire(Default, Eq, camelCase, tolerant)]
pub struct GetBinaryVersionReply {
    /// The version, such as `2.1.330`.
    pub version: Box<str>,
    /// The build time, in ISO 8601.
    pub build_time: Option<Box<str>>,
    /// The oldest supported SDK of the vendor's desktop program. Not declared, seen on the wire.
    pub oldest_desktop_sdk: Option<Box<str>>,
}

/// A question that is answered from the conversation's context, but not added to it (`side_question`).
///
/// Not declared, but the CLI supports it since 2.1.197.
/// `system/control_request_progress` reports the progress.
/// A `control_cancel_request` cancels it; the reply is then an error.
#[wire(Eq, new)]
pub struct SideQuestion {
    /// The question.
    pub question: String,
}

/// The answer to a side question.
#[wire(Default, Eq)]
pub struct SideQuestionReply {
    /// The answer or, if `synthetic` is true, the reason why there is none.
    #[serialize_always]
    pub response: Option<String>,
    /// Whether the CLI generated the answer, for example after an API error, which does not fail the request.
    pub synthetic: Option<bool>,
}
