//! Slash commands and skills.

use serde::{Deserialize, Serialize};

/// A command or skill that a prompt can invoke with a leading slash.
///
/// Several commands can share a name; the CLI then runs its own.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SlashCommand {
    /// The name, without the slash.
    pub name: Box<str>,
    /// The description.
    #[serde(default)]
    pub description: String,
    /// A hint on the arguments; empty if the command takes none.
    #[serde(default)]
    pub argument_hint: String,
    /// Alternative names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Box<str>>,
    /// Whether the command is built in; absent means no, or a CLI before 2.1.330.
    pub builtin: Option<bool>,
}
