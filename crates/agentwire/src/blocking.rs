//! A blocking API for programs without async: every call blocks the calling thread.
//!
//! Each session has a runtime of its own with one thread. Callbacks, servers and the session run on it, also between
//! calls. A callback and a tool may block: another thread then runs the session. Tasks that a callback spawns and session
//! stores must not block: use `tokio::task::spawn_blocking` there.
//! The API needs no other runtime and does not panic inside one, but a call blocks its thread, so async code should use
//! [`Session`](crate::Session).
//!
//! [`Session::observe`] and `Session::store_handle` return async types: pass their futures to [`ControlHandle::wait`].
//!
//! Some of the async API has no counterpart here:
//!
//! - Streams of prompts ([`send_all`](crate::Session::send_all), [`into_query_all`](crate::Session::into_query_all),
//!   [`query_all`](crate::query_all)): send each prompt, and the last one with [`Session::into_query`].
//! - Spare processes ([`prewarm`](crate::prewarm)): connect a session before it is needed, on a thread of its own.
//! - [`Turn::session`](crate::Turn::session): a turn has its own [`control`](Turn::control).
//! - Time limits for a turn: an interrupt ([`ControlHandle::wait`]) ends the turn of a CLI that still reads. If the CLI
//!   hangs, the turn blocks its thread until the CLI ends.
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

pub use control::ControlHandle;
pub use query::{Query, query};
pub use session::Session;
pub use turn::Turn;
