//! Tests with real kernels from PyPI: the Python kernel, and a kernel that runs code in another process.

mod ending;
mod kernels;
mod outputs;
mod running;
mod stopping;

use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::client::{Client, program};

/// Returns the environment with the kernels.
pub(crate) fn environment() -> PathBuf {
    let folder = std::env::var_os("AGENTWIRE_JUPYTER");
    PathBuf::from(folder.expect("AGENTWIRE_JUPYTER names no environment with ipykernel"))
}

/// Starts a server with a Python kernel.
pub(crate) async fn python() -> Client {
    python_with(&[]).await
}

pub(crate) async fn python_with(arguments: &[&str]) -> Client {
    Client::start(python_program(arguments)).await
}

pub(crate) fn python_program(arguments: &[&str]) -> Command {
    let data = environment().join("share/jupyter");
    let mut command = program(&[Path::new("/nowhere"), &data], arguments);
    // The default backend must work without a screen.
    command.env_remove("MPLBACKEND").env("IPYTHONDIR", std::env::temp_dir().join("agentwire-no-ipython"));
    command
}
