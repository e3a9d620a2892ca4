//! `list_permission_rules`: the active permission rules and their sources.

use super::SettingsError;
use crate::permission::RuleBehavior;

/// Requests the active permission rules (`list_permission_rules`). CLI 2.1.197 does not support it.
#[wire(Copy, Default, Eq)]
pub struct ListPermissionRules {}

/// The permission rules.
#[wire(Eq)]
pub struct ListPermissionRulesReply {
    /// The rules and related settings.
    pub state: PermissionRules,
}

/// The permission rules of a session.
#[wire(Default, Eq, camelCase, tolerant)]
pub struct PermissionRules {
    /// One entry per rule.
    pub rules: Vec<PermissionRuleEntry>,
    /// Additional working directories.
    pub workspace_directories: Vec<WorkspaceDirectory>,
    /// The working directory at the start of the session.
    pub original_cwd: String,
    /// Whether only the organisation's rules apply.
    pub managed_only: bool,
    /// Invalid settings files that were skipped; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<SettingsError>,
    /// Whether parts are left out because the connection is recorded; absent on stdio.
    pub withheld: Option<bool>,
    /// Whether settings of the parent process are included. Only mentioned in the declarations.
    pub parent_settings_included: Option<bool>,
}

/// One permission rule.
#[wire(Eq, camelCase)]
pub struct PermissionRuleEntry {
    /// The behavior.
    pub behavior: RuleBehavior,
    /// The source.
    pub source: PermissionRuleSource,
    /// The rule as it is stored, such as `Bash(ls *)`; it may contain invisible characters.
    pub rule: String,
    /// The description, for a person.
    pub description: Option<RuleDescription>,
    /// Where the rule can be changed.
    pub editability: Option<RuleEditability>,
    /// Whether the organisation's settings disable the rule; absent means no.
    pub not_in_effect: Option<bool>,
}

/// The source of a permission rule (`source`).
#[wire]
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
    /// Another command line flag.
    CliArg = "cliArg",
    /// A slash command.
    Command = "command",
    /// An answer of the user in this session.
    Session = "session",
    /// A mounted MCP server.
    McpMount = "mcpMount",
    /// A restriction of the available tools.
    ToolsNarrowing = "toolsNarrowing",
    /// The host's policy for tools of an MCP server.
    McpServerPolicy = "mcpServerPolicy",
    /// A credential of the host.
    HostCredential = "hostCredential",
}

/// Where a permission rule can be changed (`editability`).
#[wire]
pub enum RuleEditability {
    /// In a settings file of the user.
    Persistent = "persistent",
    /// In this session only.
    Session = "session",
    /// Not from this session.
    Readonly = "readonly",
}

/// The description of a rule in three parts; the middle one is the rule's own text.
#[wire(Default, Eq, tolerant)]
pub struct RuleDescription {
    /// The beginning.
    pub prefix: String,
    /// The rule's own text; it may contain untrusted characters.
    pub emphasis: Option<String>,
    /// The end.
    pub suffix: Option<String>,
}

/// An additional working directory.
#[wire(Eq)]
pub struct WorkspaceDirectory {
    /// The directory.
    pub path: String,
    /// The source.
    pub source: PermissionRuleSource,
}
