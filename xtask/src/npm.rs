//! npm packages that the commands use as libraries, in an ignored folder of the workspace.

use std::process::Command;

use crate::cli;
use crate::failure::Failure;
use crate::program;
use crate::workspace;

/// A script of ours, and the package that it imports.
#[derive(Debug)]
pub(crate) struct Script {
    /// The package's name and version.
    pub(crate) package: (&'static str, &'static str),
    /// A file of the package, present once it is installed.
    pub(crate) file: &'static str,
    /// The script's name below `xtask/scripts`.
    pub(crate) name: &'static str,
}

impl Script {
    /// Installs the package if it is missing, and returns the command that runs the script.
    ///
    /// The script finds the package's folder as its first argument.
    pub(crate) fn command(&self) -> Result<Command, Failure> {
        let (name, version) = self.package;
        let node = program::find("node")
            .ok_or_else(|| Failure::new(format!("node is needed for {name}, and is not installed")))?;
        let mut command = Command::new(node);
        command.arg(workspace::root()?.join("xtask/scripts").join(self.name));
        command.arg(cli::npm_package(name, version, self.file)?);
        Ok(command)
    }
}
