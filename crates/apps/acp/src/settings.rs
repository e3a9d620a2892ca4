//! What the program's arguments set.

use std::path::PathBuf;

/// The settings of the agent.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// The CLI's program; by default it is searched.
    pub cli: Option<PathBuf>,
    /// Whether clients may select the mode `bypassPermissions`. The CLI refuses it to root outside of a sandbox.
    pub allow_bypass: bool,
    /// Whether sessions ignore the settings, MCP servers and instructions in their folders
    /// ([`Options::untrusted_folder`](agentwire::Options::untrusted_folder)).
    pub untrusted_folder: bool,
}
