//! Hook callbacks in the handshake.

/// Hook callbacks of one event with the same matcher.
#[wire(Default, camelCase)]
pub struct HookMatcher {
    /// A tool name, a list (`A|B`) or a pattern; `None` matches all.
    pub matcher: Option<Box<str>>,
    /// The ids of the callbacks, chosen by the host.
    pub hook_callback_ids: Vec<Box<str>>,
    /// The timeout of each callback in seconds, enforced by the CLI.
    pub timeout: Option<f64>,
    /// How the CLI continues if a callback fails.
    pub on_failure: Option<HookFailure>,
}

/// How the CLI continues if a hook callback fails.
#[wire]
pub enum HookFailure {
    /// Block the guarded action.
    Block = "block",
    /// Proceed.
    Continue = "continue",
}
