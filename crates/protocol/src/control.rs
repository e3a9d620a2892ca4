//! The control protocol: requests and responses in both directions, interleaved with messages.

mod envelope;
mod error_code;
mod inbound;
mod initialize;
mod outbound;
mod strict;
mod visit_calls;

pub use envelope::{
    ControlCancelRequest, ControlRequest, ControlResponse, Failure, Outcome, PendingRequest, Success,
};
pub use error_code::ErrorCode;
pub use inbound::{
    CanUseTool, DialogCancelled, DialogChoice, ElicitationAsked, HookCallback, InboundCall, InboundRequest,
    MatchedAskRule, McpMessage, McpMessageReply, RequestUserDialog, RequestUserDialogReply,
};
pub use initialize::{
    AuthConflict, FeedbackMode, HookFailure, HookMatcher, Initialize, InitializeReply, ManifestFate,
    ManifestsOrigin, SdkServerConfig, SdkServerManifest,
};
pub use outbound::{
    Ack, ApiUsage, AppliedSettings, ApplyFlagSettings, AttachmentTokens, BackgroundTasks,
    BackgroundTasksReply, Behavior, BehaviorFix, BehaviorKey, BehaviorWindow, Behaviors, CacheImpact,
    CancelAsyncMessage, CancelAsyncMessageReply, ClaimSession, ClaimSessionReply, ContextAgent,
    ContextCategory, ContextCategoryId, ContextCategoryKind, ContextCommands, ContextDetail,
    ContextMcpInstructions, ContextMcpTool, ContextMemoryFile, ContextSkill, ContextSkills, ContextSquare,
    ContextTool, ControlCall, EditableHook, EndSession, FileEncoding, FileSuggestion, FileSuggestions,
    FileSuggestionsReply, GenerateSessionTitle, GenerateSessionTitleReply, GetBinaryVersion,
    GetBinaryVersionReply, GetContextUsage, GetContextUsageReply, GetHooksListing, GetHooksListingReply,
    GetSessionCost, GetSessionCostReply, GetSettings, GetSettingsReply, GetStatus, GetStatusReply,
    GetTaskOutput, GetTaskOutputReply, GetUsage, GetUsageReply, HookEntry, HookEventInfo, HookModeNote,
    HookPolicy, InputFile, Interrupt, InterruptReply, ListModels, ListModelsReply, ListPermissionRules,
    ListPermissionRulesReply, LspToolChange, McpAuthenticate, McpAuthenticateReply, McpCall, McpCallReply,
    McpClearAuth, McpOauthCallbackUrl, McpReadResource, McpReadResourceReply, McpReconnect, McpSetServers,
    McpSetServersReply, McpStatus, McpStatusReply, McpToggle, MessageBreakdown, ModelWindow, OutboundRequest,
    OutputFile, PermissionRuleEntry, PermissionRuleSource, PermissionRules, RateLimits, RateWindow, ReadFile,
    ReadFileReply, Recommendation, RedirectScheme, RegisterRepoRoot, RegisterRepoRootReply,
    ReloadOutputStyles, ReloadOutputStylesReply, ReloadPlugins, ReloadPluginsReply, ReloadSkills,
    ReloadSkillsReply, RenameSession, RenameSource, ResourceContents, RewindFiles, RewindFilesReply,
    RuleDescription, RuleEditability, SeedReadState, SendMcpMessage, SetColor, SetHasSubscribers,
    SetMaxThinkingTokens, SetMcpPermissionModeOverride, SetMcpPermissionModeOverrideReply, SetModel,
    SetModelReply, SetPermissionMode, SetPermissionModeReply, SettingsError, Share, SideQuestion,
    SideQuestionReply, SourceSettings, Staging, StagingErrorCode, StatusRow, StatusSection, StopTask,
    ThinkingDisplay, ToolCallTokens, UpdateSettings, UpdateSettingsSource, WorkspaceDirectory,
};
pub(crate) use strict::{is_control, is_decoration};
pub use visit_calls::{CallVisitor, visit_calls};
