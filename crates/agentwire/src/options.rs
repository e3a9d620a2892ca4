//! What a session can be told before it starts: plain data.

mod argv;
mod conversation;
mod environment;
mod lower;
mod prompt;
mod tools;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
};

use agentwire_protocol::PermissionMode;
use serde::{Deserialize, Serialize};

pub use lower::Lowered;
pub use prompt::SystemPrompt;

use crate::Error;
use lower::Lower;

/// What a session can be told before it starts.
///
/// Plain data: it can be compared, stored and printed, and its names in JSON are those of the reference TypeScript
/// options.
/// Callbacks, in-process servers and transports are no options: they go to the
/// [`SessionBuilder`](crate::SessionBuilder).
/// `Debug` shows the names of environment variables, never their values.
#[derive(Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Options {
    /// The model (`--model`).
    pub model: Option<String>,
    /// The system prompt (`initialize.systemPrompt`); by default an empty one, as in the reference SDKs.
    pub system_prompt: SystemPrompt,
    /// How tool uses are permitted at first (`--permission-mode`).
    pub permission_mode: Option<PermissionMode>,
    /// Tool uses that pass without a question (`--allowedTools`), as rules such as `Bash(git:*)`.
    pub allowed_tools: Vec<String>,
    /// Tools that are taken away (`--disallowedTools`).
    pub disallowed_tools: Vec<String>,
    /// The most rounds that a turn may have (`--max-turns`).
    pub max_turns: Option<u32>,
    /// Whether answers are told as they stream (`--include-partial-messages`).
    pub include_partial_messages: bool,
    /// The stored session to go on with (`--resume`).
    pub resume: Option<String>,
    /// Which settings files are read (`--setting-sources`); `None` leaves it to the CLI, an empty list is none.
    pub setting_sources: Option<Vec<SettingSource>>,
    /// The working directory; by default this program's.
    pub cwd: Option<PathBuf>,
    /// The CLI's program; by default it is searched for.
    pub path_to_claude_code_executable: Option<PathBuf>,
    /// Variables that are set in the CLI's environment, beside those that it inherits.
    pub env: BTreeMap<String, String>,
    /// Variables that the CLI does not inherit.
    pub env_remove: BTreeSet<String>,
    /// Whether the CLI inherits nothing, and gets the variables in `env` alone.
    pub env_clear: bool,
    /// Flags that are newer than this version, without the leading `--`; `None` for a flag that takes no value.
    pub extra_args: BTreeMap<String, Option<String>>,
}

/// A place that settings are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum SettingSource {
    /// The user's own settings.
    User,
    /// The project's settings.
    Project,
    /// The project's settings that are not shared.
    Local,
}

impl Options {
    /// The defaults: the CLI's own, with an empty system prompt.
    pub fn new() -> Self {
        Self::default()
    }

    /// What these options become on the command line, in the environment and in the handshake.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] where an option can't be used as it is set.
    pub fn lower(&self) -> Result<Lowered, Error> {
        let mut lowered = Lowered::stream_json();
        let groups: [&dyn Lower; 4] = [
            &conversation::Group(self),
            &prompt::Group(self),
            &tools::Group(self),
            &environment::Group(self),
        ];
        for group in groups {
            group.lower(&mut lowered)?;
        }
        Ok(lowered)
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("model", &self.model)
            .field("system_prompt", &self.system_prompt)
            .field("permission_mode", &self.permission_mode)
            .field("allowed_tools", &self.allowed_tools)
            .field("disallowed_tools", &self.disallowed_tools)
            .field("max_turns", &self.max_turns)
            .field("include_partial_messages", &self.include_partial_messages)
            .field("resume", &self.resume)
            .field("setting_sources", &self.setting_sources)
            .field("cwd", &self.cwd)
            .field("path_to_claude_code_executable", &self.path_to_claude_code_executable)
            .field("env", &self.env.keys())
            .field("env_remove", &self.env_remove)
            .field("env_clear", &self.env_clear)
            .field("extra_args", &self.extra_args.keys())
            .finish()
    }
}
