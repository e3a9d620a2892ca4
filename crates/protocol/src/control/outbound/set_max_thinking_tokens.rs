//! `set_max_thinking_tokens`: how much the model may think, and how much of it is shown.

use serde::{Deserialize, Serialize};

use super::{Ack, ControlCall};
use crate::{Nullable, open_enum::open_enum};

/// How much the model may think from now on, and how much of it is shown (`set_max_thinking_tokens`).
///
/// The CLI answers with an error where a value is not of its kind, and takes neither then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SetMaxThinkingTokens {
    /// The most tokens to think; `Null` for the session's default, `Absent` to leave it as it is.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub max_thinking_tokens: Nullable<u64>,
    /// How thinking is shown; `Null` for the CLI's default, `Absent` to leave it as it is.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub thinking_display: Nullable<ThinkingDisplay>,
}

impl SetMaxThinkingTokens {
    /// Sets the most tokens, or the session's default, and leaves how it is shown.
    pub fn new(max_thinking_tokens: Option<u64>) -> Self {
        Self { max_thinking_tokens: max_thinking_tokens.into(), thinking_display: Nullable::Absent }
    }
}

impl ControlCall for SetMaxThinkingTokens {
    const SUBTYPE: &'static str = "set_max_thinking_tokens";
    type Reply = Ack;
}

open_enum! {
    /// How thinking is shown (`thinking_display`).
    pub enum ThinkingDisplay {
        /// Its summary.
        Summarized = "summarized",
        /// Nothing.
        Omitted = "omitted",
        /// A short title for each stretch of it; in sessions that the vendor hosts only.
        Highlights = "highlights",
    }
}
