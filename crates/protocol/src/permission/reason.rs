//! Why a tool use was asked about, and how it was settled.

use crate::open_enum::open_enum;

open_enum! {
    /// Why a tool use is asked about or refused (`decision_reason_type`).
    pub enum DecisionReason {
        /// A rule says so.
        Rule = "rule",
        /// The mode says so.
        Mode = "mode",
        /// A part of a compound command; a safety check may be among its reasons.
        SubcommandResults = "subcommandResults",
        /// The host said so.
        PermissionPromptTool = "permissionPromptTool",
        /// A hook said so.
        Hook = "hook",
        /// It happens in a background agent, where nobody can be asked.
        AsyncAgent = "asyncAgent",
        /// It would run outside of the sandbox.
        SandboxOverride = "sandboxOverride",
        /// It reaches out of the working directories.
        WorkingDir = "workingDir",
        /// It looks dangerous.
        SafetyCheck = "safetyCheck",
        /// The classifier of the mode `auto` said so.
        Classifier = "classifier",
        /// Another reason.
        Other = "other",
    }
}

open_enum! {
    /// How the user settled a question of permission (`decisionClassification`); the CLI only counts it.
    ///
    /// Where nothing is said it takes an allow for [`UserTemporary`](Self::UserTemporary) and a deny for
    /// [`UserReject`](Self::UserReject).
    pub enum DecisionClassification {
        /// Allowed this once.
        UserTemporary = "user_temporary",
        /// Allowed for good, now or earlier.
        UserPermanent = "user_permanent",
        /// Refused.
        UserReject = "user_reject",
    }
}
