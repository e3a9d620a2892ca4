//! Visits the type of every outbound request, for tools and tests that apply to all requests.

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};

use super::{
    ApplyFlagSettings, BackgroundTasks, CancelAsyncMessage, ClaimSession, ControlCall, EndSession,
    FileSuggestions, GenerateSessionTitle, GetBinaryVersion, GetContextUsage, GetHooksListing,
    GetSessionCost, GetSettings, GetStatus, GetTaskOutput, GetUsage, Initialize, Interrupt, ListModels,
    ListPermissionRules, McpAuthenticate, McpCall, McpClearAuth, McpOauthCallbackUrl, McpReadResource,
    McpReconnect, McpSetServers, McpStatus, McpToggle, ReadFile, RegisterRepoRoot, ReloadOutputStyles,
    ReloadPlugins, ReloadSkills, RenameSession, RewindFiles, SeedReadState, SendMcpMessage, SetColor,
    SetHasSubscribers, SetMaxThinkingTokens, SetMcpPermissionModeOverride, SetModel, SetPermissionMode,
    SideQuestion, StopTask, UpdateSettings,
};

/// A generic callback for request types.
pub trait CallVisitor {
    /// Visits one request type.
    fn call<C>(&mut self)
    where
        C: ControlCall + DeserializeOwned + PartialEq + Debug + 'static,
        C::Reply: Serialize + PartialEq + Debug;
}

/// Calls `visitor` once for every known request to the CLI.
pub fn visit_calls(visitor: &mut impl CallVisitor) {
    visitor.call::<Initialize>();
    visitor.call::<GetContextUsage>();
    visitor.call::<FileSuggestions>();
    visitor.call::<RewindFiles>();
    visitor.call::<ReadFile>();
    visitor.call::<SeedReadState>();
    visitor.call::<RegisterRepoRoot>();
    visitor.call::<GetHooksListing>();
    visitor.call::<Interrupt>();
    visitor.call::<McpAuthenticate>();
    visitor.call::<McpOauthCallbackUrl>();
    visitor.call::<McpClearAuth>();
    visitor.call::<McpCall>();
    visitor.call::<SendMcpMessage>();
    visitor.call::<McpReadResource>();
    visitor.call::<McpSetServers>();
    visitor.call::<McpReconnect>();
    visitor.call::<McpToggle>();
    visitor.call::<SetMcpPermissionModeOverride>();
    visitor.call::<McpStatus>();
    visitor.call::<ListPermissionRules>();
    visitor.call::<GetSessionCost>();
    visitor.call::<ListModels>();
    visitor.call::<GetBinaryVersion>();
    visitor.call::<SideQuestion>();
    visitor.call::<ReloadPlugins>();
    visitor.call::<ReloadSkills>();
    visitor.call::<ReloadOutputStyles>();
    visitor.call::<RenameSession>();
    visitor.call::<SetColor>();
    visitor.call::<GenerateSessionTitle>();
    visitor.call::<EndSession>();
    visitor.call::<ClaimSession>();
    visitor.call::<SetMaxThinkingTokens>();
    visitor.call::<SetModel>();
    visitor.call::<SetPermissionMode>();
    visitor.call::<ApplyFlagSettings>();
    visitor.call::<UpdateSettings>();
    visitor.call::<GetSettings>();
    visitor.call::<CancelAsyncMessage>();
    visitor.call::<StopTask>();
    visitor.call::<BackgroundTasks>();
    visitor.call::<GetTaskOutput>();
    visitor.call::<SetHasSubscribers>();
    visitor.call::<GetUsage>();
    visitor.call::<GetStatus>();
}
