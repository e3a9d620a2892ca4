//! The table of all requests to the CLI.

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};

use super::ControlCall;

/// A generic callback for request types.
pub trait CallVisitor {
    /// Visits one request type.
    fn call<C>(&mut self)
    where
        C: ControlCall + DeserializeOwned + PartialEq + Debug + 'static,
        C::Reply: Serialize + PartialEq + Debug;
}

/// Pairs each request with its subtype and its reply.
macro_rules! control_calls {
    ($($request:ident = $subtype:literal => $reply:ident;)+) => {
        $(
            impl ControlCall for super::$request {
                const SUBTYPE: &'static str = $subtype;
                type Reply = super::$reply;
            }
        )+

        /// Calls `visitor` once for every known request to the CLI.
        pub fn visit_calls(visitor: &mut impl CallVisitor) {
            $( visitor.call::<super::$request>(); )+
        }
    };
}

control_calls! {
    Initialize = "initialize" => InitializeReply;
    GetContextUsage = "get_context_usage" => GetContextUsageReply;
    FileSuggestions = "file_suggestions" => FileSuggestionsReply;
    RewindFiles = "rewind_files" => RewindFilesReply;
    ReadFile = "read_file" => ReadFileReply;
    SeedReadState = "seed_read_state" => Ack;
    RegisterRepoRoot = "register_repo_root" => RegisterRepoRootReply;
    GetHooksListing = "get_hooks_listing" => GetHooksListingReply;
    Interrupt = "interrupt" => InterruptReply;
    McpAuthenticate = "mcp_authenticate" => McpAuthenticateReply;
    McpOauthCallbackUrl = "mcp_oauth_callback_url" => Ack;
    McpClearAuth = "mcp_clear_auth" => Ack;
    McpCall = "mcp_call" => McpCallReply;
    McpMessage = "mcp_message" => Ack;
    McpReadResource = "mcp_read_resource" => McpReadResourceReply;
    McpSetServers = "mcp_set_servers" => McpSetServersReply;
    McpReconnect = "mcp_reconnect" => Ack;
    McpToggle = "mcp_toggle" => Ack;
    SetMcpPermissionModeOverride = "set_mcp_permission_mode_override" => SetMcpPermissionModeOverrideReply;
    McpStatus = "mcp_status" => McpStatusReply;
    ListPermissionRules = "list_permission_rules" => ListPermissionRulesReply;
    GetSessionCost = "get_session_cost" => GetSessionCostReply;
    ListModels = "list_models" => ListModelsReply;
    GetBinaryVersion = "get_binary_version" => GetBinaryVersionReply;
    SideQuestion = "side_question" => SideQuestionReply;
    ReloadPlugins = "reload_plugins" => ReloadPluginsReply;
    ReloadSkills = "reload_skills" => ReloadSkillsReply;
    ReloadOutputStyles = "reload_output_styles" => ReloadOutputStylesReply;
    RenameSession = "rename_session" => Ack;
    SetColor = "set_color" => Ack;
    GenerateSessionTitle = "generate_session_title" => GenerateSessionTitleReply;
    EndSession = "end_session" => Ack;
    ClaimSession = "claim_session" => ClaimSessionReply;
    SetMaxThinkingTokens = "set_max_thinking_tokens" => Ack;
    SetModel = "set_model" => SetModelReply;
    SetPermissionMode = "set_permission_mode" => SetPermissionModeReply;
    ApplyFlagSettings = "apply_flag_settings" => Ack;
    UpdateSettings = "update_settings" => Ack;
    GetSettings = "get_settings" => GetSettingsReply;
    CancelAsyncMessage = "cancel_async_message" => CancelAsyncMessageReply;
    StopTask = "stop_task" => Ack;
    BackgroundTasks = "background_tasks" => BackgroundTasksReply;
    GetTaskOutput = "get_task_output" => GetTaskOutputReply;
    SetHasSubscribers = "set_has_subscribers" => Ack;
    GetUsage = "get_usage" => GetUsageReply;
    GetStatus = "get_status" => GetStatusReply;
}
