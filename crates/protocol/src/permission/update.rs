//! Changes to the permissions.

use super::{PermissionMode, Rule};

/// A change to the permissions; `can_use_tool` suggests some, and its response can apply any.
#[wire(tag = "type")]
pub enum PermissionUpdate {
    /// Adds rules.
    AddRules(RulesUpdate) = "addRules",
    /// Replaces all rules of a behavior.
    ReplaceRules(RulesUpdate) = "replaceRules",
    /// Removes rules.
    RemoveRules(RulesUpdate) = "removeRules",
    /// Sets the mode.
    SetMode(ModeUpdate) = "setMode",
    /// Adds working directories.
    AddDirectories(DirectoriesUpdate) = "addDirectories",
    /// Removes working directories.
    RemoveDirectories(DirectoriesUpdate) = "removeDirectories",
}

impl PermissionUpdate {
    /// Adds rules until the session ends; see [`kept_in`](Self::kept_in) for another destination.
    ///
    /// After an allow rule for a whole tool, the CLI does not call the permission handler for it again.
    pub fn add_rules(behavior: RuleBehavior, rules: impl IntoIterator<Item = Rule>) -> Self {
        Self::AddRules(RulesUpdate::of_session(behavior, rules))
    }

    /// Replaces all rules of this behavior that the session has.
    pub fn replace_rules(behavior: RuleBehavior, rules: impl IntoIterator<Item = Rule>) -> Self {
        Self::ReplaceRules(RulesUpdate::of_session(behavior, rules))
    }

    /// Removes rules of the session.
    pub fn remove_rules(behavior: RuleBehavior, rules: impl IntoIterator<Item = Rule>) -> Self {
        Self::RemoveRules(RulesUpdate::of_session(behavior, rules))
    }

    /// Sets the mode until the session ends.
    pub fn set_mode(mode: PermissionMode) -> Self {
        Self::SetMode(ModeUpdate::new(mode, UpdateDestination::Session))
    }

    /// Adds working directories until the session ends.
    pub fn add_directories(directories: impl IntoIterator<Item: Into<String>>) -> Self {
        Self::AddDirectories(DirectoriesUpdate::of_session(directories))
    }

    /// Removes working directories of the session.
    pub fn remove_directories(directories: impl IntoIterator<Item: Into<String>>) -> Self {
        Self::RemoveDirectories(DirectoriesUpdate::of_session(directories))
    }

    /// Sets the destination; a change of an unknown kind is not modified.
    #[must_use]
    pub fn kept_in(mut self, place: UpdateDestination) -> Self {
        match &mut self {
            Self::AddRules(update) | Self::ReplaceRules(update) | Self::RemoveRules(update) => {
                update.destination = place;
            }
            Self::SetMode(update) => update.destination = place,
            Self::AddDirectories(update) | Self::RemoveDirectories(update) => update.destination = place,
            Self::Unknown(_) => {}
        }
        self
    }
}

/// Rules to add, replace or remove.
#[wire(new)]
pub struct RulesUpdate {
    /// The rules.
    #[argument]
    pub rules: Vec<Rule>,
    /// The behavior of the rules.
    pub behavior: RuleBehavior,
    /// The destination.
    pub destination: UpdateDestination,
}

impl RulesUpdate {
    fn of_session(behavior: RuleBehavior, rules: impl IntoIterator<Item = Rule>) -> Self {
        Self::new(rules.into_iter().collect(), behavior, UpdateDestination::Session)
    }
}

/// A permission mode to set.
#[wire(new)]
pub struct ModeUpdate {
    /// The mode.
    pub mode: PermissionMode,
    /// The destination.
    pub destination: UpdateDestination,
}

/// Working directories to add or remove.
#[wire(new)]
pub struct DirectoriesUpdate {
    /// The directories.
    #[argument]
    pub directories: Vec<String>,
    /// The destination.
    pub destination: UpdateDestination,
}

impl DirectoriesUpdate {
    fn of_session(directories: impl IntoIterator<Item: Into<String>>) -> Self {
        Self::new(directories.into_iter().map(Into::into).collect(), UpdateDestination::Session)
    }
}

/// The behavior of a rule.
#[wire]
pub enum RuleBehavior {
    /// The tool use is allowed.
    Allow = "allow",
    /// The tool use is denied.
    Deny = "deny",
    /// The CLI asks the host.
    Ask = "ask",
}

/// The destination of a permission change.
#[wire]
pub enum UpdateDestination {
    /// The user's settings.
    UserSettings = "userSettings",
    /// The project's settings; ignored if the folder is not trusted.
    ProjectSettings = "projectSettings",
    /// The project's local settings.
    LocalSettings = "localSettings",
    /// The session, until it ends.
    Session = "session",
    /// The session, as if passed on the command line.
    CliArg = "cliArg",
}
