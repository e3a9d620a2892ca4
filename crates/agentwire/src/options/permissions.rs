//! Options of permissions.

use serde::{Deserialize, Serialize};

/// Whether permission requests are answered or denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum PermissionPrompts {
    /// The callback or the MCP tool answers; the CLI's default.
    Host,
    /// All questions are denied.
    None,
}

pub(crate) const PROMPT_TOOL: &str = "permission-prompt-tool";
