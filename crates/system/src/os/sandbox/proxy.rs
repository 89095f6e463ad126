//! A proxy in the supervisor, through which a command without a network reaches registries.
//!
//! The confined process listens on the loopback device of its own network and sends the listener to the supervisor,
//! which accepts the connections and is in the network of the machine. Only tunnels (`CONNECT`) to the TLS port of
//! listed hosts are made: what is in them is not seen.

use std::io::{self, Read, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::job::SandboxJob;

/// Longest request, in bytes.
const MAX_REQUEST: usize = 8 * 1024;
/// Most headers of a request.
const MAX_HEADERS: usize = 64;
/// Most connections at a time.
const MAX_CONNECTIONS: usize = 128;
/// The time for a request to arrive, and for a registry to accept the connection.
const PATIENCE: Duration = Duration::from_secs(20);
/// The port of TLS.
const TLS: u16 = 443;

/// Returns the variables with which package managers find the proxy.
pub(super) fn proxy_variables(job: &SandboxJob, proxy: SocketAddr) -> Vec<(&'static str, String)> {
    let url = format!("http://{proxy}");
    let names =
        ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
    let none = ["NO_PROXY", "no_proxy"].map(|name| (name, "localhost,127.0.0.1,::1".to_owned()));
    let java = job.env.iter().rfind(|(name, _)| name == "JAVA_TOOL_OPTIONS");
    let java = java.map(|(_, value)| value.as_str()).unwrap_or_default();
    let (host, port) = (proxy.ip(), proxy.port());
    let java = format!("{java} -Dhttps.proxyHost={host} -Dhttps.proxyPort={port}");
    let java = [("JAVA_TOOL_OPTIONS", java)];
    names.into_iter().map(|name| (name, url.clone())).chain(none).chain(java).collect()
}

/// Serves the connections of a command until this process ends.
pub(super) fn serve(listener: &TcpListener, hosts: &[String]) {
    let open = AtomicUsize::new(0);
    thread::scope(|scope| {
        for client in listener.incoming().flatten() {
            // One too many is closed.
            if open.fetch_add(1, Ordering::Relaxed) < MAX_CONNECTIONS {
                scope.spawn(|| {
                    // The client sees that its connection ends.
                    let _ = serve_client(client, hosts);
                    open.fetch_sub(1, Ordering::Relaxed);
                });
            } else {
                open.fetch_sub(1, Ordering::Relaxed);
            }
        }
    });
}

/// Connects one client to the host that it asks for, if that is allowed: 403 for another host, 502 if it cannot
/// be reached (RFC 9110, section 9.3.6).
fn serve_client(mut client: TcpStream, hosts: &[String]) -> io::Result<()> {
    client.set_read_timeout(Some(PATIENCE))?;
    let host = match read_target(&mut client)?.and_then(|target| allowed_host(&target, hosts)) {
        Ok(host) => host,
        Err(reason) => return client.write_all(&refusal(403, &reason)),
    };
    let mut server = match connect(&host) {
        Ok(server) => server,
        Err(error) => return client.write_all(&refusal(502, &format!("{host}: {error}"))),
    };
    client.set_read_timeout(None)?;
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    thread::scope(|scope| {
        scope.spawn(move || {
            let _ = io::copy(&mut from_client, &mut to_server);
            to_server.shutdown(Shutdown::Write)
        });
        let _ = io::copy(&mut server, &mut client);
        client.shutdown(Shutdown::Write)
    })
}

/// Connects to a host at the port of TLS, at the first of its addresses that answers.
fn connect(host: &str) -> io::Result<TcpStream> {
    let mut last = io::ErrorKind::NotFound.into();
    for address in (host, TLS).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Returns an HTTP answer without a body; the reason is reduced to printable ASCII.
fn refusal(status: u16, reason: &str) -> Vec<u8> {
    let shown: String = reason.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').collect();
    format!("HTTP/1.1 {status} {shown}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        .into_bytes()
}

/// Reads a request up to the end of its headers, no byte more, and returns the target of the tunnel.
fn read_target(client: &mut impl Read) -> io::Result<Result<String, String>> {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        if request.len() >= MAX_REQUEST || client.read(&mut byte)? == 0 {
            return Ok(Err("the request has no end".to_owned()));
        }
        request.extend_from_slice(&byte);
    }
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    if let Err(error) = parsed.parse(&request) {
        return Ok(Err(error.to_string()));
    }
    Ok(match (parsed.method, parsed.path) {
        (Some("CONNECT"), Some(target)) => Ok(target.to_owned()),
        _ => Err("only tunnels for https are made".to_owned()),
    })
}

/// Returns the host of a tunnel's target if it is listed.
fn allowed_host(target: &str, hosts: &[String]) -> Result<String, String> {
    let (host, port) = target.rsplit_once(':').unwrap_or((target, ""));
    let host = host.to_ascii_lowercase();
    if port != TLS.to_string() || !hosts.contains(&host) {
        return Err(format!("{target} is not in run.registries"));
    }
    Ok(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tunnels_to_the_tls_port_of_listed_hosts_are_made() {
        let hosts = ["pypi.org".to_owned()];
        let target = |request: &str| {
            let target = read_target(&mut request.as_bytes()).unwrap();
            target.and_then(|target| allowed_host(&target, &hosts))
        };
        let end = "HTTP/1.1\r\nHost: pypi.org:443\r\n\r\n";
        for good in ["CONNECT pypi.org:443", "CONNECT PyPI.org:443"] {
            assert_eq!(target(&format!("{good} {end}")), Ok("pypi.org".to_owned()));
        }
        for bad in [
            "CONNECT pypi.org:80",
            "CONNECT pypi.org",
            "CONNECT pypi.org.evil.com:443",
            "CONNECT evil.com:443",
            "CONNECT evil.com:443@pypi.org:443",
            "CONNECT xpypi.org:443",
            "CONNECT pypi.org.:443",
            "CONNECT pypi.org:0443",
            "CONNECT [::1]:443",
            "CONNECT 127.0.0.1:443",
            "CONNECT pypi.org\0.evil.com:443",
            "CONNECT pypi.org:443:443",
            "CONNECT http://pypi.org:443",
            "GET http://pypi.org/",
            "GET http://evil.com/",
            "POST https://pypi.org/",
            "connect pypi.org:443",
            "",
        ] {
            assert!(target(&format!("{bad} {end}")).is_err(), "{bad}");
        }
        assert!(target("CONNECT pypi.org:443 HTTP/1.1\r\n").is_err(), "no end");
        assert!(target(&"A".repeat(2 * MAX_REQUEST)).is_err(), "no end in time");
    }

    #[test]
    fn a_refusal_is_one_line() {
        let shown = String::from_utf8(refusal(403, "a\r\nSet-Cookie: x\u{1b}[1m")).unwrap();
        assert!(shown.starts_with("HTTP/1.1 403 aSet-Cookie: x[1m\r\n"), "{shown}");
    }
}
