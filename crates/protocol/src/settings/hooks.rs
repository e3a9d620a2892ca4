//! Hooks that settings declare: commands, questions to a model, requests and tools.

use serde::{Deserialize, Serialize};

use crate::{RawJson, Secrets, control::HookFailure, open_enum::open_enum, tagged::tagged};

/// Hooks of one event that share a matcher.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SettingsHookMatcher {
    /// A tool name, several (`A|B`) or a pattern; `None` matches all (`matcher`).
    pub matcher: Option<Box<str>>,
    /// The hooks (`hooks`).
    pub hooks: Vec<SettingsHook>,
}

impl SettingsHookMatcher {
    /// These hooks, whenever the event fires.
    pub fn new(hooks: Vec<SettingsHook>) -> Self {
        Self { matcher: None, hooks }
    }
}

tagged! {
    /// A hook that settings declare.
    pub enum SettingsHook by "type" hides unknown {
        /// A command, which reads the event's input from its standard input.
        Command(Box<CommandHook>) = "command",
        /// A question to a model.
        Prompt(Box<PromptHook>) = "prompt",
        /// A check by an agent.
        Agent(Box<AgentHook>) = "agent",
        /// A request that carries the event's input.
        Http(Box<HttpHook>) = "http",
        /// A tool of an MCP server.
        McpTool(Box<McpToolHook>) = "mcp_tool",
    }
}

/// A command (`command`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CommandHook {
    /// The command, for a shell unless `args` is there (`command`).
    pub command: String,
    /// Its arguments, without a shell (`args`).
    pub args: Option<Vec<String>>,
    /// The shell (`shell`).
    pub shell: Option<HookShell>,
    /// Only for tool uses that fit this permission rule (`if`).
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The limit, in seconds (`timeout`).
    pub timeout: Option<f64>,
    /// What is shown while it runs (`statusMessage`).
    pub status_message: Option<String>,
    /// Whether it runs only once (`once`).
    pub once: Option<bool>,
    /// What happens when it fails (`onFailure`).
    pub on_failure: Option<HookFailure>,
    /// Whether nobody waits for it (`async`).
    #[serde(rename = "async")]
    pub run_async: Option<bool>,
    /// Whether, when it ends with the code 2, the model is woken up; nobody waits for it (`asyncRewake`).
    pub async_rewake: Option<bool>,
}

impl CommandHook {
    /// This command; the fields may say more.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            args: None,
            shell: None,
            condition: None,
            timeout: None,
            status_message: None,
            once: None,
            on_failure: None,
            run_async: None,
            async_rewake: None,
        }
    }
}

open_enum! {
    /// The shell that a command runs in.
    pub enum HookShell {
        /// The user's, or `bash`.
        Bash = "bash",
        /// PowerShell.
        PowerShell = "powershell",
    }
}

/// A question to a model (`prompt`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptHook {
    /// The question; `$ARGUMENTS` stands for the event's input (`prompt`).
    pub prompt: String,
    /// The model (`model`).
    pub model: Option<Box<str>>,
    /// Only for tool uses that fit this permission rule (`if`).
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The limit, in seconds (`timeout`).
    pub timeout: Option<f64>,
    /// What is shown while it runs (`statusMessage`).
    pub status_message: Option<String>,
    /// Whether it runs only once (`once`).
    pub once: Option<bool>,
    /// Whether the turn goes on when the answer is a block (`continueOnBlock`).
    pub continue_on_block: Option<bool>,
}

/// A check by an agent (`agent`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentHook {
    /// What to check; `$ARGUMENTS` stands for the event's input (`prompt`).
    pub prompt: String,
    /// The model (`model`).
    pub model: Option<Box<str>>,
    /// Only for tool uses that fit this permission rule (`if`).
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The limit, in seconds (`timeout`).
    pub timeout: Option<f64>,
    /// What is shown while it runs (`statusMessage`).
    pub status_message: Option<String>,
    /// Whether it runs only once (`once`).
    pub once: Option<bool>,
}

/// A request (`http`); `Debug` does not show its headers.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HttpHook {
    /// The address that the event's input is posted to (`url`).
    pub url: String,
    /// Headers to add, which may name environment variables (`headers`).
    pub headers: Option<Secrets>,
    /// The environment variables that they may name (`allowedEnvVars`).
    pub allowed_env_vars: Option<Vec<Box<str>>>,
    /// Only for tool uses that fit this permission rule (`if`).
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The limit, in seconds (`timeout`).
    pub timeout: Option<f64>,
    /// What is shown while it runs (`statusMessage`).
    pub status_message: Option<String>,
    /// Whether it runs only once (`once`).
    pub once: Option<bool>,
    /// What happens when it fails (`onFailure`).
    pub on_failure: Option<HookFailure>,
}

/// A tool of an MCP server (`mcp_tool`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpToolHook {
    /// The server (`server`).
    pub server: Box<str>,
    /// The tool (`tool`).
    pub tool: Box<str>,
    /// The tool's input; `${path}` stands for a part of the event's input (`input`).
    pub input: Option<RawJson>,
    /// Only for tool uses that fit this permission rule (`if`).
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The limit, in seconds (`timeout`).
    pub timeout: Option<f64>,
    /// What is shown while it runs (`statusMessage`).
    pub status_message: Option<String>,
    /// Whether it runs only once (`once`).
    pub once: Option<bool>,
    /// What happens when it fails (`onFailure`).
    pub on_failure: Option<HookFailure>,
}
