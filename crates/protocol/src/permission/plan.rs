//! `ExitPlanMode`: the model's plan, and the approval that lets it begin.

use serde::Deserialize;

use super::{Allow, input::Input};
use crate::{DecodeError, control::CanUseTool};

/// The model's plan, which it wants approved by its tool `ExitPlanMode`.
///
/// Give back [`approve`](Self::approve) or [`approve_changed`](Self::approve_changed), with the mode to go on in; a
/// denial keeps the model planning, and its message is what the user wants otherwise.
///
/// ```
/// use agentwire_protocol::{PermissionMode, permission::{Decision, PermissionUpdate, Plan}};
/// # use agentwire_protocol::{DecodeError, control::CanUseTool};
/// # fn decide(request: &CanUseTool) -> Result<Decision, DecodeError> {
/// if let Some(plan) = Plan::presented_by(request)? {
///     let edits_pass = PermissionUpdate::set_mode(PermissionMode::AcceptEdits);
///     return Ok(plan.approve().updates([edits_pass]).into());
/// }
/// # Ok(Decision::deny("no"))
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The plan (`plan`), as it stands in its file; `None` where the model has written none.
    pub plan: Option<String>,
    /// The file that the model has written it to (`planFilePath`).
    pub file: Option<String>,
    input: Input,
}

impl Plan {
    /// The name of the tool.
    pub const TOOL: &'static str = "ExitPlanMode";

    /// The plan of a request; `None` where it is about another tool.
    ///
    /// # Errors
    ///
    /// When the tool's input does not have the shape of a plan.
    pub fn presented_by(request: &CanUseTool) -> Result<Option<Self>, DecodeError> {
        if &*request.tool_name != Self::TOOL {
            return Ok(None);
        }
        let Presented { plan, plan_file_path } = request.input.decode()?;
        Ok(Some(Self { plan, file: plan_file_path, input: request.input.decode()? }))
    }

    /// The approval of the plan as it is.
    ///
    /// The mode becomes the one that was before plan mode, `default` where there was none; a
    /// [`set_mode`](super::PermissionUpdate::set_mode) among the allowance's updates says another one.
    ///
    /// CLI 2.1.197 tells the model that the user has edited the plan, though it is the same; 2.1.330 does not.
    pub fn approve(&self) -> Allow {
        Allow::new().input(self.input.clone().into_raw())
    }

    /// The approval of this plan in its place; the model is told that the user has edited it.
    pub fn approve_changed(&self, plan: &str) -> Allow {
        Allow::new().input(self.input.with("plan", plan).into_raw())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Presented {
    plan: Option<String>,
    plan_file_path: Option<String>,
}
