//! The table of all options, the source of docs/options-table.md and of suggestions for unknown names.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
};

use agentwire_protocol::{
    PermissionMode, agent::AgentDefinition, effort::EffortLevel, mcp::McpServerConfig, plugin::PluginConfig,
    sandbox::SandboxSettings, settings::RawSettings,
};
use serde::{Deserialize, Serialize};

use super::{
    Delivery, FlagSettings, OutputFormat, PermissionPrompts, SessionStoreFlush, SettingSource, Skills,
    SystemPrompt, TaskBudget, ThinkingConfig, ToolConfig, Tools, TraceContext,
    define::options,
    launch_plan::{LaunchPlan, word},
    strict,
};

/// The description of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionInfo {
    /// The name in JSON.
    pub name: &'static str,
    /// The SDK that the option comes from.
    pub origin: OptionOrigin,
    /// The type in JSON.
    pub kind: &'static str,
    /// The default.
    pub default: &'static str,
    /// The flag, variable or field that it sets.
    pub becomes: &'static str,
    /// The CLI version known to support it: the oldest tested version, if all tested versions do.
    pub since: &'static str,
    /// The differences from the reference and their reasons; empty if there are none.
    pub differs: &'static str,
}

/// The SDK that an option comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionOrigin {
    /// Both reference SDKs, or the TypeScript one.
    Reference,
    /// Only the Python SDK.
    Python,
    /// Only this crate.
    Own,
}

/// The oldest tested CLI.
const OLD: &str = "2.1.197";
/// Supported by the newest tested CLI, but not by the oldest.
const NEW: &str = "2.1.330";
/// The first CLI that can wait for the handshake, according to the reference's declarations.
const AWAIT: &str = "2.1.261";
/// According to the Python SDK.
const VERBATIM: &str = "2.1.248";
/// Implemented in this crate, for any CLI.
const ANY: &str = "any";

