//! The commands and skills that a prompt may start with.

use serde::{Deserialize, Serialize};

/// A command or skill that a prompt may start with, after a slash.
///
/// Several can share a name; then the CLI's own is run.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SlashCommand {
    /// Its name, without the slash.
    pub name: Box<str>,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// What to write behind it, for people; empty where it takes nothing.
    #[serde(default)]
    pub argument_hint: String,
    /// Other names of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Box<str>>,
    /// Whether it is the CLI's own; absent where it is not, and from a CLI before 2.1.330.
    pub builtin: Option<bool>,
}
