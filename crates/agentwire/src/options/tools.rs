//! Options of tools and skills.

use serde::{Deserialize, Serialize};

use super::{LaunchPlan, Options, Warning, launch_plan::word, permission_bypass, prompt::PresetName};

/// The available built-in tools.
///
/// In JSON a list of names, or `{"type": "preset", "preset": "claude_code"}`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "tools are a list of names, or `{\"type\": \"preset\", \"preset\": \"claude_code\"}`"
)]
#[non_exhaustive]
pub enum Tools {
    /// The named tools; an empty list means none (`--tools=`).
    Named(Vec<String>),
    /// The CLI's default tools (`--tools=default`).
    #[serde(with = "preset")]
    Preset,
}

/// The available skills.
///
/// In JSON a list of names, or `"all"`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", expecting = "skills are a list of names, or \"all\"")]
#[non_exhaustive]
pub enum Skills {
    /// All skills that the CLI finds.
    All,
    /// The named skills; those of a plugin are `plugin:skill`.
    #[serde(untagged)]
    Named(Vec<Box<str>>),
}

/// The configuration of built-in tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ToolConfig {
    /// The tool `AskUserQuestion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_user_question: Option<AskUserQuestionConfig>,
}

/// The configuration of the tool `AskUserQuestion`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[non_exhaustive]
pub struct AskUserQuestionConfig {
    /// The format of the previews of its answers (`CLAUDE_CODE_QUESTION_PREVIEW_FORMAT`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview_format: Option<PreviewFormat>,
}

/// The format of previews.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum PreviewFormat {
    /// Markdown; the CLI's default.
    Markdown,
    /// HTML fragments.
    Html,
}

impl ToolConfig {
    /// Returns a configuration with this preview format.
    pub fn preview_format(format: PreviewFormat) -> Self {
        Self { ask_user_question: Some(AskUserQuestionConfig { preview_format: Some(format) }) }
    }
}

impl<T: Into<String>, const N: usize> From<[T; N]> for Tools {
    fn from(names: [T; N]) -> Self {
        Self::Named(names.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Box<str>>, const N: usize> From<[T; N]> for Skills {
    fn from(names: [T; N]) -> Self {
        Self::Named(names.into_iter().map(Into::into).collect())
    }
}

impl Options {
    /// Adds the tools and skills.
    pub(super) fn tools_to_cli(&self, plan: &mut LaunchPlan) {
        let rules = match &self.skills {
            None => Vec::new(),
            Some(Skills::All) => vec!["Skill".to_owned()],
            Some(Skills::Named(names)) => {
                plan.initialize.skills = Some(names.clone());
                names.iter().map(|name| format!("Skill({name})")).collect()
            }
        };
        let mut allowed = self.allowed_tools.clone();
        allowed.extend(rules.into_iter().filter(|rule| !self.allowed_tools.contains(rule)));
        plan.list("allowedTools", &allowed);
        if self.allowed_tools.iter().any(|rules| permission_bypass::has_idle_rule(rules)) {
            plan.warn(Warning::NoEffect { option: "allowedTools", why: IDLE_RULE });
        }
        let tools = self.tools.as_ref().map(|tools| match tools {
            Tools::Named(names) => names.join(","),
            Tools::Preset => "default".to_owned(),
        });
        plan.flag("tools", tools);
        let question = self.tool_config.as_ref().and_then(|config| config.ask_user_question.as_ref());
        let format = question.and_then(|question| question.preview_format);
        plan.env.extend(format.map(|format| (PREVIEW_FORMAT.to_owned(), word(&format))));
    }
}

/// The JSON of [`Tools::Preset`].
mod preset {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::PresetName;

    #[derive(Deserialize, Serialize)]
    #[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
    enum Json {
        Preset { preset: PresetName },
    }

    pub(super) fn serialize<S: Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
        Json::Preset { preset: PresetName::ClaudeCode }.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
        Json::deserialize(deserializer).map(drop)
    }
}

const IDLE_RULE: &str = "a rule such as `*` or `mcp__*` allows nothing; name the tools, or a server";
const PREVIEW_FORMAT: &str = "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT";
