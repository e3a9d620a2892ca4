//! The table of all options, the source of docs/options.md and of suggestions for unknown names.

/// The description of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionInfo {
    /// The name in JSON.
    pub name: &'static str,
    /// The SDK that the option comes from.
    pub origin: Origin,
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
pub enum Origin {
    /// Both reference SDKs, or the TypeScript one.
    Reference,
    /// Only the Python SDK.
    Python,
    /// Only this crate.
    Own,
}

const fn of(
    name: &'static str,
    kind: &'static str,
    default: &'static str,
    becomes: &'static str,
    since: &'static str,
    differs: &'static str,
) -> OptionInfo {
    OptionInfo { name, origin: Origin::Reference, kind, default, becomes, since, differs }
}

impl OptionInfo {
    const fn from(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }
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

#[rustfmt::skip] // One option a line, in the order of the struct.
pub(super) const TABLE: &[OptionInfo] = &[
    of("model", "string", "the CLI's", "`--model=`", OLD, ""),
    of("fallbackModel", "string, with commas", "none", "`--fallback-model=`", OLD, ""),
    of("agent", "string", "none", "`--agent=`", OLD, ""),
    of("agents", "agents by type", "none", "`initialize.agents`", OLD, "A key that an agent does not have is an error."),
    of("effort", "`low`, `medium`, `high`, `xhigh`, `max`", "the CLI's", "`--effort=`", OLD, ""),
    of("thinking", "`{\"type\": \"adaptive\"}`, `\"enabled\"` with `budgetTokens`, `\"disabled\"`; `display`", "the CLI's", "`--thinking=` or `--max-thinking-tokens=`, and `--thinking-display=`", OLD, ""),
    of("maxThinkingTokens", "number", "the CLI's", "`--max-thinking-tokens=`, unless `thinking` is set", OLD, "Where `thinking` counts before it, a warning says so."),
    of("betas", "list of strings", "none", "`--betas=a,b`", OLD, ""),
    of("systemPrompt", "string, list, `{\"type\": \"custom\" …}`, `\"preset\"`, `\"file\"`", "an empty prompt", "`initialize.systemPrompt`, `appendSystemPrompt`, `excludeDynamicSections`, `systemPromptSnapshot`; `--system-prompt-file=`", OLD, "It is never on the command line, as Python has it: prompts are long, and other users could read them. `{\"type\": \"file\"}` is Python's."),
    of("planModeInstructions", "string", "the CLI's", "`initialize.planModeInstructions`", OLD, ""),
    of("tools", "list of strings, or `{\"type\": \"preset\", \"preset\": \"claude_code\"}`", "the CLI's", "`--tools=a,b`, `--tools=`, `--tools=default`", OLD, ""),
    of("allowedTools", "list of rules", "none", "`--allowedTools=a,b`", OLD, "An empty rule is an error."),
    of("disallowedTools", "list of rules", "none", "`--disallowedTools=a,b`", OLD, "An empty rule is an error."),
    of("toolAliases", "names by name", "none", "`initialize.toolAliases`", OLD, ""),
    of("toolConfig", "`{\"askUserQuestion\": {\"previewFormat\": \"html\"}}`", "the CLI's", "`CLAUDE_CODE_QUESTION_PREVIEW_FORMAT`", OLD, ""),
    of("skills", "list of strings, or `\"all\"`", "the CLI's", "`initialize.skills`, and rules in `--allowedTools=`", OLD, ""),
    of("permissionMode", "`default`, `acceptEdits`, `plan`, `dontAsk`, `auto`, `bypassPermissions`", "the CLI's", "`--permission-mode=`", OLD, ""),
    of("allowDangerouslySkipPermissions", "boolean", "`false`", "`--allow-dangerously-skip-permissions`", OLD, "Nothing of it is checked here: whether root may have it depends on where the CLI runs."),
    of("permissionPromptToolName", "string", "none", "`--permission-prompt-tool=`", OLD, ""),
    of("permissionPrompts", "`host`, `none`", "`host`", "`--permission-prompts=`", NEW, ""),
    of("maxTurns", "number", "no limit", "`--max-turns=`", OLD, "0 is an error; the CLI takes it for no limit."),
    of("maxBudgetUsd", "number", "no limit", "`--max-budget-usd=`", OLD, ""),
    of("taskBudget", "`{\"total\": number}`", "none", "`--task-budget=`", OLD, ""),
    of("resume", "string", "a new session", "`--resume=`", OLD, ""),
    of("continue", "boolean", "`false`", "`--continue`", OLD, "Where `resume` counts before it, a warning says so."),
    of("forkSession", "boolean", "`false`", "`--fork-session`", OLD, ""),
    of("sessionId", "a UUID", "the CLI's choice", "`--session-id=`", OLD, ""),
    of("resumeSessionAt", "a message's uuid", "all of it", "`--resume-session-at=`", OLD, ""),
    of("resumeDropsTurn", "a prompt's uuid", "none", "`--resume-drops-turn=`", NEW, ""),
    of("persistSession", "boolean", "`true`", "`--no-session-persistence`, with `false`", OLD, ""),
    of("title", "string", "made up", "`initialize.title`", OLD, ""),
    of("sessionStoreFlush", "`batched`, `eager`", "`batched`", "when a session store is written to", ANY, "`eager` is the choice for anything that may be killed: see [sessions](sessions.md#choose-when-entries-are-stored). Without a session store, a warning says that it has no effect."),
    of("loadTimeoutMs", "number", "60,000", "how long a session store may take to load", ANY, "As with `sessionStoreFlush`."),
    of("sessionStoreFlushTimeoutMs", "number", "10,000", "how long a result waits for a session store", ANY, "The references wait for as long as an append may take. As with `sessionStoreFlush`.").from(Origin::Own),
    of("sessionStoreAppendTimeoutMs", "number", "60,000", "how long a session store may take to append", ANY, "As with `sessionStoreFlush`.").from(Origin::Own),
    of("sessionStoreMaxPendingBytes", "number of bytes", "64 MiB", "what may wait for a session store", ANY, "As with `sessionStoreFlush`.").from(Origin::Own),
    of("sessionStoreProject", "string", "the CLI's folder for `cwd`", "the project in a session store", ANY, "As with `sessionStoreFlush`.").from(Origin::Own),
    of("outputFormat", "`{\"type\": \"json_schema\", \"schema\": …}`", "text", "`initialize.jsonSchema` and `--json-schema=`", OLD, "A schema of more than 8 KiB goes into the handshake alone, which suffices: a command line has a limit of length."),
    of("includePartialMessages", "boolean", "`false`", "`--include-partial-messages`", OLD, ""),
    of("includeHookEvents", "boolean", "`false`", "`--include-hook-events`", OLD, ""),
    of("forwardSubagentText", "boolean", "`false`", "`initialize.forwardSubagentText`", OLD, ""),
    of("verbatimPrompts", "boolean", "`false`", "`client_composed` of each prompt", VERBATIM, ""),
    of("promptSuggestions", "boolean", "`false`", "`initialize.promptSuggestions`", OLD, ""),
    of("agentProgressSummaries", "boolean", "`false`", "`initialize.agentProgressSummaries`", OLD, ""),
    of("supportedDialogKinds", "list of strings", "none", "`initialize.supportedDialogKinds`", OLD, ""),
    of("perTaskStopAffordance", "boolean", "`false`", "`initialize.perTaskStopAffordance`", NEW, ""),
    of("mcpServers", "servers by name", "none", "`initialize.mcpServers` with `--await-initialize`", OLD, "They go into the handshake by default: other users of the machine can read a command line. `type` and `args` are always written. A server in this program is none of them: it goes to `SessionBuilder::mcp_servers`. A key that a server does not have is an error."),
    of("mcpServersDelivery", "`initialize`, `argv`", "`initialize`", "with `argv`, `--mcp-config=`", AWAIT, "The default is `initialize`. With `argv`, servers with arguments, variables, headers or addresses that may hold a key are in a file that only the CLI may read. An older CLI is started again, as with `argv`, and a warning says so."),
    of("mcpConfigFiles", "list of paths", "none", "`--mcp-config=PATH` each", OLD, "Python has it as a path in `mcp_servers`.").from(Origin::Python),
    of("strictMcpConfig", "boolean", "`false`", "`--strict-mcp-config`", OLD, ""),
    of("plugins", "list of `{\"type\": \"local\", \"path\": …}`", "none", "`initialize.plugins` with `--await-initialize`", OLD, "They go into the handshake by default: a command line has a limit of length."),
    of("pluginDelivery", "`initialize`, `argv`", "`initialize`", "with `argv`, `--plugin-dir=` or `--plugin-dir-no-mcp=` each", AWAIT, "The default is `initialize`; an older CLI is started again, as with `argv`, and a warning says so."),
    of("settings", "a path, or settings", "none", "`--settings=`", OLD, "Settings with anything that may be secret are in a file that only the CLI may read, and that is gone with the session; so are long ones."),
    of("managedSettings", "settings", "none", "`--managed-settings=`", OLD, "The CLI takes no path here; where anything may be secret, a warning says that other users of the machine can read it."),
    of("settingSources", "list of `user`, `project`, `local`", "all", "`--setting-sources=a,b`, `--setting-sources=`", OLD, ""),
    of("sandbox", "settings of the sandbox", "none", "a part of `--settings=`", OLD, "Credentials make it a private file, as with `settings`. A key that the sandbox does not have is an error."),
    of("cwd", "path", "this program's", "the working directory", ANY, ""),
    of("additionalDirectories", "list of paths", "none", "`--add-dir=` each", OLD, ""),
    of("projectConfigRoot", "an absolute path", "`cwd`", "`--project-config-root=`", NEW, ""),
    of("pathToClaudeCodeExecutable", "path", "searched for", "the program", ANY, ""),
    of("executable", "path", "`node`", "the program, where the CLI is a script", ANY, "Any program, not one of three names."),
    of("executableArgs", "list of strings", "none", "arguments in front of all others", ANY, ""),
    of("env", "texts by name", "none", "variables, beside what is inherited", ANY, "It adds to what is inherited, as in Python; in TypeScript it replaces all of it, which is `envClear`."),
    of("envRemove", "list of strings", "none", "variables that are not inherited", ANY, "Neither reference has it.").from(Origin::Own),
    of("envClear", "boolean", "`false`", "nothing is inherited", ANY, "Neither reference has it.").from(Origin::Own),
    of("extraArgs", "texts or null by name", "none", "`--name=value`, `--name`", ANY, "Always `--name=value`, so that no value can be taken for a flag. One that an option has set already is an error."),
    of("user", "string", "this program's", "the user that the CLI runs as", ANY, "A name, or a number as text. The group is that user's too; Python changes the user alone.").from(Origin::Python),
    of("clientApp", "string", "none", "`CLAUDE_AGENT_SDK_CLIENT_APP`", OLD, "None is made up; one that an outer session made up is not inherited.").from(Origin::Python),
    of("debug", "boolean", "`false`", "`--debug`, unless `debugFile` is set", OLD, ""),
    of("debugFile", "path", "none", "`--debug-file=`", OLD, ""),
    of("enableFileCheckpointing", "boolean", "`false`", "`CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING`", OLD, ""),
    of("maxBufferSize", "number of bytes", "64 MiB", "the longest line that is taken", ANY, "64 MiB and not 1 MiB: lines of more than 5 MB were seen. A longer one does not end the session.").from(Origin::Python),
    of("traceContext", "`{\"traceparent\": …, \"tracestate\": …}`", "the active span, with the feature `opentelemetry`", "`TRACEPARENT`, `TRACESTATE`", OLD, "The references take the active span of OpenTelemetry alone.").from(Origin::Own),
    of("versionCheck", "boolean", "`true`", "warnings about the CLI's version", ANY, "The references have the variable `CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK` alone, which counts here too. The version is that of the handshake, and costs no time.").from(Origin::Own),
];
