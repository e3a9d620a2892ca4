//! Runs cargo and other programs.

use std::env;
use std::process::Command;

pub(crate) use agentwire_cluster::program::{find, output, run, show, works, wrapped};

use crate::failure::Failure;
use crate::workspace;

/// `cargo`, in the root of the workspace, as if it had been called by hand.
///
/// `cargo run` describes this crate in variables which some build scripts watch.
/// Left in, they would make such a script run again, and all that depends on it be built again.
pub(crate) fn cargo() -> Result<Command, Failure> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(workspace::root()?);
    for (name, _) in env::vars_os() {
        let Some(text) = name.to_str() else { continue };
        if ABOUT_THIS_CRATE.iter().any(|prefix| text.starts_with(prefix)) {
            cargo.env_remove(&name);
        }
    }
    Ok(cargo)
}

const ABOUT_THIS_CRATE: &[&str] =
    &["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
