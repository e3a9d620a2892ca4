//! Integration tests of the crate.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

mod changing;
mod conformance;
mod costing;
#[path = "../../../../codec/tests/it/cpu.rs"]
mod cpu;
mod exporting;
mod faulty;
#[cfg(unix)]
mod folder_processes;
#[cfg(unix)]
mod folder_store;
mod listing;
mod places;
mod reading;
mod searching;
mod store_sessions;
mod typed;
mod written;
