//! The options of a session: plain data, set before it starts.

mod argv;
mod bare;
mod conversation;
mod debug;
mod deserialize;
mod environment;
mod folder;
mod launch_plan;
mod limits;
mod mcp;
mod model;
mod output;
mod output_schema;
mod permission_bypass;
mod permissions;
mod plugins;
mod prompt;
mod sandbox;
mod secrets;
mod setters;
mod settings;
mod strict;
mod suggestion;
mod table;
mod tools;
mod trace;
mod warning;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use agentwire_protocol::{
    PermissionMode, agent::AgentDefinition, effort::EffortLevel, mcp::McpServerConfig, plugin::PluginConfig,
    sandbox::SandboxSettings, settings::RawSettings,
};
use serde::{Deserialize, Serialize};

pub use conversation::SessionStoreFlush;
pub use launch_plan::{LaunchPlan, PrivateFile};
pub use limits::TaskBudget;
pub use mcp::Delivery;
pub use model::{Thinking, ThinkingDisplay};
pub use output::OutputFormat;
pub use permissions::PermissionPrompts;
pub use prompt::SystemPrompt;
pub use settings::{FlagSettings, SettingSource};
pub use table::{OptionInfo, Origin};
pub use tools::{AskUserQuestionConfig, PreviewFormat, Skills, ToolConfig, Tools};
pub use trace::TraceContext;
pub use warning::Warning;

pub(crate) use bare::check_in_force;
#[cfg(feature = "sessions")]
pub(crate) use conversation::NO_STORE;
pub(crate) use folder::FolderFiles;
pub(crate) use launch_plan::{AWAIT_INITIALIZE, refuse, resumes};
pub(crate) use permission_bypass::mode_bypass_warning;
pub(crate) use permissions::PROMPT_TOOL;

use crate::Error;
use launch_plan::ToCli;

