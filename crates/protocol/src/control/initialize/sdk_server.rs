//! In-process MCP servers in the handshake.

use crate::{RawJson, mcp::ToolPolicy};

/// Settings of an in-process MCP server (`sdkMcpServerConfigs`).
#[wire(Default, Eq)]
pub struct SdkServerConfig {
    /// The timeout of a tool call in milliseconds. The CLI ignores values below 1000; progress does not extend it.
    ///
    /// It has no effect on servers that `--mcp-config` registers too.
    pub timeout: Option<u64>,
    /// Whether its calls stay in the foreground, regardless of their duration (`disableAutoBackground`).
    ///
    /// Not declared as a field, but mentioned in the declarations; only `true` has an effect.
    #[serde(rename = "disableAutoBackground")]
    pub disable_auto_background: Option<bool>,
    /// The permissions of its tools; only `always_ask` and `always_deny` take effect.
    ///
    /// An empty list is written, but does not remove rules: a handshake never does.
    pub tools: Option<Vec<ToolPolicy>>,
}

/// The manifest of an in-process MCP server: its answers on connection (`sdkMcpServerManifests`).
///
/// The CLI uses these answers instead of querying the server.
#[wire(Eq, camelCase, new)]
pub struct SdkServerManifest {
    /// The server's result of the MCP request `initialize`.
    pub initialize_result: RawJson,
    /// The server's result of the MCP request `tools/list`, if it is complete.
    #[argument]
    pub tools_list_result: Option<RawJson>,
}

/// The origin of the manifests (`sdkMcpServerManifestsOrigin`).
#[wire]
pub enum ManifestsOrigin {
    /// The host made the manifests for this request, from the current state of its servers.
    HostPerSend = "host_per_send",
}

/// The outcome of a manifest (`sdk_mcp_manifests_parked`).
#[wire]
pub enum ManifestFate {
    /// The CLI uses it when it connects to the server.
    Parked = "parked",
    /// The server was already connected.
    AlreadyConnected = "already_connected",
    /// The manifest is for another version of MCP.
    ProtocolVersionMismatch = "protocol_version_mismatch",
    /// The manifest has the wrong shape.
    Malformed = "malformed",
    /// The CLI does not support manifests.
    NotHonoured = "not_honoured",
}
