//! What the tools of an MCP server may do.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

/// What one tool of an MCP server may do.
///
/// `mcp_set_servers` carries it for remote servers and for those of the host, `initialize` for those of the host.
/// An entry that the CLI can't read is dropped by it, without an error.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ToolPolicy {
    /// The tool's name on its server.
    pub name: Box<str>,
    /// What becomes of a call; the CLI takes one that it does not know for `always_ask`.
    pub permission_policy: Option<ToolPermission>,
    /// The most that the organisation allows; ignored for servers of the host.
    pub org_max_permission: Option<OrgMaxPermission>,
}

impl ToolPolicy {
    /// What becomes of calls of this tool.
    pub fn new(name: impl Into<Box<str>>, policy: ToolPermission) -> Self {
        Self { name: name.into(), permission_policy: Some(policy), org_max_permission: None }
    }
}

open_enum! {
    /// What becomes of a call of an MCP tool (`permission_policy`).
    pub enum ToolPermission {
        /// It passes; ignored for servers of the host.
        AlwaysAllow = "always_allow",
        /// The host is asked, even where a rule allows the call.
        AlwaysAsk = "always_ask",
        /// It is refused.
        AlwaysDeny = "always_deny",
    }
}

open_enum! {
    /// The most that an organisation allows to a tool (`org_max_permission`).
    pub enum OrgMaxPermission {
        /// Anything.
        Allow = "allow",
        /// The user must be asked, in automatic mode too.
        Ask = "ask",
        /// Nothing.
        Blocked = "blocked",
    }
}
