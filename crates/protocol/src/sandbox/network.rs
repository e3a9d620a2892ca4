//! The network access of sandboxed commands.

/// The network access of commands (`network`).
#[wire(Default, camelCase)]
pub struct SandboxNetwork {
    /// Domains that are allowed without asking (`allowedDomains`).
    pub allowed_domains: Option<Vec<String>>,
    /// Domains that are denied (`deniedDomains`).
    pub denied_domains: Option<Vec<String>>,
    /// Whether other domains are denied without asking (`strictAllowlist`).
    pub strict_allowlist: Option<bool>,
    /// Whether only managed settings can allow domains (`allowManagedDomainsOnly`).
    pub allow_managed_domains_only: Option<bool>,
    /// Allowed Unix sockets, as paths (`allowUnixSockets`).
    pub allow_unix_sockets: Option<Vec<String>>,
    /// Whether all Unix sockets are allowed (`allowAllUnixSockets`).
    pub allow_all_unix_sockets: Option<bool>,
    /// Whether commands may listen on local ports (`allowLocalBinding`).
    pub allow_local_binding: Option<bool>,
    /// Allowed Mach services, on macOS (`allowMachLookup`).
    pub allow_mach_lookup: Option<Vec<String>>,
    /// The port of an HTTP proxy that the host provides (`httpProxyPort`).
    pub http_proxy_port: Option<u32>,
    /// The port of a SOCKS proxy that the host provides (`socksProxyPort`).
    pub socks_proxy_port: Option<u32>,
    /// How the proxy terminates TLS to inspect requests (`tlsTerminate`).
    pub tls_terminate: Option<TlsTerminate>,
}

/// The certificate authority of the proxy; the CLI creates one if none is named.
#[wire(Default, Eq, camelCase)]
pub struct TlsTerminate {
    /// The path of the certificate (`caCertPath`).
    pub ca_cert_path: Option<String>,
    /// The path of the key (`caKeyPath`).
    pub ca_key_path: Option<String>,
}
