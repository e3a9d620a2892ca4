//! The steps of a scenario in their JSON form.

use std::collections::BTreeMap;

use agentwire::{PermissionMode, RawJson};
use serde::Deserialize;

use super::Pattern;

/// A step: something that our side does or waits for.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in super::super) enum Step {
    Prompt(String),
    /// A prompt; then messages are read until the CLI is idle.
    Turn(String),
    /// A prompt with more than a text: the fields of the frame, and its `content`.
    User(BTreeMap<String, RawJson>),
    /// A line, sent unchanged.
    Line(String),
    Until(Pattern),
    Asked(String),
    Hooked(String),
    Sent(Pattern),
    Received(Pattern),
    File(String),
    Held(String),
    Release(String),
    /// Lets held callbacks answer.
    Answer(String),
    Interrupt,
    SetModel(Option<String>),
    SetPermissionMode(PermissionMode),
    McpStatus(Pattern),
    Call(Call),
    Ask(Asking),
    Cancel(String),
    Replied(Call),
    Keep(BTreeMap<String, String>),
    Run(String),
    Signal(String),
}

/// A control request of the scenario, and the expected outcome.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in super::super) struct Call {
    /// The request, or the name of an earlier one.
    pub(in super::super) request: RawJson,
    pub(in super::super) reply: Option<Pattern>,
    pub(in super::super) error: Option<Pattern>,
    /// Whether it is repeated until the reply matches this.
    #[serde(default)]
    pub(in super::super) again: bool,
}

/// A control request; a later step waits for its reply.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in super::super) struct Asking {
    pub(in super::super) name: String,
    pub(in super::super) request: RawJson,
}
