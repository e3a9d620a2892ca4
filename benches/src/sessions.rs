//! Many sessions at once in one process, over replays of recorded sessions: what each holds, and whether all get done.
//!
//! Each measurement is a process of its own, so that none finds memory that another one has left.

pub mod child;
pub mod recording;
pub mod seen;
