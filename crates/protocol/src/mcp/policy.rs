//! Permissions of MCP tools.

/// The permissions of one tool of an MCP server.
///
/// `mcp_set_servers` accepts it for remote and in-process servers, `initialize` for in-process servers.
/// The CLI drops entries that it can't read, without an error.
#[wire(Eq)]
pub struct ToolPolicy {
    /// The tool's name on the server.
    pub name: Box<str>,
    /// How the CLI decides on a call; it treats an unknown value as `always_ask`.
    pub permission_policy: Option<ToolPermission>,
    /// The organisation's maximum; ignored for in-process servers.
    pub org_max_permission: Option<OrgMaxPermission>,
}

impl ToolPolicy {
    /// Returns a policy for this tool.
    pub fn new(name: impl Into<Box<str>>, policy: ToolPermission) -> Self {
        Self { name: name.into(), permission_policy: Some(policy), org_max_permission: None }
    }
}

/// How the CLI decides on a call of an MCP tool (`permission_policy`).
#[wire]
pub enum ToolPermission {
    /// The call is allowed; ignored for in-process servers.
    AlwaysAllow = "always_allow",
    /// The CLI asks the host, even if a rule allows the call.
    AlwaysAsk = "always_ask",
    /// The call is denied.
    AlwaysDeny = "always_deny",
}

/// The maximum permission that an organisation allows for a tool (`org_max_permission`).
#[wire]
pub enum OrgMaxPermission {
    /// No restriction.
    Allow = "allow",
    /// The user must be asked, even in mode `auto`.
    Ask = "ask",
    /// The tool is blocked.
    Blocked = "blocked",
}
