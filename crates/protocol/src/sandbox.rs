//! The sandbox of shell commands, in settings and in the host's options (`sandbox`).

mod credentials;
mod network;

use std::collections::BTreeMap;

pub use credentials::*;
pub use network::*;

/// The sandbox of shell commands (`sandbox`).
///
/// Every field is optional; a missing field has the CLI's default.
/// Lists are `Option`s, since an empty list and a missing one have different meanings.
#[wire(Default, camelCase)]
pub struct SandboxSettings {
    /// Whether commands run in the sandbox (`enabled`).
    pub enabled: Option<bool>,
    /// Whether the CLI refuses to start if no sandbox is available (`failIfUnavailable`).
    pub fail_if_unavailable: Option<bool>,
    /// Whether sandboxed commands need no permission (`autoAllowBashIfSandboxed`).
    pub auto_allow_bash_if_sandboxed: Option<bool>,
    /// Whether the model may request to run a command outside of the sandbox (`allowUnsandboxedCommands`).
    pub allow_unsandboxed_commands: Option<bool>,
    /// The network access (`network`).
    pub network: Option<SandboxNetwork>,
    /// The file system access (`filesystem`).
    pub filesystem: Option<SandboxFilesystem>,
    /// The credentials that commands can see (`credentials`).
    pub credentials: Option<SandboxCredentials>,
    /// Violations to ignore, as patterns by command (`ignoreViolations`).
    pub ignore_violations: Option<BTreeMap<Box<str>, Vec<String>>>,
    /// Whether to accept a weaker sandbox within a container (`enableWeakerNestedSandbox`).
    pub enable_weaker_nested_sandbox: Option<bool>,
    /// Whether commands may create user namespaces (`allowNestedUserNamespaces`).
    pub allow_nested_user_namespaces: Option<bool>,
    /// Whether to accept weaker network isolation (`enableWeakerNetworkIsolation`).
    pub enable_weaker_network_isolation: Option<bool>,
    /// Whether commands may send Apple events, on macOS (`allowAppleEvents`).
    pub allow_apple_events: Option<bool>,
    /// Commands that run outside of the sandbox (`excludedCommands`).
    pub excluded_commands: Option<Vec<String>>,
    /// The search program (`ripgrep`).
    pub ripgrep: Option<SandboxRipgrep>,
    /// The absolute path of `bwrap`, on Linux (`bwrapPath`).
    pub bwrap_path: Option<String>,
    /// The absolute path of `socat`, on Linux (`socatPath`).
    pub socat_path: Option<String>,
}

/// The file system access of commands.
#[wire(Default, camelCase)]
pub struct SandboxFilesystem {
    /// Additional writable paths (`allowWrite`).
    pub allow_write: Option<Vec<String>>,
    /// Paths that are not writable (`denyWrite`).
    pub deny_write: Option<Vec<String>>,
    /// Paths that are not readable (`denyRead`).
    pub deny_read: Option<Vec<String>>,
    /// Readable paths within those of `deny_read` (`allowRead`).
    pub allow_read: Option<Vec<String>>,
    /// Whether only managed settings can set readable paths (`allowManagedReadPathsOnly`).
    pub allow_managed_read_paths_only: Option<bool>,
    /// Whether file system isolation is disabled (`disabled`).
    pub disabled: Option<bool>,
}

/// The search program.
#[wire(Eq, new)]
pub struct SandboxRipgrep {
    /// The program (`command`).
    pub command: String,
    /// Arguments before those of a search (`args`).
    pub args: Option<Vec<String>>,
}
