#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "blocking")]
pub mod blocking;
mod error;
#[cfg(feature = "sessions")]
mod mirror;
mod observe;
mod options;
mod query;
mod regular_file;
mod session;
mod settings;
mod turn;
mod uuids;

pub use agentwire_codec as codec;
pub use agentwire_control as control;
pub use agentwire_hooks as hooks;
#[cfg(feature = "mcp")]
pub use agentwire_mcp as mcp;
pub use agentwire_protocol as protocol;
#[cfg(feature = "sessions")]
pub use agentwire_sessions as sessions;
pub use agentwire_transport as transport;

pub use agentwire_codec::Incoming;
pub use agentwire_control::{Control, ControlError, PromptState, SessionExit};
pub use agentwire_protocol::{
    Block, Message, PermissionMode, RawJson, System,
    message::{TurnResult, UserInput},
    permission::Decision,
};
pub use error::Error;
#[cfg(feature = "sessions")]
pub use error::{ResumeError, StoreFault};
#[cfg(feature = "sessions")]
pub use mirror::{NotStored, StoreHandle};
pub use observe::{Activity, ActivityOutcome, Began, Ended, Observation, Observations, Totals, Verdict};
pub use options::{
    AskUserQuestionConfig, Delivery, FlagSettings, LaunchPlan, OptionInfo, OptionOrigin, Options,
    OutputFormat, PermissionPrompts, PreviewFormat, PrivateFile, SessionStoreFlush, SettingSource, Skills,
    SystemPrompt, TaskBudget, ThinkingConfig, ToolConfig, Tools, TraceContext, Warning,
};
pub use query::{Query, query, query_all};
pub use session::{ClaimError, Closed, EndedBy, Session, SessionBuilder, Spare, prewarm};
pub use settings::{
    DeniedModelsMatch, DeniedModelsNote, DeniedModelsNoteKind, PolicyOrigin, Provenance, ResolveSettings,
    ResolvedSettings, ResolvedSource, SettingsFault, SettingsTier, filter_escalating_default_mode,
    match_denied_models, resolve_settings,
};
pub use turn::{Turn, TurnAnswer};

/// The workspace's front page and guides, so that their code is compiled; published packages do not contain them.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/deferring.md")]
    mod deferring {}
    #[doc = include_str!("../../../docs/forward-compat.md")]
    mod forward_compat {}
    #[doc = include_str!("../../../docs/getting-started.md")]
    mod getting_started {}
    #[doc = include_str!("../../../docs/hooks.md")]
    mod hooks {}
    #[doc = include_str!("../../../docs/hosting.md")]
    mod hosting {}
    #[doc = include_str!("../../../docs/interrupting.md")]
    mod interrupting {}
    #[doc = include_str!("../../../docs/mcp.md")]
    mod mcp {}
    #[doc = include_str!("../../../docs/observing.md")]
    mod observing {}
    #[doc = include_str!("../../../docs/options.md")]
    mod options {}
    #[doc = include_str!("../../../docs/permissions.md")]
    mod permissions {}
    #[doc = include_str!("../../../docs/questions.md")]
    mod questions {}
    #[doc = include_str!("../../../docs/security.md")]
    mod security {}
    #[cfg(feature = "sessions")]
    #[doc = include_str!("../../../docs/sessions.md")]
    mod sessions {}
    #[doc = include_str!("../../../docs/streaming.md")]
    mod streaming {}
    #[doc = include_str!("../../../docs/structured.md")]
    mod structured {}
    #[doc = include_str!("../../../docs/subagents.md")]
    mod subagents {}
    #[cfg(feature = "blocking")]
    #[doc = include_str!("../../../docs/turns.md")]
    mod turns {}
}
