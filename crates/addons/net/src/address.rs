//! Whether an IP address is public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether the address is reachable from the whole internet.
///
/// Follows IANA's special-purpose registries as of 2026: addresses that they list as not globally reachable are not
/// public.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Parses the host of a URL as an address; returns `None` for a name.
///
/// An IPv6 address may be in brackets and have a zone. IPv4 addresses must be in dotted form, to which URL parsers
/// convert other forms (`0x7f.1`, `2130706433`).
pub fn literal(host: &str) -> Option<IpAddr> {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    match host.split_once('%') {
        Some((address, _zone)) => address.parse().map(IpAddr::V6).ok(),
        None => host.parse().ok(),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !SPECIAL_V4.iter().any(|(start, length)| same_start(bits, start.to_bits(), *length))
}

/// Only global unicast is public, except for addresses that embed another address.
fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped().or_else(|| translated(address)) {
        return is_public_v4(inner);
    }
    let [first, second, ..] = address.segments();
    let global = first & 0xe000 == 0x2000;
    let protocols = first == 0x2001 && second < 0x0200; // Teredo, ORCHID, benchmarks
    let documentation = (first == 0x2001 && second == 0x0db8) || (first == 0x3fff && second < 0x1000);
    let six_to_four = first == 0x2002;
    global && !protocols && !documentation && !six_to_four
}

/// Returns the IPv4 address behind the well-known NAT64 prefix, by which networks without IPv4 reach it.
fn translated(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, high, low] = address.segments();
    ([a, b, c, d, e, f] == [0x64, 0xff9b, 0, 0, 0, 0])
        .then(|| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}

fn same_start(one: u32, other: u32, length: u32) -> bool {
    (one ^ other).leading_zeros() >= length
}

const SPECIAL_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),        // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // shared by carriers (CGNAT)
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // the wire server of Azure
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local; metadata of most clouds
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),      // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),      // reserved, and broadcast
];

#[cfg(test)]
mod tests {
    use super::{is_public, literal};

    #[test]
    fn special_addresses_are_not_public() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.8.9.1",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:168.63.129.16",
            "::ffff:0:10.0.0.1",
            "0:0:0:1::1",
            "64:ff9b::7f00:1",
            "64:ff9b::168.63.129.16",
            "64:ff9b:0:0:0:1:808:808",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::808:808",
            "100::1",
            "100:0:0:1::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:1ff::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2002:808:808::1",
            "3fff:fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "ff0e::1",
            "4000::1",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        ] {
            assert!(!is_public(literal(address).unwrap()), "{address}");
        }
    }

    #[test]
    fn a_host_is_an_address_in_brackets_and_with_a_zone() {
        for host in ["fe80::1%eth0", "[fe80::1%25eth0]", "[fe80::1%]"] {
            assert_eq!(literal(host), Some("fe80::1".parse().unwrap()), "{host}");
        }
        for host in ["[::ffff:127.0.0.1]", "::ffff:7f00:1", "::FFFF:127.0.0.1"] {
            assert!(!is_public(literal(host).unwrap()), "{host}");
        }
        for name in ["localhost", "a.example", "", "[]", "10.0.0.1%eth0", "1.2.3", "::1]"] {
            assert_eq!(literal(name), None, "{name}");
        }
    }

    #[test]
    fn addresses_of_the_internet_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.17",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2606:4700::1111",
            "2a00::1",
            "3fff:1000::1",
            "64:ff9b::808:808",
            "::ffff:8.8.8.8",
        ] {
            assert!(is_public(literal(address).unwrap()), "{address}");
        }
    }
}