/// The options of a session, set before it starts.
///
/// Plain data that can be compared, stored and printed. The names in JSON are those of the reference TypeScript
/// options;
/// an unknown name is an error with a suggestion.
/// [`Options::described`] and docs/options.md, which is generated from it, list the flag or field that each option
/// sets.
/// Callbacks, in-process servers and transports are not options: set them on the
/// [`SessionBuilder`](crate::SessionBuilder).
/// `Debug` shows the options that differ from the default: of environment variables and headers only the names, of
/// addresses only the host, and no settings or arguments of MCP servers.
#[derive(Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Options {
    /// The model (`--model`).
    pub model: Option<String>,
    /// The models to fall back to, separated by commas (`--fallback-model`).
    pub fallback_model: Option<String>,
    /// The agent that the main conversation runs as (`--agent`), one of `agents` or of the settings.
    pub agent: Option<String>,
    /// The host's own subagents, by type (`initialize.agents`).
    #[serde(deserialize_with = "strict::read")]
    pub agents: BTreeMap<Box<str>, AgentDefinition>,
    /// The effort of the model (`--effort`).
    pub effort: Option<EffortLevel>,
    /// Whether and how the model thinks (`--thinking`, `--max-thinking-tokens`, `--thinking-display`).
    pub thinking: Option<Thinking>,
    /// The token limit of the model's thinking (`--max-thinking-tokens`); `thinking` takes precedence.
    pub max_thinking_tokens: Option<u32>,
    /// Beta features of the API (`--betas`).
    pub betas: Vec<String>,
    /// The system prompt (`initialize.systemPrompt`); by default an empty one, as in the reference SDKs.
    pub system_prompt: SystemPrompt,
    /// Instructions for plan mode, replacing the CLI's own (`initialize.planModeInstructions`).
    pub plan_mode_instructions: Option<String>,

    /// The available built-in tools (`--tools`); `None` leaves it to the CLI, an empty list means none.
    pub tools: Option<Tools>,
    /// Tool uses allowed without a question (`--allowedTools`), as rules such as `Bash(git:*)`.
    pub allowed_tools: Vec<String>,
    /// Tools that are removed (`--disallowedTools`).
    pub disallowed_tools: Vec<String>,
    /// Aliases of tools (`initialize.toolAliases`): a use of the first name is a use of the second.
    pub tool_aliases: BTreeMap<Box<str>, Box<str>>,
    /// The configuration of built-in tools (`CLAUDE_CODE_QUESTION_PREVIEW_FORMAT`).
    pub tool_config: Option<ToolConfig>,
    /// The available skills (`initialize.skills`, and rules in `--allowedTools`); `None` leaves it to the CLI.
    pub skills: Option<Skills>,
    /// The initial permission mode (`--permission-mode`).
    pub permission_mode: Option<PermissionMode>,
    /// Whether the mode `bypassPermissions` is available (`--allow-dangerously-skip-permissions`); the CLI refuses it
    /// to root outside of a sandbox.
    pub allow_dangerously_skip_permissions: bool,
    /// The MCP tool that answers permission questions (`--permission-prompt-tool`), instead of a callback.
    pub permission_prompt_tool_name: Option<String>,
    /// Whether permission questions are answered or denied (`--permission-prompts`).
    pub permission_prompts: Option<PermissionPrompts>,

    /// The maximum number of rounds in a turn (`--max-turns`).
    pub max_turns: Option<u32>,
    /// The maximum cost of the session, in US dollars (`--max-budget-usd`).
    pub max_budget_usd: Option<f64>,
    /// The token budget that the model is given for its task (`--task-budget`).
    pub task_budget: Option<TaskBudget>,

    /// The stored session to resume (`--resume`), by id or title.
    pub resume: Option<String>,
    /// Whether to continue the directory's last session (`--continue`).
    #[serde(rename = "continue")]
    pub continue_last: bool,
    /// Whether to continue a copy of the resumed session and keep the original (`--fork-session`).
    pub fork_session: bool,
    /// The session's id, a UUID (`--session-id`); with `resume` or `continue` the id of the copy, which requires
    /// `fork_session`.
    pub session_id: Option<String>,
    /// The last message of the stored session to keep, by its uuid (`--resume-session-at`).
    pub resume_session_at: Option<String>,
    /// The prompt of the only turn that `resume_session_at` may drop, by its uuid (`--resume-drops-turn`).
    pub resume_drops_turn: Option<String>,
    /// Whether the session is stored; `Some(false)` disables it (`--no-session-persistence`).
    pub persist_session: Option<bool>,
    /// The title of a new session (`initialize.title`).
    pub title: Option<String>,
    /// When new entries are appended to a session store; no effect without a store.
    pub session_store_flush: Option<SessionStoreFlush>,
    /// The time limit for loading from a session store, in milliseconds; no effect without a store.
    pub load_timeout_ms: Option<u64>,
    /// How long a result or the end waits for the session store to have all earlier entries, in milliseconds; 10,000 by
    /// default.
    pub session_store_flush_timeout_ms: Option<u64>,
    /// The time limit of one append to a session store, in milliseconds; 60,000 by default.
    pub session_store_append_timeout_ms: Option<u64>,
    /// The limit of bytes that are pending for a session store; 64 MiB by default. Entries beyond it are dropped and
    /// reported.
    pub session_store_max_pending_bytes: Option<usize>,
    /// The name of the project in the session store; by default the name of the CLI's folder for `cwd`, which is
    /// derived from its path and therefore depends on the machine.
    pub session_store_project: Option<String>,

    /// The format of the answer (`initialize.jsonSchema`, and `--json-schema` if it is short).
    pub output_format: Option<OutputFormat>,
    /// Whether parts of answers are sent as they stream (`--include-partial-messages`).
    pub include_partial_messages: bool,
    /// Whether runs of hooks in the settings are reported (`--include-hook-events`); callbacks are not.
    pub include_hook_events: bool,
    /// Whether the text of subagents is sent as messages (`initialize.forwardSubagentText`).
    pub forward_subagent_text: bool,
    /// Whether prompts are used verbatim, without expanding `@path` and slash commands (`client_composed` of each).
    pub verbatim_prompts: bool,
    /// Whether the CLI suggests a next prompt after each turn (`initialize.promptSuggestions`).
    pub prompt_suggestions: bool,
    /// Whether the CLI sends summaries of subagents' progress (`initialize.agentProgressSummaries`).
    pub agent_progress_summaries: bool,
    /// The kinds of dialogs that the host can show (`initialize.supportedDialogKinds`); the CLI does not request
    /// others.
    pub supported_dialog_kinds: Vec<Box<str>>,
    /// Whether the user can stop each task separately (`initialize.perTaskStopAffordance`): an interrupt then does not
    /// stop background tasks.
    pub per_task_stop_affordance: bool,

    /// The MCP servers that the CLI runs or connects to, by name (`initialize.mcpServers`).
    #[serde(deserialize_with = "strict::read")]
    pub mcp_servers: BTreeMap<Box<str>, McpServerConfig>,
    /// The way `mcp_servers` reach the CLI; by default the handshake, which other users of the machine can't read.
    pub mcp_servers_delivery: Option<Delivery>,
    /// Files with additional MCP servers (`--mcp-config`).
    pub mcp_config_files: Vec<PathBuf>,
    /// Whether all other MCP servers are ignored (`--strict-mcp-config`).
    pub strict_mcp_config: bool,
    /// The plugins of the session (`initialize.plugins`).
    #[serde(deserialize_with = "strict::read")]
    pub plugins: Vec<PluginConfig>,
    /// The way `plugins` reach the CLI; by default the handshake.
    pub plugin_delivery: Option<Delivery>,

    /// Settings that override the user's (`--settings`), as a path or inline.
    pub settings: Option<FlagSettings>,
    /// Settings of an administrator, for a machine without any (`--managed-settings`); the CLI keeps only those that
    /// restrict.
    pub managed_settings: Option<RawSettings>,
    /// The settings files to read (`--setting-sources`); `None` leaves it to the CLI, an empty list means none.
    pub setting_sources: Option<Vec<SettingSource>>,
    /// The sandbox of commands, merged into the settings (`--settings`).
    #[serde(deserialize_with = "strict::read")]
    pub sandbox: Option<SandboxSettings>,

    /// The working directory; by default this program's.
    pub cwd: Option<PathBuf>,
    /// Additional directories to work in (`--add-dir`).
    pub additional_directories: Vec<PathBuf>,
    /// The trusted checkout that the working directory is a worktree of (`--project-config-root`), an absolute path.
    pub project_config_root: Option<PathBuf>,
    /// The CLI's program; by default it is searched.
    pub path_to_claude_code_executable: Option<PathBuf>,
    /// The runtime of a CLI that is a script; `node` by default.
    pub executable: Option<PathBuf>,
    /// Arguments in front of all others; for a CLI that is a script, the arguments of its runtime.
    pub executable_args: Vec<String>,
    /// Variables added to the CLI's inherited environment.
    pub env: BTreeMap<String, String>,
    /// Variables that the CLI does not inherit.
    pub env_remove: BTreeSet<String>,
    /// Whether the CLI inherits no variables and gets only those in `env`.
    pub env_clear: bool,
    /// Flags that this version does not know, without the leading `--`; `None` for a flag without a value.
    pub extra_args: BTreeMap<String, Option<String>>,
    /// The user that the CLI runs as, by name or number, on Unix; usually requires root.
    pub user: Option<String>,
    /// The name of this program for the API (`CLAUDE_AGENT_SDK_CLIENT_APP`), such as `my-app/1.0`.
    pub client_app: Option<String>,
    /// Whether the CLI writes a debug log to stderr (`--debug`); `debug_file` takes precedence.
    pub debug: bool,
    /// The file for the CLI's debug log (`--debug-file`).
    pub debug_file: Option<PathBuf>,
    /// Whether files are checkpointed so that they can be rewound (`CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING`).
    pub enable_file_checkpointing: bool,
    /// The maximum length of a line from the CLI, in bytes; 64 MiB by default.
    pub max_buffer_size: Option<usize>,
    /// The trace that contains the session (`TRACEPARENT`, `TRACESTATE`).
    pub trace_context: Option<TraceContext>,
    /// Whether to warn about an old CLI; by default yes, unless `CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK` is set.
    pub version_check: Option<bool>,
}

