#![doc = include_str!("../README.md")]

mod registry;

mod any;
mod callback;
mod context;
mod dialog;
mod elicitation;
mod error;
mod event;
mod handlers;
mod limit;
mod matcher;
mod pattern;
mod permission;
pub mod policy;
mod problem;
mod registration;
mod reply;
mod responder;
mod strict;
mod terminal;

pub use any::{AnyHook, EVENTS, IntoAnyReply};
pub use callback::{catch_panic, excerpt};
pub use context::HookContext;
pub use dialog::{DialogHandler, IntoDialogReply};
pub use elicitation::{ElicitationHandler, IntoElicitationReply};
pub use handlers::Handlers;
pub use matcher::Matcher;
pub use permission::{IntoDecision, PermissionAudit, PermissionHandler, PermissionOutcome, PermissionResult};
pub use problem::{HookWarning, HooksError};
pub use registry::Hooks;
pub use reply::{HandlerResult, IntoReply};
