//! The vocabulary of permissions.

mod decision;
mod mode;
mod origin;
mod reason;
mod update;

pub use decision::{Allow, Decision, Deny};
pub use mode::PermissionMode;
pub use origin::McpOrigin;
pub use reason::{DecisionClassification, DecisionReason};
pub use update::{
    DirectoriesUpdate, ModeUpdate, PermissionUpdate, Rule, RuleBehavior, RulesUpdate, UpdateDestination,
};
