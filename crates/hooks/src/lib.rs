#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod registry;

mod answer;
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
mod question;
mod registration;
mod strict;
mod terminal;

pub use answer::{HandlerResult, IntoAnswer, PermissionResult};
pub use any::{AnyHook, EVENTS};
pub use context::HookContext;
pub use dialog::DialogHandler;
pub use elicitation::ElicitationHandler;
pub use handlers::Handlers;
pub use matcher::Matcher;
#[doc(hidden)]
pub use pattern::name::normalized;
pub use permission::{AuditOutcome, PermissionAudit, PermissionHandler};
pub use problem::{HookWarning, HooksError};
pub use registry::Hooks;
