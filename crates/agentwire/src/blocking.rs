//! The same sessions for programs without async: every call blocks the thread that makes it.
//!
//! A session brings a runtime of its own with one thread, on which callbacks, servers and the session itself run, also
//! while no call of yours is under way.
//! Nothing here needs a runtime of yours, and nothing panics within one; but a call blocks the thread that it is made
//! on, so that async code had better use [`Session`](crate::Session).
//!
//! ```no_run
//! use agentwire::{Options, blocking::Session};
//!
//! fn main() -> Result<(), agentwire::Error> {
//!     let mut session = Session::connect(Options::new().model("sonnet"))?;
//!     let mut turn = session.ask("What is 2 + 2?")?;
//!     for incoming in &mut turn {
//!         println!("{:?}", incoming?.message());
//!     }
//!     println!("{:?}", turn.result());
//!     session.close()?;
//!     Ok(())
//! }
//! ```

mod control;
mod query;
mod runtime;
mod session;
mod turn;

pub use control::Control;
pub use query::{Query, query};
pub use session::Session;
pub use turn::Turn;
