//! What a session can be told before it starts: plain data.

mod argv;
mod bare;
mod conversation;
mod described;
mod distance;
mod environment;
mod folder;
mod limits;
mod lower;
mod mcp;
mod model;
mod output;
mod output_schema;
mod permissions;
mod plugins;
mod prompt;
mod read;
mod sandbox;
mod secrets;
mod setters;
mod settings;
mod show;
mod strict;
mod tools;
mod trace;
mod unasked;
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
pub use described::{OptionInfo, Origin};
pub use limits::TaskBudget;
pub use lower::{LaunchPlan, PrivateFile};
pub use mcp::Delivery;
pub use model::{Thinking, ThinkingDisplay};
pub use output::OutputFormat;
pub use permissions::PermissionPrompts;
pub use prompt::SystemPrompt;
pub use settings::{FlagSettings, SettingSource};
pub use tools::{AskUserQuestionConfig, PreviewFormat, Skills, ToolConfig, Tools};
pub use trace::TraceContext;
pub use warning::Warning;

pub(crate) use bare::check_in_force;
#[cfg(feature = "sessions")]
pub(crate) use conversation::NO_STORE;
pub(crate) use folder::Heeded;
pub(crate) use lower::{AWAIT_INITIALIZE, refuse, resumes};
pub(crate) use permissions::PROMPT_TOOL;
pub(crate) use unasked::unasked_in;

use crate::Error;
use lower::Lower;

