//! Slash commands and skills.

/// A command or skill that a prompt can invoke with a leading slash.
///
/// Several commands can share a name; the CLI then runs its own.
#[wire(Eq, camelCase, tolerant)]
pub struct SlashCommand {
    /// The name, without the slash.
    #[required]
    pub name: Box<str>,
    /// The description.
    pub description: String,
    /// A hint on the arguments; empty if the command takes none.
    pub argument_hint: String,
    /// Alternative names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Box<str>>,
    /// Whether the command is built in; absent means no, or a CLI before 2.1.330.
    pub builtin: Option<bool>,
}
