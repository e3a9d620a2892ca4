//! Options of tools and skills.

use serde::{Deserialize, Serialize};

use super::{
    Options,
    argv::Argv,
    launch_plan::{LaunchPlan, ToCli, refuse},
    prompt::{PresetName, PresetType},
    setters::setters,
};
use crate::Error;

/// The available built-in tools.
///
/// In JSON a list of names, or `{"type": "preset", "preset": "claude_code"}`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "ToolsJson", into = "ToolsJson")]
#[non_exhaustive]
pub enum Tools {
    /// The named tools; an empty list means none (`--tools=`).
    Named(Vec<String>),
    /// The CLI's default tools (`--tools=default`).
    Preset,
}

/// The available skills.
///
/// In JSON a list of names, or `"all"`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "SkillsJson", into = "SkillsJson")]
#[non_exhaustive]
pub enum Skills {
    /// All skills that the CLI finds.
    All,
    /// The named skills; those of a plugin are `plugin:skill`.
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

pub(super) struct Group<'a>(pub(super) &'a Options);

setters! {
    some tools: Tools;
    list allowed_tools: String;
    list disallowed_tools: String;
    map tool_aliases: Box<str>;
    some tool_config: ToolConfig;
    some skills: Skills;
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

impl ToCli for Group<'_> {
    fn to_cli(&self, to: &mut LaunchPlan) -> Result<(), Error> {
        let options = self.0;
        check("allowedTools", &options.allowed_tools)?;
        check("disallowedTools", &options.disallowed_tools)?;
        let mut allowed = options.allowed_tools.clone();
        for rule in options.skills.iter().flat_map(Skills::rules) {
            if !allowed.contains(&rule) {
                allowed.push(rule);
            }
        }
        to.list("allowedTools", &allowed);
        to.list("disallowedTools", &options.disallowed_tools);
        to.flag("tools", options.tools.as_ref().map(Tools::flag));
        if let Some(Skills::Named(names)) = &options.skills {
            to.initialize.skills = Some(names.clone());
        }
        to.initialize.tool_aliases.clone_from(&options.tool_aliases);
        let question = options.tool_config.as_ref().and_then(|config| config.ask_user_question.as_ref());
        if let Some(format) = question.and_then(|question| question.preview_format) {
            to.env.insert(PREVIEW_FORMAT.to_owned(), format.as_str().to_owned());
        }
        Ok(())
    }
}

impl Tools {
    fn flag(&self) -> String {
        match self {
            Self::Named(names) => names.join(","),
            Self::Preset => "default".to_owned(),
        }
    }
}

impl Skills {
    /// Returns the rules that allow the skills without a question.
    fn rules(&self) -> Vec<String> {
        match self {
            Self::All => vec!["Skill".to_owned()],
            Self::Named(names) => names.iter().map(|name| format!("Skill({name})")).collect(),
        }
    }
}

impl PreviewFormat {
    fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }
}

fn check(option: &'static str, rules: &[String]) -> Result<(), Error> {
    if rules.iter().any(|rule| rule.trim().is_empty()) {
        return refuse(option, "a rule is not empty");
    }
    Ok(())
}

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum SkillsJson {
    All(All),
    Named(Vec<Box<str>>),
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
enum All {
    All,
}

impl From<SkillsJson> for Skills {
    fn from(json: SkillsJson) -> Self {
        match json {
            SkillsJson::All(All::All) => Self::All,
            SkillsJson::Named(names) => Self::Named(names),
        }
    }
}

impl From<Skills> for SkillsJson {
    fn from(skills: Skills) -> Self {
        match skills {
            Skills::All => Self::All(All::All),
            Skills::Named(names) => Self::Named(names),
        }
    }
}

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum ToolsJson {
    Named(Vec<String>),
    Preset(Preset),
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Preset {
    r#type: PresetType,
    preset: PresetName,
}

impl From<ToolsJson> for Tools {
    fn from(json: ToolsJson) -> Self {
        match json {
            ToolsJson::Named(names) => Self::Named(names),
            ToolsJson::Preset(_) => Self::Preset,
        }
    }
}

impl From<Tools> for ToolsJson {
    fn from(tools: Tools) -> Self {
        match tools {
            Tools::Named(names) => Self::Named(names),
            Tools::Preset => {
                Self::Preset(Preset { r#type: PresetType::Preset, preset: PresetName::ClaudeCode })
            }
        }
    }
}

const PREVIEW_FORMAT: &str = "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT";
