//! Permissions: decisions, modes, rules and their updates.

mod decision;
mod input;
mod mode;
mod origin;
mod plan;
mod question;
mod reason;
mod rule;
mod update;

pub use decision::{Allow, Decision, Deny};
pub use mode::PermissionMode;
pub use origin::McpOrigin;
pub use plan::Plan;
pub use question::{Answer, Choice, Question, Questions};
pub use reason::{DecisionClassification, DecisionReason};
pub use rule::{Rule, RuleError};
pub use update::{
    DirectoriesUpdate, ModeUpdate, PermissionUpdate, RuleBehavior, RulesUpdate, UpdateDestination,
};