/// What a session can be told before it starts.
///
/// Plain data: it can be compared, stored and printed, and its names in JSON are those of the reference TypeScript
/// options, where an unknown one is an error with a suggestion.
/// What each becomes is told by [`Options::described`] and by docs/options.md, which is made from it.
/// Callbacks, in-process servers and transports are no options: they go to the
/// [`SessionBuilder`](crate::SessionBuilder).
/// `Debug` shows what differs from the default: of environment variables and headers the names alone, of settings
/// and of the arguments of MCP servers nothing, and of addresses the host.
#[derive(Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Options {
    /// The model (`--model`).
    pub model: Option<String>,
    /// The models to fall back to, with commas between them (`--fallback-model`).
    pub fallback_model: Option<String>,
    /// The agent that the main conversation runs as (`--agent`), one of `agents` or of the settings.
    pub agent: Option<String>,
    /// Subagents of the host's own, by type (`initialize.agents`).
    #[serde(deserialize_with = "strict::read")]
    pub agents: BTreeMap<Box<str>, AgentDefinition>,
    /// How hard the model tries (`--effort`).
    pub effort: Option<EffortLevel>,
    /// Whether and how the model thinks (`--thinking`, `--max-thinking-tokens`, `--thinking-display`).
    pub thinking: Option<Thinking>,
    /// How many tokens the model may think with (`--max-thinking-tokens`); `thinking` counts before it.
    pub max_thinking_tokens: Option<u32>,
    /// Beta features of the API (`--betas`).
    pub betas: Vec<String>,
    /// The system prompt (`initialize.systemPrompt`); by default an empty one, as in the reference SDKs.
    pub system_prompt: SystemPrompt,
    /// How to work in plan mode, in the place of the CLI's own words (`initialize.planModeInstructions`).
    pub plan_mode_instructions: Option<String>,

    /// The built-in tools that there are (`--tools`); `None` leaves it to the CLI, an empty list is none.
    pub tools: Option<Tools>,
    /// Tool uses that pass without a question (`--allowedTools`), as rules such as `Bash(git:*)`.
    pub allowed_tools: Vec<String>,
    /// Tools that are taken away (`--disallowedTools`).
    pub disallowed_tools: Vec<String>,
    /// Other names for tools (`initialize.toolAliases`): a tool use of the first name is one of the second.
    pub tool_aliases: BTreeMap<Box<str>, Box<str>>,
    /// How built-in tools work (`CLAUDE_CODE_QUESTION_PREVIEW_FORMAT`).
    pub tool_config: Option<ToolConfig>,
    /// The skills that there are (`initialize.skills`, and rules in `--allowedTools`); `None` leaves it to the CLI.
    pub skills: Option<Skills>,
    /// How tool uses are permitted at first (`--permission-mode`).
    pub permission_mode: Option<PermissionMode>,
    /// Whether the mode `bypassPermissions` can be had (`--allow-dangerously-skip-permissions`); the CLI refuses it to
    /// root outside of a sandbox.
    pub allow_dangerously_skip_permissions: bool,
    /// The MCP tool that is asked for permissions (`--permission-prompt-tool`), in the place of a callback.
    pub permission_prompt_tool_name: Option<String>,
    /// Who answers questions for permission (`--permission-prompts`).
    pub permission_prompts: Option<PermissionPrompts>,

    /// The most rounds that a turn may have (`--max-turns`).
    pub max_turns: Option<u32>,
    /// The most that the session may cost, in US dollars (`--max-budget-usd`).
    pub max_budget_usd: Option<f64>,
    /// The tokens that the model is told to have for its task (`--task-budget`).
    pub task_budget: Option<TaskBudget>,

    /// The stored session to go on with (`--resume`), by id or title.
    pub resume: Option<String>,
    /// Whether to go on with the directory's last session (`--continue`).
    #[serde(rename = "continue")]
    pub continue_last: bool,
    /// Whether the session that is gone on with is left as it is, and a copy is used (`--fork-session`).
    pub fork_session: bool,
    /// The session's id, a UUID (`--session-id`); with `resume` or `continue` that of the copy, which needs
    /// `fork_session`.
    pub session_id: Option<String>,
    /// The last message of the stored session that counts, by its uuid (`--resume-session-at`).
    pub resume_session_at: Option<String>,
    /// The prompt of the one turn that may be dropped by that, by its uuid (`--resume-drops-turn`).
    pub resume_drops_turn: Option<String>,
    /// Whether the session is stored; `Some(false)` for not (`--no-session-persistence`).
    pub persist_session: Option<bool>,
    /// The title of a new session (`initialize.title`).
    pub title: Option<String>,
    /// How soon a session store gets what is new; without a store it has no effect.
    pub session_store_flush: Option<SessionStoreFlush>,
    /// How long a session store may take to load, in milliseconds; without a store it has no effect.
    pub load_timeout_ms: Option<u64>,
    /// How long a result, or the end, waits for a session store to have what came before it, in milliseconds; 10,000 by
    /// default.
    pub session_store_flush_timeout_ms: Option<u64>,
    /// How long a session store may take for one append, in milliseconds; 60,000 by default.
    pub session_store_append_timeout_ms: Option<u64>,
    /// How many bytes may wait for a session store; 64 MiB by default. What comes past them is not stored, and told.
    pub session_store_max_pending_bytes: Option<usize>,
    /// What a session store calls the project; by default the name of the CLI's folder for `cwd`, which is made from its
    /// path and so depends on the machine.
    pub session_store_project: Option<String>,

    /// The shape of the answer (`initialize.jsonSchema`, and `--json-schema` where it is short).
    pub output_format: Option<OutputFormat>,
    /// Whether answers are told as they stream (`--include-partial-messages`).
    pub include_partial_messages: bool,
    /// Whether the runs of the settings' hooks are told (`--include-hook-events`); callbacks are not.
    pub include_hook_events: bool,
    /// Whether the text of subagents comes as messages (`initialize.forwardSubagentText`).
    pub forward_subagent_text: bool,
    /// Whether prompts are taken as they are: no `@path` and no slash command in them (`client_composed` of each).
    pub verbatim_prompts: bool,
    /// Whether a next prompt is suggested after each turn (`initialize.promptSuggestions`).
    pub prompt_suggestions: bool,
    /// Whether the progress of subagents is summed up now and then (`initialize.agentProgressSummaries`).
    pub agent_progress_summaries: bool,
    /// The kinds of dialogs that the host can show (`initialize.supportedDialogKinds`); others are not asked.
    pub supported_dialog_kinds: Vec<Box<str>>,
    /// Whether the user can stop each task by itself (`initialize.perTaskStopAffordance`): an interrupt then leaves
    /// tasks in the background alone.
    pub per_task_stop_affordance: bool,

    /// The MCP servers that the CLI runs or connects to, by name (`initialize.mcpServers`).
    #[serde(deserialize_with = "strict::read")]
    pub mcp_servers: BTreeMap<Box<str>, McpServerConfig>,
    /// How `mcp_servers` reach the CLI; by default in the handshake, where nobody else on the machine reads them.
    pub mcp_servers_delivery: Option<Delivery>,
    /// Files with further MCP servers (`--mcp-config`).
    pub mcp_config_files: Vec<PathBuf>,
    /// Whether no other MCP servers are used (`--strict-mcp-config`).
    pub strict_mcp_config: bool,
    /// The plugins of the session (`initialize.plugins`).
    #[serde(deserialize_with = "strict::read")]
    pub plugins: Vec<PluginConfig>,
    /// How `plugins` reach the CLI; by default in the handshake.
    pub plugin_delivery: Option<Delivery>,

    /// Settings that outrank the user's (`--settings`), as a file's path or as they are.
    pub settings: Option<FlagSettings>,
    /// Settings as an administrator's, where the machine has none (`--managed-settings`); the CLI keeps of them what
    /// restricts.
    pub managed_settings: Option<RawSettings>,
    /// Which settings files are read (`--setting-sources`); `None` leaves it to the CLI, an empty list is none.
    pub setting_sources: Option<Vec<SettingSource>>,
    /// The sandbox of commands, as a part of the settings (`--settings`).
    #[serde(deserialize_with = "strict::read")]
    pub sandbox: Option<SandboxSettings>,

    /// The working directory; by default this program's.
    pub cwd: Option<PathBuf>,
    /// Further directories to work in (`--add-dir`).
    pub additional_directories: Vec<PathBuf>,
    /// The trusted checkout that the working directory is a worktree of (`--project-config-root`), an absolute path.
    pub project_config_root: Option<PathBuf>,
    /// The CLI's program; by default it is searched for.
    pub path_to_claude_code_executable: Option<PathBuf>,
    /// What runs a CLI that is a script, such as `node`; that is the default too.
    pub executable: Option<PathBuf>,
    /// Arguments in front of all others; where the CLI is a script, those of what runs it.
    pub executable_args: Vec<String>,
    /// Variables that are set in the CLI's environment, beside those that it inherits.
    pub env: BTreeMap<String, String>,
    /// Variables that the CLI does not inherit.
    pub env_remove: BTreeSet<String>,
    /// Whether the CLI inherits nothing, and gets the variables in `env` alone.
    pub env_clear: bool,
    /// Flags that are newer than this version, without the leading `--`; `None` for a flag that takes no value.
    pub extra_args: BTreeMap<String, Option<String>>,
    /// The user that the CLI runs as, by name or number, on Unix; it takes a right that root has.
    pub user: Option<String>,
    /// What the CLI calls this program towards the API (`CLAUDE_AGENT_SDK_CLIENT_APP`), such as `my-app/1.0`.
    pub client_app: Option<String>,
    /// Whether the CLI writes what it does to its stderr (`--debug`); `debug_file` counts before it.
    pub debug: bool,
    /// The file that the CLI writes what it does to (`--debug-file`).
    pub debug_file: Option<PathBuf>,
    /// Whether files are kept so that they can be rewound (`CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING`).
    pub enable_file_checkpointing: bool,
    /// The longest line that is taken from the CLI, in bytes; 64 MiB by default.
    pub max_buffer_size: Option<usize>,
    /// The trace that the session is a part of (`TRACEPARENT`, `TRACESTATE`).
    pub trace_context: Option<TraceContext>,
    /// Whether a CLI that is too old is warned about; it is, unless `CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK` is set.
    pub version_check: Option<bool>,
}

