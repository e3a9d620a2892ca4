//! Permission modes.

/// The permission mode of a session.
#[wire]
pub enum PermissionMode {
    /// The CLI applies the rules; if none matches, it asks the host.
    Default = "default",
    /// File edits in the working directory are allowed.
    AcceptEdits = "acceptEdits",
    /// All tool uses are allowed; the CLI rejects this mode for root and without its launch flag.
    BypassPermissions = "bypassPermissions",
    /// The model plans and does not modify anything.
    Plan = "plan",
    /// Tool uses that no rule allows are denied without asking.
    DontAsk = "dontAsk",
    /// A classifier decides on tool uses.
    Auto = "auto",
}
