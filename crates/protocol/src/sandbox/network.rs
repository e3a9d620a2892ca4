//! What of the network a sandboxed command can reach.

use serde::{Deserialize, Serialize};

/// What of the network can be reached (`network`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SandboxNetwork {
    /// Domains that can be reached without a question (`allowedDomains`).
    pub allowed_domains: Option<Vec<String>>,
    /// Domains that can't be reached (`deniedDomains`).
    pub denied_domains: Option<Vec<String>>,
    /// Whether other domains are refused without a question (`strictAllowlist`).
    pub strict_allowlist: Option<bool>,
    /// Whether only managed settings can allow domains (`allowManagedDomainsOnly`).
    pub allow_managed_domains_only: Option<bool>,
    /// Unix sockets that can be used, as paths (`allowUnixSockets`).
    pub allow_unix_sockets: Option<Vec<String>>,
    /// Whether all Unix sockets can be used (`allowAllUnixSockets`).
    pub allow_all_unix_sockets: Option<bool>,
    /// Whether commands may listen on local ports (`allowLocalBinding`).
    pub allow_local_binding: Option<bool>,
    /// Mach services that can be looked up, on macOS (`allowMachLookup`).
    pub allow_mach_lookup: Option<Vec<String>>,
    /// The port of an HTTP proxy of the host's (`httpProxyPort`).
    pub http_proxy_port: Option<u32>,
    /// The port of a SOCKS proxy of the host's (`socksProxyPort`).
    pub socks_proxy_port: Option<u32>,
    /// How the proxy opens TLS, to look into requests (`tlsTerminate`).
    pub tls_terminate: Option<TlsTerminate>,
}

/// The authority that the proxy signs with; the CLI makes one where none is named.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TlsTerminate {
    /// The file of its certificate (`caCertPath`).
    pub ca_cert_path: Option<String>,
    /// The file of its key (`caKeyPath`).
    pub ca_key_path: Option<String>,
}
