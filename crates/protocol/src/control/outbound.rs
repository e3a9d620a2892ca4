//! Requests of the host to the CLI: one struct per request, paired with its reply.

mod context_usage;
mod files;
mod hooks_listing;
mod interrupt;
mod mcp_auth;
mod mcp_call;
mod mcp_message;
mod mcp_read_resource;
mod mcp_servers;
mod mcp_status;
mod permission_rules;
mod queries;
mod reload;
mod session;
mod set_max_thinking_tokens;
mod set_model;
mod set_permission_mode;
mod settings;
mod status;
mod tasks;
mod usage;

use serde::{Serialize, Serializer, de::DeserializeOwned};

pub use context_usage::{
    ApiUsage, AttachmentTokens, ContextAgent, ContextCategory, ContextCategoryId, ContextCategoryKind,
    ContextCommands, ContextDetail, ContextMcpInstructions, ContextMcpTool, ContextMemoryFile, ContextSkill,
    ContextSkills, ContextSquare, ContextTool, GetContextUsage, GetContextUsageReply, MessageBreakdown,
    ToolCallTokens,
};
pub use files::{
    FileEncoding, FileSuggestion, FileSuggestions, FileSuggestionsReply, ReadFile, ReadFileReply,
    RegisterRepoRoot, RegisterRepoRootReply, RewindFiles, RewindFilesReply, SeedReadState,
};
pub use hooks_listing::{
    EditableHook, GetHooksListing, GetHooksListingReply, HookEntry, HookEventInfo, HookModeNote, HookPolicy,
};
pub use interrupt::{Interrupt, InterruptReply};
pub use mcp_auth::{
    McpAuthenticate, McpAuthenticateReply, McpClearAuth, McpOauthCallbackUrl, RedirectScheme,
};
pub use mcp_call::{InputFile, McpCall, McpCallReply, OutputFile, Staging, StagingErrorCode};
pub use mcp_message::SendMcpMessage;
pub use mcp_read_resource::{McpReadResource, McpReadResourceReply, ResourceContents};
pub use mcp_servers::{
    McpReconnect, McpSetServers, McpSetServersReply, McpToggle, SetMcpPermissionModeOverride,
    SetMcpPermissionModeOverrideReply,
};
pub use mcp_status::{McpStatus, McpStatusReply};
pub use permission_rules::{
    ListPermissionRules, ListPermissionRulesReply, PermissionRuleEntry, PermissionRuleSource,
    PermissionRules, RuleDescription, RuleEditability, WorkspaceDirectory,
};
pub use queries::{
    GetBinaryVersion, GetBinaryVersionReply, GetSessionCost, GetSessionCostReply, ListModels,
    ListModelsReply, SideQuestion, SideQuestionReply,
};
pub use reload::{
    CacheImpact, LspToolChange, ReloadOutputStyles, ReloadOutputStylesReply, ReloadPlugins,
    ReloadPluginsReply, ReloadSkills, ReloadSkillsReply,
};
pub use session::{
    ClaimSession, ClaimSessionReply, EndSession, GenerateSessionTitle, GenerateSessionTitleReply,
    RenameSession, RenameSource, SetColor,
};
pub use set_max_thinking_tokens::{SetMaxThinkingTokens, ThinkingDisplay};
pub use set_model::{SetModel, SetModelReply};
pub use set_permission_mode::{SetPermissionMode, SetPermissionModeReply};
pub use settings::{
    AppliedSettings, ApplyFlagSettings, GetSettings, GetSettingsReply, SettingsError, SourceSettings,
    UpdateSettings, UpdateSettingsSource,
};
pub use status::{GetStatus, GetStatusReply, StatusRow, StatusSection};
pub use tasks::{
    BackgroundTasks, BackgroundTasksReply, CancelAsyncMessage, CancelAsyncMessageReply, GetTaskOutput,
    GetTaskOutputReply, SetHasSubscribers, StopTask,
};
pub use usage::{
    Behavior, BehaviorFix, BehaviorKey, BehaviorWindow, Behaviors, GetUsage, GetUsageReply, ModelWindow,
    RateLimits, RateWindow, Recommendation, Share,
};

use crate::{RequestId, tagged::Inject};

/// A request to the CLI with its reply type.
///
/// Serializes as an object with the request's fields; [`OutboundRequest`] writes `subtype` in front.
/// Implement it for a custom type to send a request that this crate does not know; the crate's front page
/// has an example.
/// No field of a reply should be required: give each non-optional field `#[serde(default)]`, since an older CLI may
/// leave it out, or may reply without a `response`.
///
/// ```
/// use agentwire_protocol::control::{ControlCall, Interrupt, InterruptReply, SetModel, SetModelReply};
///
/// # fn ask<C: ControlCall>(_: &C) -> C::Reply { agentwire_protocol::RawJson::empty_object().decode().unwrap() }
/// let interrupted: InterruptReply = ask(&Interrupt::default());
/// let model: SetModelReply = ask(&SetModel::new(None));
/// ```
///
/// The reply type of another request does not compile:
///
/// ```compile_fail,E0308
/// use agentwire_protocol::control::{ControlCall, Interrupt, SetModelReply};
///
/// # fn ask<C: ControlCall>(_: &C) -> C::Reply { agentwire_protocol::RawJson::empty_object().decode().unwrap() }
/// let model: SetModelReply = ask(&Interrupt::default());
/// ```
pub trait ControlCall: Serialize {
    /// The request's `subtype`.
    const SUBTYPE: &'static str;
    /// The `response` of a success. An absent one is read as an empty object.
    type Reply: DeserializeOwned + Send + 'static;
}

/// A request of the host to the CLI (`control_request`).
#[derive(Debug, Serialize)]
pub struct OutboundRequest<'a, C: ControlCall> {
    #[serde(rename = "type")]
    kind: &'static str,
    request_id: &'a RequestId,
    request: WithSubtype<'a, C>,
}

impl<'a, C: ControlCall> OutboundRequest<'a, C> {
    /// Returns a request with this id, which must not be in use.
    pub fn new(request_id: &'a RequestId, call: &'a C) -> Self {
        Self { kind: "control_request", request_id, request: WithSubtype(call) }
    }
}

#[derive(Debug)]
struct WithSubtype<'a, C>(&'a C);

impl<C: ControlCall> Serialize for WithSubtype<'_, C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Inject::new(&[], ("subtype", C::SUBTYPE), serializer))
    }
}

/// An empty reply.
#[wire(Copy, Default, Eq)]
pub struct Ack {}

impl From<Ack> for () {
    fn from(Ack {}: Ack) {}
}
