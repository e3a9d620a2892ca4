//! Small questions about the session: its cost, its models, the program.

use serde::{Deserialize, Serialize};

use super::ControlCall;
use crate::model_info::ModelInfo;

/// What has the session cost, in words (`get_session_cost`)?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetSessionCost {}

impl ControlCall for GetSessionCost {
    const SUBTYPE: &'static str = "get_session_cost";
    type Reply = GetSessionCostReply;
}

/// What the session has cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetSessionCostReply {
    /// Several lines for a person; for numbers ask `get_usage`.
    #[serde(default)]
    pub text: String,
}

/// Which models can be chosen (`list_models`)? CLI 2.1.197 does not know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ListModels {}

impl ControlCall for ListModels {
    const SUBTYPE: &'static str = "list_models";
    type Reply = ListModelsReply;
}

/// The models that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ListModelsReply {
    /// One entry for each.
    #[serde(default)]
    pub models: Vec<ModelInfo>,
}

/// Which version is the program (`get_binary_version`)?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetBinaryVersion {}

impl ControlCall for GetBinaryVersion {
    const SUBTYPE: &'static str = "get_binary_version";
    type Reply = GetBinaryVersionReply;
}

/// The program's version.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct GetBinaryVersionReply {
    /// The version, such as `2.1.330`.
    pub version: Box<str>,
    /// When it was built, in ISO 8601.
    pub build_time: Option<Box<str>>,
    /// The oldest SDK of the vendor's desktop program that it works with. Not declared, seen on the wire.
    pub oldest_desktop_sdk: Option<Box<str>>,
}

/// A question beside the conversation (`side_question`): answered from its context, and not added to it.
///
/// Not declared, answered by the CLI. Known since CLI 2.1.197.
/// `system/control_request_progress` tells how it goes.
/// It can be cancelled with a `control_cancel_request`, and then has an error for a reply.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SideQuestion {
    /// The question.
    pub question: String,
}

impl SideQuestion {
    /// Asks this.
    pub fn new(question: impl Into<String>) -> Self {
        Self { question: question.into() }
    }
}

impl ControlCall for SideQuestion {
    const SUBTYPE: &'static str = "side_question";
    type Reply = SideQuestionReply;
}

/// The answer to a question beside the conversation.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SideQuestionReply {
    /// The answer; where it is synthetic, why there is none.
    #[serialize_always]
    pub response: Option<String>,
    /// Whether the CLI made it up, as after an API error, which is no error of the request.
    pub synthetic: Option<bool>,
}
