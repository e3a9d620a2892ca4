//! What the server may do: the limits, and whether private addresses are reached.

use std::net::IpAddr;
use std::time::Duration;

use agentwire_address::is_public;

/// The limits of a [`FetchServer`](crate::FetchServer).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Whether loopback, private, link-local and other special addresses may be reached; `false` by default.
    ///
    /// With it a page can make the model read what only this machine can reach.
    pub allow_private: bool,
    /// Addresses that are reached although they are not public, such as that of a server in the house; none by default.
    pub allowed_addresses: Vec<IpAddr>,
    /// The most bytes of one body, counted after decompression; 5 MiB by default. HTML is converted to at most about twice
    /// as many.
    pub max_bytes: usize,
    /// The most time for one call: the names, all redirects, the body and its conversion; 30 seconds by default.
    pub time_limit: Duration,
    /// The most redirects of one call; 5 by default.
    pub max_redirects: usize,
    /// What the server calls itself in the `User-Agent` header.
    pub user_agent: String,
}

impl Default for Options {
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

impl Options {
    /// Whether the address may be connected to.
    pub(crate) fn permits(&self, address: IpAddr) -> bool {
        self.allow_private || is_public(address) || self.allowed_addresses.contains(&address)
    }
}
