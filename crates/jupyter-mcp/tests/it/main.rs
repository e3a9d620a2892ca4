//! The server as a program, as a client sees it: without kernels, and with real ones.
//!
//! The tests `real::` need `AGENTWIRE_JUPYTER`, the folder of a Python environment with ipykernel, bash_kernel, matplotlib
//! and pandas; those in `real_r::` need an R kernel where Jupyter finds it. Other runs ignore them: `cargo xtask mcp-servers`
//! runs them, with R's where there is one.

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
