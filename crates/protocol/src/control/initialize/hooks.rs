//! How the handshake names hook callbacks.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

/// Hook callbacks of one event that share a matcher.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookMatcher {
    /// A tool name, several (`A|B`) or a pattern; `None` matches all.
    pub matcher: Option<Box<str>>,
    /// The callbacks, by ids of the host's choice.
    pub hook_callback_ids: Vec<Box<str>>,
    /// The limit for each callback, in seconds, applied by the CLI.
    pub timeout: Option<f64>,
    /// What the CLI does when a callback fails.
    pub on_failure: Option<HookFailure>,
}

open_enum! {
    /// What the CLI does when a hook callback fails.
    pub enum HookFailure {
        /// It refuses what the hook guards.
        Block = "block",
        /// It goes ahead.
        Continue = "continue",
    }
}
