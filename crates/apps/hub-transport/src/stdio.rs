//! A server that is a process: it runs in its own process group and exchanges lines of JSON.

mod child;
mod lines;
mod outgoing;

#[cfg(feature = "http")]
pub(crate) use self::lines::unreadable;
pub use self::{
    child::{Child, Program, StartError, hubs_above, start},
    lines::{Lines, SendError, is_unreadable},
    outgoing::Full,
};
