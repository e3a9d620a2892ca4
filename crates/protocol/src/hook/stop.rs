//! `Stop`: the model is done.

use serde::{Deserialize, Serialize};

use super::{HookReply, declare::hook_event};
use crate::RawJson;

hook_event! {
    /// The model is done: it may be made to go on.
    ///
    /// A handler that always refuses keeps the turn running up to its limits: look at `stop_hook_active`.
    Stop => StopOutput, refusal |reason| Some(HookReply::go_on(reason));

    /// What `Stop` tells.
    StopInput {
        /// Whether the turn goes on already because a `Stop` hook said so.
        #[serde(default)]
        stop_hook_active: bool,
        /// The model's last text.
        #[serde(skip_serializing_if = "Option::is_none")]
        last_assistant_message: Option<String>,
        /// What still runs in the background.
        #[serde(default)]
        background_tasks: Vec<RawJson>,
        /// What the session has planned to run later.
        #[serde(default)]
        session_crons: Vec<RawJson>,
    }
}

/// What only `Stop` can say.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StopOutput {
    /// Text for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_context: Option<String>,
}

impl HookReply<Stop> {
    /// The model must go on, told why.
    pub fn go_on(reason: impl Into<String>) -> Self {
        Self::blocked(reason)
    }
}