impl Options {
    /// Returns the defaults: the CLI's own, with an empty system prompt.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a description of every option: name, type, default, effect and version.
    pub fn described() -> &'static [OptionInfo] {
        table::TABLE
    }

    /// Returns those of the given options that differ from the default.
    pub(crate) fn set(&self, mut among: Vec<&'static OptionInfo>) -> Vec<&'static OptionInfo> {
        // The list is usually empty, and the comparison is slow.
        if !among.is_empty() {
            let values = |options: &Self| serde_json::to_value(options).unwrap_or_default();
            let (ours, default) = (values(self), values(&Self::default()));
            among.retain(|option| ours[option.name] != default[option.name]);
        }
        among
    }

    /// Returns the command line, environment, files and handshake that these options result in.
    ///
    /// Nothing is started or written.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if an option can't be used as set.
    pub fn to_launch_plan(&self) -> Result<LaunchPlan, Error> {
        let mut plan = LaunchPlan::stream_json();
        let groups: [&dyn ToCli; 11] = [
            &model::Group(self),
            &limits::Group(self),
            &conversation::Group(self),
            &prompt::Group(self),
            &permissions::Group(self),
            &tools::Group(self),
            &output::Group(self),
            &mcp::Group(self),
            &plugins::Group(self),
            &settings::Group(self),
            &environment::Group(self),
        ];
        for group in groups {
            group.to_cli(&mut plan)?;
        }
        self.check_arguments(&plan)?;
        Ok(plan)
    }

    /// Rejects NUL bytes, which a command line can't contain, and names the option.
    fn check_arguments(&self, plan: &LaunchPlan) -> Result<(), Error> {
        let option_of = |arg: &String| {
            let flag = arg.split('=').next().unwrap_or_default();
            let has_flag = |info: &&OptionInfo| info.becomes.contains(&format!("`{flag}"));
            table::TABLE.iter().find(has_flag).map_or("extraArgs", |info| info.name)
        };
        let options = plan.args.iter().map(|arg| (arg, option_of(arg)));
        let own = self.executable_args.iter().map(|arg| (arg, "executableArgs"));
        match options.chain(own).find(|(arg, _)| arg.contains('\0')) {
            Some((_, option)) => refuse(option, "a value holds a NUL byte"),
            None => Ok(()),
        }
    }
}
