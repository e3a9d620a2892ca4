//! Changes to the permission rules.

use serde::{Deserialize, Serialize};

use super::PermissionMode;
use crate::{open_enum::open_enum, tagged::tagged};

tagged! {
    /// A change to the permission rules, as suggested by `can_use_tool` and made by its answer.
    pub enum PermissionUpdate by "type" {
        /// Adds rules.
        AddRules(RulesUpdate) = "addRules",
        /// Puts these rules in the place of all of that behaviour.
        ReplaceRules(RulesUpdate) = "replaceRules",
        /// Takes rules away.
        RemoveRules(RulesUpdate) = "removeRules",
        /// Sets the mode.
        SetMode(ModeUpdate) = "setMode",
        /// Adds directories to work in.
        AddDirectories(DirectoriesUpdate) = "addDirectories",
        /// Takes directories away.
        RemoveDirectories(DirectoriesUpdate) = "removeDirectories",
    }
}

/// Rules to add, replace or take away.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RulesUpdate {
    /// The rules.
    pub rules: Vec<Rule>,
    /// What they do.
    pub behavior: RuleBehavior,
    /// Where they are kept.
    pub destination: UpdateDestination,
}

impl RulesUpdate {
    /// Rules that do this and are kept there.
    pub fn new(rules: Vec<Rule>, behavior: RuleBehavior, destination: UpdateDestination) -> Self {
        Self { rules, behavior, destination }
    }
}

/// A permission rule.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Rule {
    /// The tool.
    pub tool_name: Box<str>,
    /// What of it: a command, a path pattern; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_content: Option<String>,
}

impl Rule {
    /// A rule for this tool, for all uses or those that match the content.
    pub fn new(tool_name: impl Into<Box<str>>, rule_content: Option<String>) -> Self {
        Self { tool_name: tool_name.into(), rule_content }
    }
}

/// A mode to set.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ModeUpdate {
    /// The mode.
    pub mode: PermissionMode,
    /// Where it is kept.
    pub destination: UpdateDestination,
}

impl ModeUpdate {
    /// This mode, kept there.
    pub fn new(mode: PermissionMode, destination: UpdateDestination) -> Self {
        Self { mode, destination }
    }
}

/// Directories to add or take away.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct DirectoriesUpdate {
    /// The directories.
    pub directories: Vec<String>,
    /// Where they are kept.
    pub destination: UpdateDestination,
}

impl DirectoriesUpdate {
    /// These directories, kept there.
    pub fn new(directories: Vec<String>, destination: UpdateDestination) -> Self {
        Self { directories, destination }
    }
}

open_enum! {
    /// What a rule does.
    pub enum RuleBehavior {
        /// The tool use passes.
        Allow = "allow",
        /// It is refused.
        Deny = "deny",
        /// The host is asked.
        Ask = "ask",
    }
}

open_enum! {
    /// Where a change is kept.
    pub enum UpdateDestination {
        /// In the user's settings.
        UserSettings = "userSettings",
        /// In the project's settings.
        ProjectSettings = "projectSettings",
        /// In the project's local settings.
        LocalSettings = "localSettings",
        /// Until the session ends.
        Session = "session",
        /// As if given on the command line.
        CliArg = "cliArg",
    }
}
