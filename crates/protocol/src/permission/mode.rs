//! How tool uses are permitted.

use crate::open_enum::open_enum;

open_enum! {
    /// How tool uses are permitted.
    pub enum PermissionMode {
        /// Rules decide, else the host is asked.
        Default = "default",
        /// Edits in the working folder pass.
        AcceptEdits = "acceptEdits",
        /// Everything passes; refused by the CLI for root, and without its launch flag.
        BypassPermissions = "bypassPermissions",
        /// The model plans and changes nothing.
        Plan = "plan",
        /// What no rule allows is refused, without a question.
        DontAsk = "dontAsk",
        /// A classifier decides.
        Auto = "auto",
    }
}