options! {
    /// The options of a session, set before it starts.
    ///
    /// Plain data that can be compared, stored and printed. The names in JSON are those of the reference TypeScript
    /// options; an unknown name is an error with a suggestion.
    /// [`Options::described`] and docs/options-table.md, which is generated from it, list the flag or field that each option
    /// sets.
    /// Callbacks, in-process servers and transports are not options: set them on the
    /// [`SessionBuilder`](crate::SessionBuilder).
    /// `Debug` shows the options that differ from the default: of environment variables and headers only the names, of
    /// addresses only the host, and no settings or arguments of MCP servers.
    #[derive(Clone, Default, PartialEq, Deserialize, Serialize)]
    #[serde(remote = "Self", default)]
    #[non_exhaustive]
    pub struct Options {
        /// The model (`--model`).
        model: some(String), "model", flag("model"), OLD, "string", "the CLI's";
        /// The models to fall back to, separated by commas (`--fallback-model`).
        fallback_model: some(String), "fallbackModel", flag("fallback-model"), OLD, "string, with commas", "none";
        /// The agent that the main conversation runs as (`--agent`), one of `agents` or of the settings.
        agent: some(String), "agent", flag("agent"), OLD, "string", "none";
        /// The host's own subagents, by type (`initialize.agents`).
        #[serde(deserialize_with = "strict::read")]
        agents: map(AgentDefinition), "agents", handshake(), OLD, "agents by type", "none", "An unknown key of an agent is an error, and so is an in-process server in it, which the CLI would ignore.";
        /// The effort of the model (`--effort`).
        effort: some(EffortLevel), "effort", flag("effort"), OLD, "`low`, `medium`, `high`, `xhigh`, `max`", "the CLI's";
        /// Whether and how the model thinks (`--thinking`, `--max-thinking-tokens`, `--thinking-display`).
        thinking: some(ThinkingConfig), "thinking", custom("`--thinking=` or `--max-thinking-tokens=`, and `--thinking-display=`"), OLD, "`{\"type\": \"adaptive\"}`, `\"enabled\"` with `budgetTokens`, `\"disabled\"`; `display`", "the CLI's";
        /// The token limit of the model's thinking (`--max-thinking-tokens`); `thinking` takes precedence.
        max_thinking_tokens: plain(u32), "maxThinkingTokens", custom("`--max-thinking-tokens=`, unless `thinking` is set"), OLD, "number", "the CLI's", "0 is sent as a number, as in Python; TypeScript sends `--thinking=disabled`, which is `ThinkingConfig::Disabled`. In the CLI, the variable `MAX_THINKING_TOKENS` takes precedence over the number. If `thinking` takes precedence, a warning reports it.";
        /// Beta features of the API (`--betas`).
        betas: list(String), "betas", list("betas"), OLD, "list of strings", "none";
        /// The system prompt (`initialize.systemPrompt`); by default an empty one, as in the reference SDKs.
        system_prompt: own(SystemPrompt), "systemPrompt", custom("`initialize.systemPrompt`, `appendSystemPrompt`, `excludeDynamicSections`, `systemPromptSnapshot`; `--system-prompt-file=`"), OLD, "string, list, `{\"type\": \"custom\" …}`, `\"preset\"`, `\"file\"`", "an empty prompt", "Unlike in Python, it is never on the command line: prompts are long, and other users could read them. `{\"type\": \"file\"}` is Python's.";
        /// Instructions for plan mode, replacing the CLI's own (`initialize.planModeInstructions`).
        plan_mode_instructions: some(String), "planModeInstructions", handshake(), OLD, "string", "the CLI's";

        /// The available built-in tools (`--tools`); `None` leaves it to the CLI, an empty list means none.
        tools: some(Tools), "tools", custom("`--tools=a,b`, `--tools=`, `--tools=default`"), OLD, "list of strings, or `{\"type\": \"preset\", \"preset\": \"claude_code\"}`", "the CLI's";
        /// Tool uses allowed without a question (`--allowedTools`), as rules such as `Bash(git:*)`.
        allowed_tools: list(String), "allowedTools", custom("`--allowedTools=a,b`"), OLD, "list of rules", "none", "An empty rule, or one that the CLI would not read, such as `Bash(a)b`, or not match, such as `mcp__my.srv`, is an error. One that allows nothing, such as `mcp__*`, causes a warning.";
        /// Tools that are removed (`--disallowedTools`).
        disallowed_tools: list(String), "disallowedTools", list("disallowedTools"), OLD, "list of rules", "none", "An empty rule, or one that the CLI would not read, such as `Bash(a)b`, or not match, such as `mcp__my.srv`, is an error.";
        /// Aliases of tools (`initialize.toolAliases`): a use of the first name is a use of the second.
        tool_aliases: map(Box<str>), "toolAliases", handshake(), OLD, "names by name", "none";
        /// The configuration of built-in tools (`CLAUDE_CODE_QUESTION_PREVIEW_FORMAT`).
        tool_config: some(ToolConfig), "toolConfig", custom("`CLAUDE_CODE_QUESTION_PREVIEW_FORMAT`"), OLD, "`{\"askUserQuestion\": {\"previewFormat\": \"html\"}}`", "the CLI's";
        /// The available skills (`initialize.skills`, and rules in `--allowedTools`); `None` leaves it to the CLI.
        skills: some(Skills), "skills", custom("`initialize.skills`, and rules in `--allowedTools=`"), OLD, "list of strings, or `\"all\"`", "the CLI's", "With it, Python reads only the settings of `user` and `project`, unless `settingSources` is set; here, as in TypeScript, nothing else changes.";
        /// The initial permission mode (`--permission-mode`).
        permission_mode: some(PermissionMode), "permissionMode", flag("permission-mode"), OLD, "`default`, `acceptEdits`, `plan`, `dontAsk`, `auto`, `bypassPermissions`", "the CLI's";
        /// Whether the mode `bypassPermissions` is available (`--allow-dangerously-skip-permissions`); the CLI refuses it
        /// to root outside of a sandbox.
        allow_dangerously_skip_permissions: on(), "allowDangerouslySkipPermissions", switch("allow-dangerously-skip-permissions"), OLD, "boolean", "`false`", "It is not checked here: whether root may use it depends on where the CLI runs.";
        /// The MCP tool that answers permission requests (`--permission-prompt-tool`), instead of a callback.
        permission_prompt_tool_name: some(String), "permissionPromptToolName", flag("permission-prompt-tool"), OLD, "string", "none";
        /// Whether permission requests are answered or denied (`--permission-prompts`).
        permission_prompts: some(PermissionPrompts), "permissionPrompts", word("permission-prompts"), NEW, "`host`, `none`", "`host`";

        /// The maximum number of rounds in a turn (`--max-turns`).
        max_turns: plain(u32), "maxTurns", flag("max-turns"), OLD, "number", "no limit", "0 is an error; the CLI takes it for no limit.";
        /// The maximum cost of the session since its start or resume, in US dollars (`--max-budget-usd`).
        max_budget_usd: plain(f64), "maxBudgetUsd", flag("max-budget-usd"), OLD, "number", "no limit";
        /// The token budget that the model is given for its task (`--task-budget`).
        task_budget: some(TaskBudget), "taskBudget", custom("`--task-budget=`"), OLD, "`{\"total\": number}`", "none";

        /// The stored session to resume (`--resume`), by id or title.
        resume: some(String), "resume", flag("resume"), OLD, "string", "a new session", "With a session store, an id that it lacks is an error; the reference SDKs then resume the session of this machine.";
        /// Whether to continue the directory's last session (`--continue`).
        continue_last: on(), "continue", switch("continue"), OLD, "boolean", "`false`", "If `resume` takes precedence, a warning reports it. With a session store that has no session, a new one starts, as in TypeScript.";
        /// Whether to continue a copy of the resumed session and keep the original (`--fork-session`).
        fork_session: on(), "forkSession", switch("fork-session"), OLD, "boolean", "`false`";
        /// The session's id, a UUID (`--session-id`); with `resume` or `continue` the id of the copy, which requires
        /// `fork_session`.
        session_id: some(String), "sessionId", flag("session-id"), OLD, "a UUID", "the CLI's choice", "With a session store, an id under which it has messages is an error.";
        /// The last message of the stored session to keep, by its uuid (`--resume-session-at`).
        resume_session_at: some(String), "resumeSessionAt", flag("resume-session-at"), OLD, "a message's uuid", "all of it";
        /// The prompt of the only turn that `resume_session_at` may drop, by its uuid (`--resume-drops-turn`).
        resume_drops_turn: some(String), "resumeDropsTurn", flag("resume-drops-turn"), NEW, "a prompt's uuid", "none";
        /// Whether the session is stored; `Some(false)` disables it (`--no-session-persistence`).
        persist_session: plain(bool), "persistSession", custom("`--no-session-persistence`, with `false`"), OLD, "boolean", "`true`", "With a session store, `false` is an error, as in TypeScript, and so is the variable `CLAUDE_CODE_SKIP_PROMPT_HISTORY`.";
        /// The title of a new session (`initialize.title`).
        title: some(String), "title", handshake(), OLD, "string", "generated";
        /// When new entries are appended to a session store; no effect without a store.
        session_store_flush: some(SessionStoreFlush), "sessionStoreFlush", custom("when a session store is written to"), ANY, "`batched`, `eager`", "`batched`", "`eager` is the choice for anything that may be killed: see [sessions](sessions.md#choose-when-entries-are-stored). Without a session store it has no effect, and a warning reports it.";
        /// The time limit of each call that loads from a session store, in milliseconds; 60,000 by default, and no
        /// effect without a store.
        load_timeout_ms: plain(u64), "loadTimeoutMs", custom("how long each call that loads from a session store may take"), ANY, "number", "60,000", "Like `sessionStoreFlush`, it needs a session store.";
        /// How long a result or the end waits for the session store to have all earlier entries, in milliseconds; 10,000 by
        /// default.
        session_store_flush_timeout_ms: plain(u64), "sessionStoreFlushTimeoutMs", custom("how long a result waits for a session store"), ANY, "number", "10,000", "The reference SDKs wait for as long as an append may take. Like `sessionStoreFlush`, it needs a session store.", Own;
        /// The time limit of one append to a session store, in milliseconds; 60,000 by default.
        session_store_append_timeout_ms: plain(u64), "sessionStoreAppendTimeoutMs", custom("how long a session store may take to append"), ANY, "number", "60,000", "Like `sessionStoreFlush`, it needs a session store.", Own;
        /// The limit of bytes that are pending for a session store; 64 MiB by default. Entries beyond it are dropped and
        /// reported.
        session_store_max_pending_bytes: plain(usize), "sessionStoreMaxPendingBytes", custom("what may wait for a session store"), ANY, "number of bytes", "64 MiB", "Like `sessionStoreFlush`, it needs a session store.", Own;
        /// The name of the project in the session store; by default the name of the CLI's folder for `cwd`, which is
        /// derived from its path and therefore depends on the machine.
        session_store_project: some(String), "sessionStoreProject", custom("the project in a session store"), ANY, "string", "the CLI's folder for `cwd`", "Like `sessionStoreFlush`, it needs a session store.", Own;

        /// The format of the answer (`initialize.jsonSchema`, and `--json-schema` if it is short).
        output_format: some(OutputFormat), "outputFormat", custom("`initialize.jsonSchema` and `--json-schema=`"), OLD, "`{\"type\": \"json_schema\", \"schema\": …}`", "text", "A schema of more than 8 KiB goes into the handshake alone, which suffices: a command line has a limit of length.";
        /// Whether parts of answers are sent as they stream (`--include-partial-messages`).
        include_partial_messages: on(), "includePartialMessages", switch("include-partial-messages"), OLD, "boolean", "`false`";
        /// Whether runs of hooks in the settings are reported (`--include-hook-events`); callbacks are not.
        include_hook_events: on(), "includeHookEvents", switch("include-hook-events"), OLD, "boolean", "`false`";
        /// Whether the text of subagents is sent as messages (`initialize.forwardSubagentText`).
        forward_subagent_text: on(), "forwardSubagentText", asked(), OLD, "boolean", "`false`";
        /// Whether prompts are used verbatim, without expanding `@path` and slash commands (`client_composed` of each).
        verbatim_prompts: on(), "verbatimPrompts", custom("`client_composed` of each prompt"), VERBATIM, "boolean", "`false`";
        /// Whether the CLI suggests a next prompt after each turn (`initialize.promptSuggestions`).
        prompt_suggestions: on(), "promptSuggestions", asked(), OLD, "boolean", "`false`";
        /// Whether the CLI sends summaries of subagents' progress (`initialize.agentProgressSummaries`).
        agent_progress_summaries: on(), "agentProgressSummaries", asked(), OLD, "boolean", "`false`";
        /// The kinds of dialogs that the host can show (`initialize.supportedDialogKinds`); the CLI does not request
        /// others.
        supported_dialog_kinds: list(Box<str>), "supportedDialogKinds", handshake(), OLD, "list of strings", "none", "A dialog without a handler is dismissed at once; TypeScript refuses a kind without one.";
        /// Whether the user can stop each task separately (`initialize.perTaskStopAffordance`): an interrupt then does not
        /// stop background tasks.
        per_task_stop_affordance: on(), "perTaskStopAffordance", asked(), NEW, "boolean", "`false`";

        /// The MCP servers that the CLI runs or connects to, by name (`initialize.mcpServers`).
        #[serde(deserialize_with = "strict::read")]
        mcp_servers: map(McpServerConfig), "mcpServers", custom("`initialize.mcpServers` with `--await-initialize`"), OLD, "servers by name", "none", "They go into the handshake by default: other users of the machine can read a command line. `type` and `args` are always written. In-process servers go to `SessionBuilder::mcp_servers`. A key that a server does not have is an error.";
        /// The way `mcp_servers` reach the CLI; by default the handshake, which other users of the machine can't read.
        mcp_servers_delivery: some(Delivery), "mcpServersDelivery", custom("with `argv`, `--mcp-config=`"), AWAIT, "`initialize`, `argv`", "`initialize`", "TypeScript has the same default since 0.3.333. With `argv`, servers with arguments, variables, headers or addresses that may hold a key are in a file that only the CLI may read. An older CLI is started again, as with `argv`, and a warning reports it.";
        /// Files with additional MCP servers (`--mcp-config`).
        mcp_config_files: list(PathBuf), "mcpConfigFiles", custom("`--mcp-config=PATH` each"), OLD, "list of paths", "none", "Python has it as a path in `mcp_servers`.", Python;
        /// Whether all other MCP servers are ignored (`--strict-mcp-config`).
        strict_mcp_config: on(), "strictMcpConfig", switch("strict-mcp-config"), OLD, "boolean", "`false`";
        /// The plugins of the session (`initialize.plugins`).
        #[serde(deserialize_with = "strict::read")]
        plugins: list(PluginConfig), "plugins", custom("`initialize.plugins` with `--await-initialize`"), OLD, "list of `{\"type\": \"local\", \"path\": …}`", "none", "They go into the handshake by default: a command line has a limit of length. One that can't be loaded causes a warning after the first `system/init`.";
        /// The way `plugins` reach the CLI; by default the handshake.
        plugin_delivery: some(Delivery), "pluginDelivery", custom("with `argv`, `--plugin-dir=` or `--plugin-dir-no-mcp=` each"), AWAIT, "`initialize`, `argv`", "`initialize`", "The default is `initialize`; an older CLI is started again, as with `argv`, and a warning reports it.";

        /// Settings that override the user's (`--settings`), as a path or inline.
        settings: some(FlagSettings), "settings", custom("`--settings=`"), OLD, "a path, or settings", "none", "Settings with anything that may be secret are in a file that only the CLI may read, deleted at the end of the session; long settings too. If the CLI ignores them because one value is wrong, the session does not start.";
        /// Settings of an administrator, for a machine without any (`--managed-settings`); the CLI keeps only
        /// restrictions.
        managed_settings: some(RawSettings), "managedSettings", custom("`--managed-settings=`"), OLD, "settings", "none", "The CLI takes no path here; a possible secret causes a warning, because other users of the machine can read it.";
        /// The settings files to read (`--setting-sources`); `None` leaves it to the CLI, an empty list means none.
        setting_sources: own(Option<Vec<SettingSource>>), "settingSources", custom("`--setting-sources=a,b`, `--setting-sources=`"), OLD, "list of `user`, `project`, `local`", "all";
        /// The sandbox of commands, merged into the settings (`--settings`).
        #[serde(deserialize_with = "strict::read")]
        sandbox: some(SandboxSettings), "sandbox", custom("a part of `--settings=`"), OLD, "settings of the sandbox", "none", "Credentials make it a private file, as with `settings`. A key that the sandbox does not have is an error. A sandbox that is enabled and can't start is an error, as in TypeScript; in Python commands then run without it. It is merged into `settings`, as in TypeScript, and a file of `settings` beside it is an error; in Python it replaces their `sandbox`, in a file too.";

        /// The working directory; by default this program's.
        cwd: some(PathBuf), "cwd", custom("the working directory"), ANY, "path", "this program's";
        /// Additional directories to work in (`--add-dir`).
        additional_directories: list(PathBuf), "additionalDirectories", custom("`--add-dir=` each"), OLD, "list of paths", "none";
        /// The trusted checkout that the working directory is a worktree of (`--project-config-root`), an absolute path.
        project_config_root: some(PathBuf), "projectConfigRoot", path("project-config-root"), NEW, "an absolute path", "`cwd`";
        /// The CLI's program; by default it is searched.
        path_to_claude_code_executable: some(PathBuf), "pathToClaudeCodeExecutable", custom("the program"), ANY, "path", "the first one found";
        /// The runtime of a CLI that is a script; `node` by default.
        executable: some(PathBuf), "executable", custom("the program, where the CLI is a script"), ANY, "path", "`node`", "Any program; TypeScript accepts three names.";
        /// Arguments in front of all others; for a CLI that is a script, the arguments of its runtime.
        executable_args: counted(String), "executableArgs", custom("arguments in front of all others"), ANY, "list of strings", "none";
        /// Variables added to the CLI's inherited environment.
        env: named(String), "env", custom("variables, in addition to inherited ones"), ANY, "texts by name", "none", "It adds to the inherited variables, as in Python; in TypeScript it replaces them, which is `envClear`.";
        /// Variables that the CLI does not inherit.
        env_remove: own(BTreeSet<String>), "envRemove", custom("variables that are not inherited"), ANY, "list of strings", "none", "Neither SDK has it.", Own;
        /// Whether the CLI inherits no variables and gets only those in `env`.
        env_clear: on(), "envClear", custom("nothing is inherited"), ANY, "boolean", "`false`", "Neither SDK has it.", Own;
        /// Flags that this version does not know, without the leading `--`; `None` for a flag without a value.
        extra_args: named(Option<String>), "extraArgs", custom("`--name=value`, `--name`"), ANY, "texts or null by name", "none", "Always `--name=value`, so that no value can be taken for a flag. An argument that an option has already set is an error.";
        /// The user that the CLI runs as, by name or number, on Unix; usually requires root.
        user: some(String), "user", custom("the user that the CLI runs as"), ANY, "string", "this program's", "A name, or a number as text. The group is that user's too; Python changes the user alone.", Python;
        /// The name of this program for the API (`CLAUDE_AGENT_SDK_CLIENT_APP`), such as `my-app/1.0`.
        client_app: some(String), "clientApp", custom("`CLAUDE_AGENT_SDK_CLIENT_APP`"), OLD, "string", "none", "No name is derived as a default. As in Python, an inherited `CLAUDE_AGENT_SDK_CLIENT_APP` counts, and a name that an outer SDK derived does not. A value in `env` takes precedence, and a warning reports it; in Python the option takes precedence.", Python;
        /// Whether the CLI writes a debug log (`--debug`): a file in `debug` of its configuration folder, unless
        /// `debug_file` is set. For a log on stderr, add `debug-to-stderr` to `extra_args`.
        debug: on(), "debug", custom("`--debug`, unless `debugFile` is set"), OLD, "boolean", "`false`";
        /// The file for the CLI's debug log (`--debug-file`).
        debug_file: some(PathBuf), "debugFile", path("debug-file"), OLD, "path", "none";
        /// Whether files are checkpointed so that they can be rewound (`CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING`).
        enable_file_checkpointing: on(), "enableFileCheckpointing", custom("`CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING`"), OLD, "boolean", "`false`", "The reference SDKs refuse it with a session store. Here checkpoints are not in the store: a session resumed from it can rewind files only to prompts of the same process.";
        /// The maximum length of a line from the CLI, in bytes; 64 MiB by default.
        max_buffer_size: plain(usize), "maxBufferSize", custom("the longest line that is taken"), ANY, "number of bytes", "64 MiB", "64 MiB instead of 1 MiB: lines above 5 MB occur. An over-long line does not end the session.", Python;
        /// The trace that contains the session (`TRACEPARENT`, `TRACESTATE`).
        trace_context: some(TraceContext), "traceContext", custom("`TRACEPARENT`, `TRACESTATE`"), OLD, "`{\"traceparent\": …, \"tracestate\": …}`", "the active span, with the feature `opentelemetry`", "The reference SDKs use only the active OpenTelemetry span.", Own;
        /// Whether to warn about an old CLI; by default yes, unless `CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK` is set.
        version_check: plain(bool), "versionCheck", custom("warnings about the CLI's version"), ANY, "boolean", "`true`", "The reference SDKs have the variable `CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK` alone, which counts here too. The version comes from the handshake, and costs no time.", Own;
    }
}
