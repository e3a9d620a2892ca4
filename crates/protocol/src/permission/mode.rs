//! Permission modes.

/// The permission mode of a session.
#[wire]
pub enum PermissionMode {
    /// The CLI applies the rules; if none matches, it asks the host.
    Default = "default",
    /// File edits in the working folder are allowed.
    AcceptEdits = "acceptEdits",
    /// All tool calls are allowed; the CLI rejects this mode for root and without its launch flag.
    BypassPermissions = "bypassPermissions",
    /// The model plans and does not modify anything.
    Plan = "plan",
    /// Tool calls that no rule allows are denied without asking.
    DontAsk = "dontAsk",
    /// A classifier decides on tool calls.
    Auto = "auto",
}
