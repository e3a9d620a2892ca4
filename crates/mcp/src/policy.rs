//! What the handshake says of a server beside its name.

use std::time::Duration;

use agentwire_protocol::{
    control::SdkServerConfig,
    mcp::{ToolPermission, ToolPolicy},
};

/// What the CLI is to do with the calls of a server (`initialize.sdkMcpServerConfigs`).
///
/// CLI 2.1.197 ignores it, and nothing tells whether a CLI does.
/// What is denied is therefore refused on this side too; where a CLI is known to be too old, a session warns of the rest.
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
    /// As the CLI does by itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long a call may take (`timeout`, in milliseconds on the wire); progress does not extend it.
    ///
    /// The CLI ignores limits below a second: less is sent as a second.
    /// More than 24 days, which timers of JavaScript do not count, is sent as that.
    /// When the time is up the CLI gives the call up, and the model reads that it did.
    #[must_use]
    pub fn call_limit(mut self, limit: Duration) -> Self {
        let millis = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        self.config.timeout = Some(millis.clamp(LEAST_MILLIS, MOST_MILLIS));
        self
    }

    /// Calls of this tool are asked about, even where a rule or the mode allows them (`always_ask`).
    ///
    /// The question comes to the permission handler; without one the call is denied.
    #[must_use]
    pub fn always_ask(self, tool: impl Into<Box<str>>) -> Self {
        self.tool(tool.into(), ToolPermission::AlwaysAsk)
    }

    /// Calls of this tool are denied, whatever a rule or the permission handler says (`always_deny`).
    ///
    /// A call that comes all the same, from a CLI that does not know of this, is answered with an error result; the tool
    /// is not called.
    ///
    /// To allow a tool, use a permission rule: the CLI takes `always_allow` from no host.
    #[must_use]
    pub fn always_deny(self, tool: impl Into<Box<str>>) -> Self {
        self.tool(tool.into(), ToolPermission::AlwaysDeny)
    }

    /// Calls stay in the foreground however long they take (`disableAutoBackground`).
    ///
    /// Without it a CLI that was told so (`CLAUDE_AUTO_BACKGROUND_TASKS`, and after
    /// `CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS`) lets the model go on, and tells it the result of a long call later.
    #[must_use]
    pub fn stay_in_foreground(mut self) -> Self {
        self.config.disable_auto_background = Some(true);
        self
    }

    /// The same on the wire; `None` where it says nothing.
    pub(crate) fn declared(&self) -> Option<&SdkServerConfig> {
        (self.config != SdkServerConfig::default()).then_some(&self.config)
    }

    /// Whether a tool of this name is denied.
    pub(crate) fn denies(&self, name: &str) -> bool {
        self.denied().any(|tool| *tool.name == *name)
    }

    /// Whether any tool is denied.
    pub(crate) fn denies_any(&self) -> bool {
        self.denied().next().is_some()
    }

    fn denied(&self) -> impl Iterator<Item = &ToolPolicy> {
        let tools = self.config.tools.iter().flatten();
        tools.filter(|tool| tool.permission_policy == Some(ToolPermission::AlwaysDeny))
    }

    fn tool(mut self, name: Box<str>, permission: ToolPermission) -> Self {
        let tools = self.config.tools.get_or_insert_default();
        tools.retain(|tool| tool.name != name);
        tools.push(ToolPolicy::new(name, permission));
        self
    }
}

/// The least limit that the CLI takes.
const LEAST_MILLIS: u64 = 1000;
/// The most that a timer of JavaScript's counts; with more it may fire at once.
const MOST_MILLIS: u64 = i32::MAX as u64;
