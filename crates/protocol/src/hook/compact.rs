//! Compaction events: `PreCompact` and `PostCompact`.

use super::{HookReply, NoOutput, declare::hook_event};
pub use crate::message::CompactTrigger;

hook_event! {
    /// Before the conversation is compacted.
    ///
    /// A block skips the compaction: `system/status` has `compact_result: "failed"`, and the result of `/compact`
    /// reports the block without its reason.
    /// A reply that ends the turn does not stop the compaction.
    PreCompact => NoOutput, matched by "trigger", refusal |reason| Some(HookReply::block(reason)), can block;

    /// The input of `PreCompact`.
    PreCompactInput {
        /// The trigger (`trigger`).
        trigger: CompactTrigger,
        /// The user's instructions for the summary (`custom_instructions`); null if there are none.
        #[serialize_always]
        custom_instructions: Option<String>,
    }
}

hook_event! {
    /// After the conversation was compacted, and after the `SessionStart` hooks of the compaction.
    ///
    /// This event can't be blocked.
    PostCompact => NoOutput, matched by "trigger", refusal |_| None;

    /// The input of `PostCompact`.
    PostCompactInput {
        /// The trigger (`trigger`).
        trigger: CompactTrigger,
        /// The summary, as the model wrote it (`compact_summary`).
        #[serde(default)]
        compact_summary: String,
    }
}
