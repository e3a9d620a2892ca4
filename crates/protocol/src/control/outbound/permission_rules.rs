//! `list_permission_rules`: which rules are in force, and where they come from.

use serde::{Deserialize, Serialize};

use super::{ControlCall, SettingsError};
use crate::{open_enum::open_enum, permission::RuleBehavior};

/// Which permission rules are in force (`list_permission_rules`)? CLI 2.1.197 does not know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ListPermissionRules {}

impl ControlCall for ListPermissionRules {
    const SUBTYPE: &'static str = "list_permission_rules";
    type Reply = ListPermissionRulesReply;
}

/// The permission rules.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ListPermissionRulesReply {
    /// The rules and what belongs to them.
    pub state: PermissionRules,
}

/// The permission rules of a session.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct PermissionRules {
    /// One entry for each rule.
    pub rules: Vec<PermissionRuleEntry>,
    /// Directories to work in beside the working directory.
    pub workspace_directories: Vec<WorkspaceDirectory>,
    /// The working directory at the session's start.
    pub original_cwd: String,
    /// Whether only the organisation's rules count.
    pub managed_only: bool,
    /// Settings files that were skipped because they are faulty; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<SettingsError>,
    /// Whether parts are left out, since somebody keeps what passes on the connection; absent on stdio.
    pub withheld: Option<bool>,
    /// Whether the settings of the process that started this one are in it. Named in the declarations only.
    pub parent_settings_included: Option<bool>,
}

/// One permission rule.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PermissionRuleEntry {
    /// What it does.
    pub behavior: RuleBehavior,
    /// Where it comes from.
    pub source: PermissionRuleSource,
    /// The rule as it is kept, such as `Bash(ls *)`; it can hold invisible characters.
    pub rule: String,
    /// What it says, for a person.
    pub description: Option<RuleDescription>,
    /// Who could change it.
    pub editability: Option<RuleEditability>,
    /// Whether the organisation's settings set it aside; absent where they do not.
    pub not_in_effect: Option<bool>,
}

open_enum! {
    /// Where a permission rule comes from (`source`).
    pub enum PermissionRuleSource {
        /// The user's settings.
        UserSettings = "userSettings",
        /// The project's settings.
        ProjectSettings = "projectSettings",
        /// The project's local settings.
        LocalSettings = "localSettings",
        /// `--settings`, or `apply_flag_settings`.
        FlagSettings = "flagSettings",
        /// The organisation's settings.
        PolicySettings = "policySettings",
        /// Another flag of the command line.
        CliArg = "cliArg",
        /// A slash command.
        Command = "command",
        /// An answer of the user's in this session.
        Session = "session",
        /// A mounted MCP server.
        McpMount = "mcpMount",
        /// A narrower choice of tools.
        ToolsNarrowing = "toolsNarrowing",
        /// The policy that the host declared for an MCP server's tools.
        McpServerPolicy = "mcpServerPolicy",
        /// A credential of the host's.
        HostCredential = "hostCredential",
    }
}

open_enum! {
    /// Who could change a permission rule (`editability`).
    pub enum RuleEditability {
        /// It is in a settings file of the user's.
        Persistent = "persistent",
        /// It ends with the session.
        Session = "session",
        /// Nobody here.
        Readonly = "readonly",
    }
}

/// What a rule says, in three pieces, of which the middle one is the rule's own text.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RuleDescription {
    /// The beginning.
    #[serde(default)]
    pub prefix: String,
    /// The rule's own text, to be shown with care.
    pub emphasis: Option<String>,
    /// The end.
    pub suffix: Option<String>,
}

/// A directory to work in beside the working directory.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct WorkspaceDirectory {
    /// The directory.
    pub path: String,
    /// Where it was given.
    pub source: PermissionRuleSource,
}
