//! The system prompt.

use serde::{Deserialize, Serialize};

use super::{
    Options,
    lower::{Lower, Lowered},
};
use crate::Error;

/// The system prompt.
///
/// In JSON a string, or `{"type": "preset", "preset": "claude_code"}` with or without `append`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(from = "Json", into = "Json")]
#[non_exhaustive]
pub enum SystemPrompt {
    /// This text, and nothing else.
    Text(String),
    /// The CLI's own, with this text behind it where there is one.
    Preset {
        /// What stands behind it.
        append: Option<String>,
    },
}

/// An empty prompt: what the reference SDKs send when nothing is set.
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

impl Options {
    /// Sets the system prompt. It goes into the handshake, so it may be long, and nobody else on the machine sees it.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<SystemPrompt>) -> Self {
        self.system_prompt = prompt.into();
        self
    }
}

impl Lower for Group<'_> {
    fn lower(&self, to: &mut Lowered) -> Result<(), Error> {
        match &self.0.system_prompt {
            SystemPrompt::Text(text) => to.initialize.system_prompt = Some(vec![text.clone()]),
            SystemPrompt::Preset { append } => to.initialize.append_system_prompt.clone_from(append),
        }
        Ok(())
    }
}

/// The shape in JSON, which is that of the reference TypeScript options.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Json {
    Text(String),
    Preset(Preset),
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Preset {
    r#type: PresetType,
    preset: PresetName,
    #[serde(skip_serializing_if = "Option::is_none")]
    append: Option<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum PresetType {
    Preset,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum PresetName {
    ClaudeCode,
}

impl From<Json> for SystemPrompt {
    fn from(json: Json) -> Self {
        match json {
            Json::Text(text) => Self::Text(text),
            Json::Preset(preset) => Self::Preset { append: preset.append },
        }
    }
}

impl From<SystemPrompt> for Json {
    fn from(prompt: SystemPrompt) -> Self {
        match prompt {
            SystemPrompt::Text(text) => Self::Text(text),
            SystemPrompt::Preset { append } => {
                Self::Preset(Preset { r#type: PresetType::Preset, preset: PresetName::ClaudeCode, append })
            }
        }
    }
}
