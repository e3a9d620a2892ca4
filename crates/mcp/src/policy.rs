//! The policy for the calls of one server, which is part of the handshake.

use std::time::Duration;

use agentwire_protocol::{
    control::SdkServerConfig,
    mcp::{ToolPermission, ToolPolicy},
};

/// The CLI's policy for the calls of one server (`initialize.sdkMcpServerConfigs`).
///
/// CLI 2.1.197 ignores it, and no message reports whether a CLI supports it.
/// Denied tools are therefore refused on this side too; if the CLI is known to be too old, a session warns of the rest.
///
/// ```
/// use std::time::Duration;
///
/// use agentwire_mcp::ServerPolicy;
///
/// let policy = ServerPolicy::new().call_limit(Duration::from_secs(30)).always_ask("wipe").always_deny("format");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerPolicy {
    config: SdkServerConfig,
}

impl ServerPolicy {
    /// Creates a policy that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits how long a call may take (`timeout`, in milliseconds on the wire); progress does not extend it.
    ///
    /// The CLI ignores limits below a second, so a shorter limit is sent as a second.
    /// A limit above 24 days, the maximum of a JavaScript timer, is sent as 24 days.
    /// After the limit the CLI cancels the call, and the model reads that it timed out.
    #[must_use]
    pub fn call_limit(mut self, limit: Duration) -> Self {
        let millis = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        self.config.timeout = Some(millis.clamp(MIN_MILLIS, MAX_MILLIS));
        self
    }

    /// Makes the CLI ask about each call of this tool, even if a rule or the mode allows it (`always_ask`).
    ///
    /// The permission handler decides; without one the call is denied.
    #[must_use]
    pub fn always_ask(self, tool: impl Into<Box<str>>) -> Self {
        self.tool(tool.into(), ToolPermission::AlwaysAsk)
    }

    /// Denies all calls of this tool, regardless of rules and the permission handler (`always_deny`).
    ///
    /// A CLI that does not support the policy may send a call nevertheless. It gets an error result, and the tool is not
    /// called.
    ///
    /// To allow a tool, use a permission rule: the CLI accepts `always_allow` from no host.
    /// The name must be the tool's own: another name has no effect.
    #[must_use]
    pub fn always_deny(self, tool: impl Into<Box<str>>) -> Self {
        self.tool(tool.into(), ToolPermission::AlwaysDeny)
    }

    /// Keeps calls in the foreground, regardless of how long they take (`disableAutoBackground`).
    ///
    /// Without this, and with `CLAUDE_AUTO_BACKGROUND_TASKS` set, the CLI moves a call to the background after
    /// `CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS`: the model continues, and gets the result later.
    #[must_use]
    pub fn stay_in_foreground(mut self) -> Self {
        self.config.disable_auto_background = Some(true);
        self
    }

    /// Returns the policy for the wire, or `None` if it changes nothing.
    pub(crate) fn declared(&self) -> Option<&SdkServerConfig> {
        (self.config != SdkServerConfig::default()).then_some(&self.config)
    }

    /// Returns whether a tool of this name is denied.
    pub(crate) fn denies(&self, name: &str) -> bool {
        let mut tools = self.config.tools.iter().flatten();
        tools.any(|tool| *tool.name == *name && tool.permission_policy == Some(ToolPermission::AlwaysDeny))
    }

    fn tool(mut self, name: Box<str>, permission: ToolPermission) -> Self {
        let tools = self.config.tools.get_or_insert_default();
        tools.retain(|tool| tool.name != name);
        tools.push(ToolPolicy::new(name, permission));
        self
    }
}

/// The shortest limit that the CLI accepts.
const MIN_MILLIS: u64 = 1000;
/// The maximum of a JavaScript timer; a longer one may fire immediately.
const MAX_MILLIS: u64 = i32::MAX as u64;
