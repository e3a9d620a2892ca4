//! Options of the server.

use std::net::IpAddr;
use std::time::Duration;

use agentwire_net::is_public;

/// The limits of a [`FetchServer`](crate::FetchServer).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FetchOptions {
    /// Whether loopback, private, link-local and other special addresses may be fetched; `false` by default.
    ///
    /// If `true`, a page can make the model read pages that only this machine can reach.
    pub allow_private: bool,
    /// Non-public addresses that may be fetched, such as a local server's; none by default.
    pub allowed_addresses: Vec<IpAddr>,
    /// The maximum size of a body after decompression; 5 MiB by default.
    ///
    /// HTML is converted to at most about twice as many bytes.
    pub max_bytes: usize,
    /// The time limit of a call, including the wait for other calls, name resolution, redirects, body and conversion; 30
    /// seconds by default. A connection may take half of it.
    pub time_limit: Duration,
    /// The maximum number of redirects of a call; 5 by default.
    pub max_redirects: usize,
    /// The `User-Agent` header.
    pub user_agent: String,
}

impl Default for FetchOptions {
    fn default() -> Self {
        Self {
            allow_private: false,
            allowed_addresses: Vec::new(),
            max_bytes: 5 * 1024 * 1024,
            time_limit: Duration::from_secs(30),
            max_redirects: 5,
            user_agent: concat!("agentwire-fetch-mcp/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

impl FetchOptions {
    /// Returns whether connections to the address are allowed.
    pub(crate) fn permits(&self, address: IpAddr) -> bool {
        // `::ffff:10.0.0.1` is the host `10.0.0.1`.
        let is_it = |allowed: &IpAddr| allowed.to_canonical() == address.to_canonical();
        self.allow_private || is_public(address) || self.allowed_addresses.iter().any(is_it)
    }
}
