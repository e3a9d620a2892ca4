//! What of the network a sandboxed command can reach.

use serde::{Deserialize, Serialize};

/// What of the network can be reached (`network`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SandboxNetwork {
    /// Domains that can be reached without a question (`allowedDomains`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_domains: Option<Vec<String>>,
    /// Domains that can't be reached (`deniedDomains`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied_domains: Option<Vec<String>>,
    /// Whether other domains are refused without a question (`strictAllowlist`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_allowlist: Option<bool>,
    /// Whether only managed settings can allow domains (`allowManagedDomainsOnly`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_managed_domains_only: Option<bool>,
    /// Unix sockets that can be used, as paths (`allowUnixSockets`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_unix_sockets: Option<Vec<String>>,
    /// Whether all Unix sockets can be used (`allowAllUnixSockets`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_all_unix_sockets: Option<bool>,
    /// Whether commands may listen on local ports (`allowLocalBinding`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_local_binding: Option<bool>,
    /// Mach services that can be looked up, on macOS (`allowMachLookup`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_mach_lookup: Option<Vec<String>>,
    /// The port of an HTTP proxy of the host's (`httpProxyPort`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_proxy_port: Option<u32>,
    /// The port of a SOCKS proxy of the host's (`socksProxyPort`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socks_proxy_port: Option<u32>,
    /// How the proxy opens TLS, to look into requests (`tlsTerminate`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_terminate: Option<TlsTerminate>,
}

/// The authority that the proxy signs with; the CLI makes one where none is named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TlsTerminate {
    /// The file of its certificate (`caCertPath`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_cert_path: Option<String>,
    /// The file of its key (`caKeyPath`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_key_path: Option<String>,
}