impl Options {
    /// The defaults: the CLI's own, with an empty system prompt.
    pub fn new() -> Self {
        Self::default()
    }

    /// Every option: its name, its type, its default, what it becomes and since when.
    pub fn described() -> &'static [OptionInfo] {
        described::TABLE
    }

    /// Which of these options are not as by default.
    pub(crate) fn set(&self, mut among: Vec<&'static OptionInfo>) -> Vec<&'static OptionInfo> {
        // Mostly none is asked for, and to find out takes long.
        if !among.is_empty() {
            let values = |options: &Self| serde_json::to_value(options).unwrap_or_default();
            let (ours, default) = (values(self), values(&Self::default()));
            among.retain(|option| ours[option.name] != default[option.name]);
        }
        among
    }

    /// What these options become on the command line, in the environment and in the handshake.
    ///
    /// Nothing is started or written.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] where an option can't be used as it is set.
    pub fn lower(&self) -> Result<LaunchPlan, Error> {
        let mut lowered = LaunchPlan::stream_json();
        let groups: [&dyn Lower; 11] = [
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
            group.lower(&mut lowered)?;
        }
        self.check_arguments(&lowered)?;
        Ok(lowered)
    }

    /// Refuses NUL bytes, which no command line can carry, in the name of the option that has them.
    fn check_arguments(&self, lowered: &LaunchPlan) -> Result<(), Error> {
        let option_of = |arg: &String| {
            let flag = arg.split('=').next().unwrap_or_default();
            let has_flag = |info: &&OptionInfo| info.becomes.contains(&format!("`{flag}"));
            described::TABLE.iter().find(has_flag).map_or("extraArgs", |info| info.name)
        };
        let options = lowered.args.iter().map(|arg| (arg, option_of(arg)));
        let own = self.executable_args.iter().map(|arg| (arg, "executableArgs"));
        match options.chain(own).find(|(arg, _)| arg.contains('\0')) {
            Some((_, option)) => refuse(option, "a value holds a NUL byte"),
            None => Ok(()),
        }
    }
}
