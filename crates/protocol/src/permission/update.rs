//! Changes to the permission rules.

use serde::{Deserialize, Serialize};

use super::{PermissionMode, Rule};
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

impl PermissionUpdate {
    /// Adds rules, until the session ends; see [`kept_in`](Self::kept_in).
    ///
    /// An allow rule that names a tool wholly has the permission callback never asked about it again.
    pub fn add_rules(behavior: RuleBehavior, rules: impl IntoIterator<Item = Rule>) -> Self {
        Self::AddRules(RulesUpdate::of_session(behavior, rules))
    }

    /// Puts these rules in the place of all of that behaviour which the session has got so far.
    pub fn replace_rules(behavior: RuleBehavior, rules: impl IntoIterator<Item = Rule>) -> Self {
        Self::ReplaceRules(RulesUpdate::of_session(behavior, rules))
    }

    /// Takes rules away which the session has got.
    pub fn remove_rules(behavior: RuleBehavior, rules: impl IntoIterator<Item = Rule>) -> Self {
        Self::RemoveRules(RulesUpdate::of_session(behavior, rules))
    }

    /// Sets the mode, until the session ends.
    pub fn set_mode(mode: PermissionMode) -> Self {
        Self::SetMode(ModeUpdate::new(mode, UpdateDestination::Session))
    }

    /// Adds directories to work in, until the session ends.
    pub fn add_directories(directories: impl IntoIterator<Item: Into<String>>) -> Self {
        Self::AddDirectories(DirectoriesUpdate::of_session(directories))
    }

    /// Takes directories away which the session has got.
    pub fn remove_directories(directories: impl IntoIterator<Item: Into<String>>) -> Self {
        Self::RemoveDirectories(DirectoriesUpdate::of_session(directories))
    }

    /// The same change, kept there; one of an unknown kind stays as it is.
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

    fn of_session(behavior: RuleBehavior, rules: impl IntoIterator<Item = Rule>) -> Self {
        Self::new(rules.into_iter().collect(), behavior, UpdateDestination::Session)
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

    fn of_session(directories: impl IntoIterator<Item: Into<String>>) -> Self {
        Self::new(directories.into_iter().map(Into::into).collect(), UpdateDestination::Session)
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
        /// In the project's settings; where the folder is not trusted, rules in there are not heeded.
        ProjectSettings = "projectSettings",
        /// In the project's local settings.
        LocalSettings = "localSettings",
        /// Until the session ends.
        Session = "session",
        /// As if given on the command line.
        CliArg = "cliArg",
    }
}
