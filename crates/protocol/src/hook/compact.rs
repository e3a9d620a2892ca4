//! Around a compaction: `PreCompact` and `PostCompact`.

use super::{CanBlock, HookReply, NoOutput, declare::hook_event};
use crate::open_enum::open_enum;

hook_event! {
    /// Before the conversation is compacted.
    ///
    /// A block skips the compaction: `system/status` says `compact_result: "failed"`, and of a `/compact` the result
    /// tells that it was blocked, without the reason.
    /// A reply that ends the turn does not stop it.
    PreCompact => NoOutput, matched by "trigger", refusal |reason| Some(HookReply::block(reason));

    /// What `PreCompact` tells.
    PreCompactInput {
        /// What set it off (`trigger`).
        trigger: CompactTrigger,
        /// What the user wants of the summary (`custom_instructions`); null where nothing was said.
        #[serialize_always]
        custom_instructions: Option<String>,
    }
}

impl CanBlock for PreCompact {}

hook_event! {
    /// After the conversation was compacted; `SessionStart` comes before it.
    ///
    /// The event can't refuse.
    PostCompact => NoOutput, matched by "trigger", refusal |_| None;

    /// What `PostCompact` tells.
    PostCompactInput {
        /// What set it off (`trigger`).
        trigger: CompactTrigger,
        /// The summary, as the model wrote it (`compact_summary`).
        #[serde(default)]
        compact_summary: String,
    }
}

open_enum! {
    /// What set off a compaction.
    pub enum CompactTrigger {
        /// The user or the host asked for it.
        Manual = "manual",
        /// The conversation became too long.
        Auto = "auto",
    }
}
