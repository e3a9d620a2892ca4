//! Command-line arguments.

use std::net::IpAddr;
use std::time::Duration;

use agentwire_fetch_mcp::FetchOptions;
use clap::Parser;

/// An MCP server over standard input and output, with one tool: fetch
#[derive(Debug, Parser)]
#[command(name = "agentwire-fetch-mcp", version)]
pub(crate) struct Arguments {
    /// Reach loopback, private and link-local addresses too
    #[arg(long)]
    allow_private: bool,
    /// Reach this address, though it is not public; may be repeated
    #[arg(long = "allow-address", value_name = "IP")]
    allowed_addresses: Vec<IpAddr>,
    /// The maximum size of one body in bytes, decompressed
    #[arg(long, value_name = "N", default_value_t = FetchOptions::default().max_bytes)]
    max_bytes: usize,
    /// The maximum number of redirects of one call
    #[arg(long, value_name = "N", default_value_t = FetchOptions::default().max_redirects)]
    max_redirects: usize,
    /// The time limit of one call
    #[arg(long, value_name = "SECONDS", default_value_t = FetchOptions::default().time_limit.as_secs())]
    time_limit: u64,
    /// The header `User-Agent`
    #[arg(long, value_name = "TEXT", default_value_t = FetchOptions::default().user_agent)]
    user_agent: String,
}

impl Arguments {
    pub(crate) fn options(self) -> FetchOptions {
        let mut options = FetchOptions::default();
        options.allow_private = self.allow_private;
        options.allowed_addresses = self.allowed_addresses;
        options.max_bytes = self.max_bytes;
        options.max_redirects = self.max_redirects;
        options.time_limit = Duration::from_secs(self.time_limit);
        options.user_agent = self.user_agent;
        options
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::Arguments;

    #[test]
    fn options_are_read() {
        let line = "agentwire-fetch-mcp --allow-private --allow-address ::1 --max-bytes=7 --time-limit 2 --max-redirects 0";
        let options = Arguments::parse_from(line.split_whitespace()).options();
        assert!(options.allow_private);
        assert_eq!(options.allowed_addresses, ["::1".parse::<std::net::IpAddr>().unwrap()]);
        assert_eq!((options.max_bytes, options.time_limit.as_secs(), options.max_redirects), (7, 2, 0));
    }
}
