//! The system prompt and the instructions for plan mode.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{LaunchPlan, Options};

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
    /// These parts and nothing else. [`BOUNDARY`](Self::BOUNDARY) may be one of them.
    Parts(Vec<String>),
    /// These parts, and whether the CLI stores them with the session (`systemPromptSnapshot`).
    Custom {
        /// The parts.
        parts: Vec<String>,
        /// Whether they are stored and reused unchanged, even when the session is resumed; `None` means yes.
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

    /// A part of [`Parts`](Self::Parts) or [`Custom`](Self::Custom) that ends the parts which sessions share: the API
    /// caches those across sessions.
    pub const BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

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

impl<S: Into<String>> From<S> for SystemPrompt {
    fn from(text: S) -> Self {
        Self::Text(text.into())
    }
}

impl Options {
    /// Sets the system prompt. It is sent in the handshake, so it may be long, and other users of the machine can't
    /// read it.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<SystemPrompt>) -> Self {
        self.system_prompt = prompt.into();
        self
    }

    /// Adds the system prompt.
    pub(super) fn prompt_to_cli(&self, plan: &mut LaunchPlan) {
        let initialize = &mut plan.initialize;
        match &self.system_prompt {
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
            SystemPrompt::File(path) => plan.flag("system-prompt-file", Some(path.display())),
        }
    }
}

/// The JSON format of the reference options; `file` comes from the Python SDK.
#[derive(Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "the system prompt is a text, a list of texts, or an object of the type `preset`, `custom` or `file`, without unknown keys"
)]
enum Json {
    Text(String),
    Parts(Vec<String>),
    Tagged(Tagged),
}

#[derive(Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
enum Tagged {
    Preset {
        preset: PresetName,
        #[serde(skip_serializing_if = "Option::is_none")]
        append: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        exclude_dynamic_sections: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        snapshot: Option<bool>,
    },
    Custom {
        prompt: TextOrParts,
        #[serde(skip_serializing_if = "Option::is_none")]
        snapshot: Option<bool>,
    },
    File {
        path: PathBuf,
    },
}

#[derive(Deserialize, Serialize)]
#[serde(untagged, expecting = "a prompt is a text or a list of texts")]
enum TextOrParts {
    Text(String),
    Parts(Vec<String>),
}

/// The only preset.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PresetName {
    ClaudeCode,
}

impl From<Json> for SystemPrompt {
    fn from(json: Json) -> Self {
        match json {
            Json::Text(text) => Self::Text(text),
            Json::Parts(parts) => Self::Parts(parts),
            Json::Tagged(Tagged::Custom { prompt: TextOrParts::Text(text), snapshot }) => {
                Self::Custom { parts: vec![text], snapshot }
            }
            Json::Tagged(Tagged::Custom { prompt: TextOrParts::Parts(parts), snapshot }) => {
                Self::Custom { parts, snapshot }
            }
            Json::Tagged(Tagged::Preset { append, exclude_dynamic_sections, snapshot, .. }) => {
                Self::Preset { append, exclude_dynamic_sections, snapshot }
            }
            Json::Tagged(Tagged::File { path }) => Self::File(path),
        }
    }
}

impl From<SystemPrompt> for Json {
    fn from(prompt: SystemPrompt) -> Self {
        let preset = PresetName::ClaudeCode;
        Self::Tagged(match prompt {
            SystemPrompt::Text(text) => return Self::Text(text),
            SystemPrompt::Parts(parts) => return Self::Parts(parts),
            SystemPrompt::Custom { parts, snapshot } => {
                Tagged::Custom { prompt: TextOrParts::Parts(parts), snapshot }
            }
            SystemPrompt::Preset { append, exclude_dynamic_sections, snapshot } => {
                Tagged::Preset { preset, append, exclude_dynamic_sections, snapshot }
            }
            SystemPrompt::File(path) => Tagged::File { path },
        })
    }
}
