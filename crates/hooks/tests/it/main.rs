//! The hooks, as the CLI sees them: requests in, answers out, over an in-memory transport.

mod cli;
mod declaration;
mod failure;
mod permission;
mod reply;
