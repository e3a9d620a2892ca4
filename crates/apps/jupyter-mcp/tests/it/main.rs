//! Tests of the program through a client, without kernels and with real ones.
//!
//! The tests `real::` need `AGENTWIRE_JUPYTER`, the folder of a Python environment with ipykernel, bash_kernel,
//! matplotlib and pandas; those in `real_r::` need an installed R kernel.
//! They are ignored by default: `cargo xtask mcp-servers` runs them, those for R if it is installed.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what the tests share is test code too"
)]

mod client;
mod program;
mod real;
mod real_r;
mod starting;
