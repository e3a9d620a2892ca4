//! The system prompt and the instructions for plan mode.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{
    Options,
    argv::Argv,
    launch_plan::{LaunchPlan, ToCli, refuse},
    setters::setters,
};
use crate::Error;

/// The system prompt.
///
/// In JSON a string, a list of strings, `{"type": "custom", "prompt": …}`,
/// `{"type": "preset", "preset": "claude_code"}` or `{"type": "file", "path": …}`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "Json", into = "Json")]
#[non_exhaustive]
pub enum SystemPrompt {
    /// This text and nothing else.
    Text(String),
    /// These parts and nothing else.
    Parts(Vec<String>),
    /// These parts, and whether the CLI stores them with the session (`systemPromptSnapshot`).
    Custom {
        /// The parts.
        parts: Vec<String>,
        /// Whether they are stored and reused unchanged, also when the session is resumed; `None` means yes.
        snapshot: Option<bool>,
    },
    /// The CLI's own prompt, optionally followed by a text.
    Preset {
        /// The text that follows.
        append: Option<String>,
        /// Whether user-specific sections are sent in the first message instead of the system prompt.
        exclude_dynamic_sections: Option<bool>,
        /// Whether it is stored and reused unchanged; `None` means yes.
        snapshot: Option<bool>,
    },
    /// The contents of this file (`--system-prompt-file`), which the CLI reads.
    File(PathBuf),
}

impl SystemPrompt {
    /// The CLI's own prompt.
    pub const PRESET: Self = Self::Preset { append: None, exclude_dynamic_sections: None, snapshot: None };

    /// Returns the CLI's own prompt followed by this text.
    pub fn preset_with(append: impl Into<String>) -> Self {
        Self::Preset { append: Some(append.into()), exclude_dynamic_sections: None, snapshot: None }
    }
}

/// An empty prompt, which the reference SDKs send by default.
impl Default for SystemPrompt {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl From<&str> for SystemPrompt {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for SystemPrompt {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

pub(super) struct Group<'a>(pub(super) &'a Options);

setters! {
    some plan_mode_instructions: String;
}

impl Options {
    /// Sets the system prompt. It is sent in the handshake, so it may be long, and other users of the machine can't
    /// read it.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<SystemPrompt>) -> Self {
        self.system_prompt = prompt.into();
        self
    }
}

impl ToCli for Group<'_> {
    fn to_cli(&self, to: &mut LaunchPlan) -> Result<(), Error> {
        let initialize = &mut to.initialize;
        initialize.plan_mode_instructions.clone_from(&self.0.plan_mode_instructions);
        match &self.0.system_prompt {
            SystemPrompt::Text(text) => initialize.system_prompt = Some(vec![text.clone()]),
            SystemPrompt::Parts(parts) => initialize.system_prompt = Some(parts.clone()),
            SystemPrompt::Custom { parts, snapshot } => {
                initialize.system_prompt = Some(parts.clone());
                initialize.system_prompt_snapshot = *snapshot;
            }
            SystemPrompt::Preset { append, exclude_dynamic_sections, snapshot } => {
                initialize.append_system_prompt.clone_from(append);
                initialize.exclude_dynamic_sections = *exclude_dynamic_sections;
                initialize.system_prompt_snapshot = *snapshot;
            }
            SystemPrompt::File(path) if path.as_os_str().is_empty() => {
                return refuse("systemPrompt", "a file's path is not empty");
            }
            SystemPrompt::File(path) => to.flag("system-prompt-file", Some(path.display())),
        }
        Ok(())
    }
}

/// The JSON format of the reference options; `file` comes from the Python SDK.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Json {
    Text(String),
    Parts(Vec<String>),
    Preset(Preset),
    Custom(Custom),
    File(File),
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Preset {
    r#type: PresetType,
    preset: PresetName,
    #[serde(skip_serializing_if = "Option::is_none")]
    append: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exclude_dynamic_sections: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<bool>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Custom {
    r#type: CustomType,
    prompt: TextOrParts,
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<bool>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct File {
    r#type: FileType,
    path: PathBuf,
}

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum TextOrParts {
    Text(String),
    Parts(Vec<String>),
}

/// The type `preset`.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PresetType {
    Preset,
}

/// The only preset.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PresetName {
    ClaudeCode,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum CustomType {
    Custom,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum FileType {
    File,
}

impl From<Json> for SystemPrompt {
    fn from(json: Json) -> Self {
        match json {
            Json::Text(text) => Self::Text(text),
            Json::Parts(parts) => Self::Parts(parts),
            Json::Custom(Custom { prompt: TextOrParts::Text(text), snapshot, .. }) => {
                Self::Custom { parts: vec![text], snapshot }
            }
            Json::Custom(Custom { prompt: TextOrParts::Parts(parts), snapshot, .. }) => {
                Self::Custom { parts, snapshot }
            }
            Json::Preset(Preset { append, exclude_dynamic_sections, snapshot, .. }) => {
                Self::Preset { append, exclude_dynamic_sections, snapshot }
            }
            Json::File(file) => Self::File(file.path),
        }
    }
}

impl From<SystemPrompt> for Json {
    fn from(prompt: SystemPrompt) -> Self {
        match prompt {
            SystemPrompt::Text(text) => Self::Text(text),
            SystemPrompt::Parts(parts) => Self::Parts(parts),
            SystemPrompt::Custom { parts, snapshot } => Self::Custom(Custom {
                r#type: CustomType::Custom,
                prompt: TextOrParts::Parts(parts),
                snapshot,
            }),
            SystemPrompt::Preset { append, exclude_dynamic_sections, snapshot } => Self::Preset(Preset {
                r#type: PresetType::Preset,
                preset: PresetName::ClaudeCode,
                append,
                exclude_dynamic_sections,
                snapshot,
            }),
            SystemPrompt::File(path) => Self::File(File { r#type: FileType::File, path }),
        }
    }
}
