//! Names of hosts, looked up with care: what a server says about its authorization is not to lead into our own network.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

/// Gives the addresses of a host; where the server is out there, only those that are out there too.
#[derive(Clone)]
pub(super) struct Careful {
    /// The host of the server, as it stands in its address.
    server: String,
}

impl Careful {
    /// For the authorization of the server at this address.
    pub(super) fn for_server(url: &Url) -> Self {
        Self { server: url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned() }
    }

    async fn find(self, name: Name) -> Result<Addrs, Error> {
        let found: Vec<_> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
        // The user has named the server himself, and one in our own network may have others there.
        if name.as_str() == self.server || self.is_near().await? {
            return Ok(Box::new(found.into_iter()));
        }
        let allowed: Vec<_> = found.into_iter().filter(|found| !is_private(found.ip())).collect();
        if allowed.is_empty() {
            return Err(format!("{} has no address outside this network", name.as_str()).into());
        }
        Ok(Box::new(allowed.into_iter()))
    }

    async fn is_near(&self) -> io::Result<bool> {
        let mut found = tokio::net::lookup_host((&*self.server, 0)).await?;
        Ok(found.any(|found| is_private(found.ip())))
    }
}

impl Resolve for Careful {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(self.clone().find(name))
    }
}

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Whether an address is of this machine or network, or of no use to anybody.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => is_private_v4(inner),
            None => {
                let first = address.segments()[0];
                address.is_loopback()
                    || address.is_unspecified()
                    || address.is_multicast()
                    || first & 0xfe00 == 0xfc00
                    || first & 0xffc0 == 0xfe80
            }
        },
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, ..] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_multicast()
        || a == 0
        || (a == 100 && b & 0xc0 == 64)
        || (a == 198 && b & 0xfe == 18)
}

/// The older address in a newer one: mapped, translated (NAT64) or tunnelled (6to4).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, _, _, f, g, h] = address.segments();
    let from = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match (a, b) {
        (0, 0) if f == 0xffff => Some(from(g, h)),
        (0x64, 0xff9b) => Some(from(g, h)),
        (0x2002, _) => Some(from(b, c)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use reqwest::{Url, dns::Resolve as _};

    use super::{Careful, is_private};

    #[test]
    fn addresses_of_our_own_network_are_known() {
        for private in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:a00:1::",
        ] {
            assert!(is_private(private.parse().unwrap()), "{private}");
        }
        for public in
            ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
        {
            assert!(!is_private(public.parse().unwrap()), "{public}");
        }
    }

    #[tokio::test]
    async fn a_server_out_there_leads_nobody_in_here() {
        let lookup = async |server: &str| {
            let url = Url::parse(server).unwrap();
            Careful::for_server(&url).resolve("localhost".parse().unwrap()).await.map(Iterator::count)
        };
        let why = lookup("https://1.1.1.1/").await.unwrap_err().to_string();
        assert_eq!(why, "localhost has no address outside this network");
        for near in ["http://localhost:80/", "http://127.0.0.1/", "http://[::1]/", "http://10.0.0.1/"] {
            assert!(lookup(near).await.unwrap() > 0, "{near}");
        }
    }
}
