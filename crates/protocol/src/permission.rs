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

pub use decision::*;
pub use mode::*;
pub use origin::*;
pub use plan::*;
pub use question::*;
pub use reason::*;
pub use rule::*;
pub use update::*;
