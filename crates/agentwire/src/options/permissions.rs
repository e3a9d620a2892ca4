//! Options of permissions.

use agentwire_protocol::PermissionMode;
use serde::{Deserialize, Serialize};

use super::{
    Options,
    argv::Argv,
    launch_plan::{LaunchPlan, ToCli, refuse},
    setters::setters,
};
use crate::Error;

/// Whether permission questions are answered or denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum PermissionPrompts {
    /// The callback or the MCP tool answers; the CLI's default.
    Host,
    /// All questions are denied.
    None,
}

pub(super) struct Group<'a>(pub(super) &'a Options);

setters! {
    some permission_mode: PermissionMode;
    on allow_dangerously_skip_permissions;
    some permission_prompt_tool_name: String;
    some permission_prompts: PermissionPrompts;
}

impl ToCli for Group<'_> {
    fn to_cli(&self, to: &mut LaunchPlan) -> Result<(), Error> {
        let options = self.0;
        if options.permission_prompt_tool_name.as_deref() == Some("") {
            return refuse("permissionPromptToolName", "a tool's name is not empty");
        }
        to.flag(PROMPT_TOOL, options.permission_prompt_tool_name.as_deref());
        to.flag("permission-prompts", options.permission_prompts.map(PermissionPrompts::as_str));
        to.flag("permission-mode", options.permission_mode.as_ref());
        to.switch("allow-dangerously-skip-permissions", options.allow_dangerously_skip_permissions);
        Ok(())
    }
}

impl PermissionPrompts {
    fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::None => "none",
        }
    }
}

pub(crate) const PROMPT_TOOL: &str = "permission-prompt-tool";
