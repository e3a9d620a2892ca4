//! Hooks in settings: commands, model prompts, HTTP requests and MCP tools.

use crate::{RawJson, Secrets, control::HookFailure, mcp::Origin};

/// Hooks of one event with the same matcher.
#[wire(camelCase, new)]
pub struct SettingsHookMatcher {
    /// A tool name, a list (`A|B`) or a pattern; `None` matches all (`matcher`).
    pub matcher: Option<Box<str>>,
    /// The hooks (`hooks`).
    #[argument]
    pub hooks: Vec<SettingsHook>,
}

/// A hook in the settings.
#[wire(tag = "type", hides = unknown)]
pub enum SettingsHook {
    /// A command, which reads the event's input from its standard input.
    Command(Box<CommandHook>) = "command",
    /// A prompt for a model.
    Prompt(Box<PromptHook>) = "prompt",
    /// A check by an agent.
    Agent(Box<AgentHook>) = "agent",
    /// An HTTP request with the event's input.
    Http(Box<HttpHook>) = "http",
    /// A tool of an MCP server.
    McpTool(Box<McpToolHook>) = "mcp_tool",
}

/// A command (`command`).
#[wire(camelCase, new)]
pub struct CommandHook {
    /// The command; it runs in a shell unless `args` is set (`command`).
    pub command: String,
    /// The arguments; the command then runs without a shell (`args`). `Debug` shows only their number.
    #[shown(self.args.as_ref().map(Vec::len))]
    pub args: Option<Vec<String>>,
    /// The shell (`shell`).
    pub shell: Option<HookShell>,
    /// Runs only for tool uses that match this permission rule (`if`).
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The timeout in seconds (`timeout`).
    pub timeout: Option<f64>,
    /// The message to show while it runs (`statusMessage`).
    pub status_message: Option<String>,
    /// Whether to run it only once (`once`).
    pub once: Option<bool>,
    /// How to continue after a failure (`onFailure`).
    pub on_failure: Option<HookFailure>,
    /// Whether the CLI does not wait for it (`async`).
    #[serde(rename = "async")]
    pub run_async: Option<bool>,
    /// Whether exit code 2 wakes the model; the CLI does not wait for the command (`asyncRewake`).
    pub async_rewake: Option<bool>,
}

/// The shell of a command.
#[wire]
pub enum HookShell {
    /// The user's shell, or `bash`.
    Bash = "bash",
    /// PowerShell.
    PowerShell = "powershell",
}

/// A prompt for a model (`prompt`).
#[wire(camelCase)]
pub struct PromptHook {
    /// The prompt; `$ARGUMENTS` stands for the event's input (`prompt`).
    pub prompt: String,
    /// The model (`model`).
    pub model: Option<Box<str>>,
    /// Runs only for tool uses that match this permission rule (`if`).
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The timeout in seconds (`timeout`).
    pub timeout: Option<f64>,
    /// The message to show while it runs (`statusMessage`).
    pub status_message: Option<String>,
    /// Whether to run it only once (`once`).
    pub once: Option<bool>,
    /// Whether the turn continues if the answer blocks (`continueOnBlock`).
    pub continue_on_block: Option<bool>,
}

/// A check by an agent (`agent`).
#[wire(camelCase)]
pub struct AgentHook {
    /// The task; `$ARGUMENTS` stands for the event's input (`prompt`).
    pub prompt: String,
    /// The model (`model`).
    pub model: Option<Box<str>>,
    /// Runs only for tool uses that match this permission rule (`if`).
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The timeout in seconds (`timeout`).
    pub timeout: Option<f64>,
    /// The message to show while it runs (`statusMessage`).
    pub status_message: Option<String>,
    /// Whether to run it only once (`once`).
    pub once: Option<bool>,
}

/// An HTTP request (`http`); `Debug` does not show its headers, and only the origin of its URL.
#[wire(camelCase)]
pub struct HttpHook {
    /// The URL to post the event's input to (`url`).
    #[shown(Origin(&self.url))]
    pub url: String,
    /// Additional headers, which may refer to environment variables (`headers`).
    pub headers: Option<Secrets>,
    /// The environment variables that headers may refer to (`allowedEnvVars`).
    pub allowed_env_vars: Option<Vec<Box<str>>>,
    /// Runs only for tool uses that match this permission rule (`if`).
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The timeout in seconds (`timeout`).
    pub timeout: Option<f64>,
    /// The message to show while it runs (`statusMessage`).
    pub status_message: Option<String>,
    /// Whether to run it only once (`once`).
    pub once: Option<bool>,
    /// How to continue after a failure (`onFailure`).
    pub on_failure: Option<HookFailure>,
}

/// A tool of an MCP server (`mcp_tool`).
#[wire(camelCase)]
pub struct McpToolHook {
    /// The server (`server`).
    pub server: Box<str>,
    /// The tool (`tool`).
    pub tool: Box<str>,
    /// The tool's input; `${path}` stands for a field of the event's input (`input`).
    pub input: Option<RawJson>,
    /// Runs only for tool uses that match this permission rule (`if`).
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The timeout in seconds (`timeout`).
    pub timeout: Option<f64>,
    /// The message to show while it runs (`statusMessage`).
    pub status_message: Option<String>,
    /// Whether to run it only once (`once`).
    pub once: Option<bool>,
    /// How to continue after a failure (`onFailure`).
    pub on_failure: Option<HookFailure>,
}
