//! The vocabulary of permissions.

mod decision;
mod mode;
mod origin;
mod update;

pub use decision::{Allow, Decision, Deny};
pub use mode::PermissionMode;
pub use origin::McpOrigin;
pub use update::{
    DirectoriesUpdate, ModeUpdate, PermissionUpdate, Rule, RuleBehavior, RulesUpdate, UpdateDestination,
};
