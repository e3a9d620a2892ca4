//! The sandbox that commands run in, as the settings and the host's options describe it (`sandbox`).

mod credentials;
mod network;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use credentials::{
    AwsPair, CredentialFile, CredentialMode, CredentialVar, SandboxCredentials, SecretDecode, SecretNoMatch,
    SigV4, SigningRule,
};
pub use network::{SandboxNetwork, TlsTerminate};

/// The sandbox that commands run in (`sandbox`).
///
/// Every field is optional, and a missing one leaves it to the CLI.
/// Lists are `Option`s, since an empty one says something else than none.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SandboxSettings {
    /// Whether commands run in it (`enabled`).
    pub enabled: Option<bool>,
    /// Whether the CLI refuses to start where there can be none (`failIfUnavailable`).
    pub fail_if_unavailable: Option<bool>,
    /// Whether commands in it need no permission (`autoAllowBashIfSandboxed`).
    pub auto_allow_bash_if_sandboxed: Option<bool>,
    /// Whether the model may ask to run a command outside of it (`allowUnsandboxedCommands`).
    pub allow_unsandboxed_commands: Option<bool>,
    /// What of the network can be reached (`network`).
    pub network: Option<SandboxNetwork>,
    /// What of the file system can be read and written (`filesystem`).
    pub filesystem: Option<SandboxFilesystem>,
    /// Which credentials commands see, and how (`credentials`).
    pub credentials: Option<SandboxCredentials>,
    /// Violations that are not reported, as patterns by command (`ignoreViolations`).
    pub ignore_violations: Option<BTreeMap<Box<str>, Vec<String>>>,
    /// Whether a weaker sandbox serves within a container (`enableWeakerNestedSandbox`).
    pub enable_weaker_nested_sandbox: Option<bool>,
    /// Whether commands may make user namespaces of their own (`allowNestedUserNamespaces`).
    pub allow_nested_user_namespaces: Option<bool>,
    /// Whether a weaker isolation of the network serves (`enableWeakerNetworkIsolation`).
    pub enable_weaker_network_isolation: Option<bool>,
    /// Whether commands may send Apple events, on macOS (`allowAppleEvents`).
    pub allow_apple_events: Option<bool>,
    /// Commands that run outside of it (`excludedCommands`).
    pub excluded_commands: Option<Vec<String>>,
    /// The program to search with (`ripgrep`).
    pub ripgrep: Option<SandboxRipgrep>,
    /// The program `bwrap`, as an absolute path, on Linux (`bwrapPath`).
    pub bwrap_path: Option<String>,
    /// The program `socat`, as an absolute path, on Linux (`socatPath`).
    pub socat_path: Option<String>,
}

/// What of the file system can be read and written.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SandboxFilesystem {
    /// Paths that can be written besides (`allowWrite`).
    pub allow_write: Option<Vec<String>>,
    /// Paths that can't be written (`denyWrite`).
    pub deny_write: Option<Vec<String>>,
    /// Paths that can't be read (`denyRead`).
    pub deny_read: Option<Vec<String>>,
    /// Paths within those that can be read all the same (`allowRead`).
    pub allow_read: Option<Vec<String>>,
    /// Whether only managed settings can say what can be read (`allowManagedReadPathsOnly`).
    pub allow_managed_read_paths_only: Option<bool>,
    /// Whether the file system is not isolated at all (`disabled`).
    pub disabled: Option<bool>,
}

/// The program to search with.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SandboxRipgrep {
    /// The program (`command`).
    pub command: String,
    /// What comes before the arguments of a search (`args`).
    pub args: Option<Vec<String>>,
}

impl SandboxRipgrep {
    /// This program, without further arguments.
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), args: None }
    }
}
