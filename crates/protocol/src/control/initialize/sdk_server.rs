//! What the handshake says of the host's own MCP servers.

use serde::{Deserialize, Serialize};

use crate::{RawJson, mcp::ToolPolicy, open_enum::open_enum};

/// Settings of one of the host's own MCP servers (`sdkMcpServerConfigs`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SdkServerConfig {
    /// The limit for one tool call, in milliseconds; values below 1000 are ignored, and progress does not extend it.
    ///
    /// It works for a server that is declared in the handshake alone, not for one that `--mcp-config` has registered.
    pub timeout: Option<u64>,
    /// Whether its calls stay in the foreground however long they take (`disableAutoBackground`).
    ///
    /// Not declared, but told of in the declaration's text; only `true` takes effect.
    #[serde(rename = "disableAutoBackground")]
    pub disable_auto_background: Option<bool>,
    /// What its tools may do, by tool; only `always_ask` and `always_deny` take effect.
    ///
    /// An empty list is written, and takes nothing back: a handshake never removes a rule.
    pub tools: Option<Vec<ToolPolicy>>,
}

/// What one of the host's own MCP servers answers when it is connected (`sdkMcpServerManifests`).
///
/// The CLI then does not ask the server itself.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SdkServerManifest {
    /// The server's result of MCP's `initialize`.
    pub initialize_result: RawJson,
    /// Its result of MCP's `tools/list`, if it is complete.
    pub tools_list_result: Option<RawJson>,
}

impl SdkServerManifest {
    /// These answers.
    pub fn new(initialize_result: RawJson, tools_list_result: Option<RawJson>) -> Self {
        Self { initialize_result, tools_list_result }
    }
}

open_enum! {
    /// How the host came by the manifests of its servers (`sdkMcpServerManifestsOrigin`).
    pub enum ManifestsOrigin {
        /// It asked the servers for this very request.
        HostPerSend = "host_per_send",
    }
}

open_enum! {
    /// What became of a manifest (`sdk_mcp_manifests_parked`).
    pub enum ManifestFate {
        /// It is used when the server is connected.
        Parked = "parked",
        /// The server was connected already.
        AlreadyConnected = "already_connected",
        /// It is of another version of MCP.
        ProtocolVersionMismatch = "protocol_version_mismatch",
        /// It is not of the right shape.
        Malformed = "malformed",
        /// The CLI does not use any.
        NotHonoured = "not_honoured",
    }
}
