//! The builders, with a stand-in for each program that runs the command on this machine.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by a panic")]

mod commands;
mod contract;
mod far;
mod sshd;
mod stand_in;
