//! The reasons of permission requests and the classification of decisions.

/// The reason why the CLI asks about a tool use or denies it (`decision_reason_type`).
#[wire]
pub enum DecisionReason {
    /// A rule applies.
    Rule = "rule",
    /// The permission mode applies.
    Mode = "mode",
    /// The parts of a compound command; they may include a safety check.
    SubcommandResults = "subcommandResults",
    /// The host's permission prompt decided.
    PermissionPromptTool = "permissionPromptTool",
    /// A hook decided.
    Hook = "hook",
    /// The tool use is in a background agent, where the CLI can't ask the user.
    AsyncAgent = "asyncAgent",
    /// The tool use would run outside of the sandbox.
    SandboxOverride = "sandboxOverride",
    /// The tool use accesses paths outside of the working directories.
    WorkingDir = "workingDir",
    /// The tool use looks dangerous.
    SafetyCheck = "safetyCheck",
    /// The classifier of mode `auto` decided.
    Classifier = "classifier",
    /// Another reason.
    Other = "other",
}

/// The user's choice on a permission request (`decisionClassification`); the CLI only counts it.
///
/// If it is absent, the CLI counts an allow as [`UserTemporary`](Self::UserTemporary) and a deny as
/// [`UserReject`](Self::UserReject).
#[wire]
pub enum DecisionClassification {
    /// Allowed once.
    UserTemporary = "user_temporary",
    /// Allowed permanently, now or earlier.
    UserPermanent = "user_permanent",
    /// Denied.
    UserReject = "user_reject",
}
