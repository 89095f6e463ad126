//! Separates addresses of the public network from those of this machine and of private networks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Returns `true` for an address of the public network, after the registries of special addresses of IANA (RFC 6890).
///
/// # Examples
///
/// ```
/// use papayu_system::is_public_address;
///
/// assert!(is_public_address("140.82.112.3".parse().unwrap()));
/// assert!(!is_public_address("169.254.169.254".parse().unwrap()));
/// ```
pub fn is_public_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Returns `true` for a public IPv4 address. The excluded ranges are those of the IANA
/// registry.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_shared = first == 100 && (64..128).contains(&second);
    let is_protocol = first == 192 && second == 0 && third == 0;
    let is_benchmark = first == 198 && (18..20).contains(&second);
    // Relays of 6to4, which forward into tunnels (RFC 7526 withdrew them).
    let is_relay = first == 192 && second == 88 && third == 99;
    !(first == 0
        // 0.0.0.0/8 is "this network"; 224.0.0.0 and above are multicast and reserved.
        || first >= 224
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || is_shared
        || is_protocol
        || is_benchmark
        || is_relay)
}

/// Returns `true` for a public IPv6 address: global unicast (`2000::/3`) without ranges that lead
/// to private IPv4 addresses.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // Addresses of version 4: mapped, compatible, translated (NAT64) and tunnelled (6to4).
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => embedded(high, low),
        // Teredo and other protocol assignments, documentation.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

/// Returns `true` if the host of a URL is written as an address that is not public, or is a name of this machine or of a private network.
pub fn names_private_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => !is_public_v4(address),
        Some(Host::Ipv6(address)) => !is_public_v6(address),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            let last = name.rsplit('.').next().unwrap_or_default();
            matches!(
                last,
                "localhost" | "local" | "internal" | "lan" | "intranet" | "home" | "corp"
            ) || !name.contains('.')
                || name.ends_with(".home.arpa")
        }
        None => true,
    }
}

/// Returns `true` if requests to a URL do not leave this machine.
pub fn is_own_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_not_public_are_known_in_every_form() {
        for text in [
            "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
            "169.254.169.254", "100.64.0.1", "0.0.0.0", "0.1.2.3", "255.255.255.255", "224.0.0.1",
            "240.0.0.1", "192.0.0.192", "192.88.99.1", "3fff::1", "198.18.0.1", "203.0.113.9",
            "::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1",
            "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001::1", "2001:db8::1", "fec0::1", "100::1",
        ] {
            assert!(!is_public_address(text.parse().unwrap()), "{text}");
        }
        for text in [
            "1.1.1.1", "140.82.112.3", "172.32.0.1", "100.128.0.1", "2606:4700::1111",
            "2001:4860::8888", "::ffff:1.1.1.1",
        ] {
            assert!(is_public_address(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn hosts_of_urls_are_read_as_a_client_reads_them() {
        for text in [
            "https://localhost/x",
            "https://a.localhost/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0177.0.0.1/",
            "https://[::1]/",
            "https://[::ffff:a9fe:a9fe]/",
            "https://metadata/",
            "https://metadata.google.internal/",
            "https://printer.local/",
            "https://LOCALHOST./",
            "https://①②⑦.⓪.⓪.①/",
            "https://169.254.169.254.:80/",
        ] {
            assert!(names_private_host(&Url::parse(text).unwrap()), "{text}");
        }
        for text in ["https://objects.githubusercontent.com/x", "https://8.8.8.8/"] {
            assert!(!names_private_host(&Url::parse(text).unwrap()), "{text}");
        }
        assert!(is_own_machine(&Url::parse("http://127.9.9.9:1/").unwrap()));
        assert!(!is_own_machine(&Url::parse("http://10.0.0.1/").unwrap()));
    }
}
