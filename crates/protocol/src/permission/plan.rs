//! `ExitPlanMode`: the model's plan, and the approval that ends plan mode.

use serde::Deserialize;

use super::{Allow, input::Input};
use crate::{DecodeError, control::CanUseTool};

/// A plan that the model submits for approval by its tool `ExitPlanMode`.
///
/// Return [`approve`](Self::approve) or [`approve_changed`](Self::approve_changed), with the mode to continue in. A
/// denial keeps the model planning; its message can contain the user's feedback.
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
    /// The content of the plan file (`plan`); `None` if the CLI finds no such file.
    ///
    /// Then the model has not written a plan, or an earlier process has written it and the session was resumed from a
    /// session store, which has no plan files. To keep them, set `plansDirectory` in the settings to a folder in the
    /// workspace.
    pub plan: Option<String>,
    /// The path of the plan file (`planFilePath`).
    pub file: Option<String>,
    input: Input,
}

impl Plan {
    /// The name of the tool.
    pub const TOOL: &'static str = "ExitPlanMode";

    /// Returns the plan of a request; `None` for another tool.
    ///
    /// # Errors
    ///
    /// Returns an error if the tool's input is not a plan.
    pub fn presented_by(request: &CanUseTool) -> Result<Option<Self>, DecodeError> {
        if &*request.tool_name != Self::TOOL {
            return Ok(None);
        }
        let Presented { plan, plan_file_path } = request.input.decode()?;
        Ok(Some(Self { plan, file: plan_file_path, input: request.input.decode()? }))
    }

    /// Approves the plan unchanged.
    ///
    /// The mode changes back to the one before plan mode, or to `default` if there was none, unless the updates of the
    /// decision contain [`set_mode`](super::PermissionUpdate::set_mode).
    ///
    /// CLI 2.1.197 notifies the model that the user edited the plan even if it is unchanged; 2.1.330 does not.
    pub fn approve(&self) -> Allow {
        Allow::new().input(self.input.clone().into_raw())
    }

    /// Approves this plan instead; the CLI notifies the model that the user edited it.
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
