//! Hooks: events of the CLI that the host's callbacks may watch, change or refuse.

mod declare;
mod post_tool_use;
mod pre_tool_use;
mod reply;
mod stop;
mod user_prompt_submit;
mod visit;

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};

pub use post_tool_use::{PostToolUse, PostToolUseInput, PostToolUseOutput};
pub use pre_tool_use::{PermissionDecision, PreToolUse, PreToolUseInput, PreToolUseOutput};
pub use reply::{BlockDecision, HookReply};
pub use stop::{Stop, StopInput, StopOutput};
pub use user_prompt_submit::{UserPromptSubmit, UserPromptSubmitInput, UserPromptSubmitOutput};
pub use visit::{EventVisitor, visit_events};

/// An event that a hook can be registered for.
///
/// The event is a unit value, so `on(PreToolUse, …)` tells the closure's input type.
pub trait HookEvent: Copy + Send + Sync + 'static {
    /// The event's name on the wire.
    const NAME: &'static str;
    /// What the CLI tells.
    type Input: Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send + Sync + 'static;
    /// What only this event's reply can say (`hookSpecificOutput`).
    type Output: Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send + Sync + 'static;

    /// The reply that refuses what the event guards; `None` where the event can't refuse.
    ///
    /// It is what a failing handler is answered with: to a plain error reply the CLI goes ahead.
    fn refusal(reason: &str) -> Option<HookReply<Self>>;
}
