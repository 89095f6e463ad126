//! Requests to providers over the real network; the only file with async in it.

use std::borrow::Cow;
use std::error::Error as _;
use std::future::Future;
use std::io::{self, Write as _};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use flate2::write::MultiGzDecoder;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Response, Url};
#[cfg(target_os = "linux")]
use reqwest::{NoProxy, Proxy};
use secrecy::ExposeSecret as _;
use tokio::runtime::{Builder, Runtime};

#[cfg(target_os = "linux")]
use super::environment::variable;
use super::tls::install_crypto_provider;
use crate::{
    Http, HttpError, HttpRequest, HttpResponse, Method, PrivateHosts, is_public_address,
    names_private_host,
};

/// Receives a body in pieces, in order.
type Sink<'a> = &'a mut dyn FnMut(&[u8]);

/// Interval at which a waiting request checks for an interruption.
const POLL: Duration = Duration::from_millis(50);

/// Time limit of a connection. A server that does not accept it is not worth the whole time
/// limit of a model.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// HTTP over the operating system's network, through the system's proxy where one is set.
///
/// Nothing is built before the first request. Plain and TLS requests have a client each, because
/// loading the system's certificates costs more than everything else before the first byte.
pub struct OsHttp {
    /// The flag that a signal sets.
    interrupted: Arc<AtomicBool>,
    /// Created with the first request.
    runtime: OnceLock<Runtime>,
    /// The client for `http://`.
    plain: OnceLock<Client>,
    /// The client for `https://`.
    secure: OnceLock<Client>,
    /// For servers that an answer chose.
    public: OnceLock<Client>,
    /// For pages of the web, without a proxy.
    direct: OnceLock<Client>,
    /// Finds the addresses of such servers.
    lookup: Lookup,
}

/// Returns the addresses of a name.
type Lookup = fn(&str) -> io::Result<Vec<SocketAddr>>;

impl OsHttp {
    /// Returns a sender that gives up waiting soon after `interrupted` becomes true.
    pub fn new(interrupted: Arc<AtomicBool>) -> Self {
        Self {
            interrupted,
            runtime: OnceLock::new(),
            plain: OnceLock::new(),
            secure: OnceLock::new(),
            public: OnceLock::new(),
            direct: OnceLock::new(),
            lookup: |name| Ok((name, 0).to_socket_addrs()?.collect()),
        }
    }

    /// Returns the runtime, created on first use: many runs send no request.
    fn get_runtime(&self) -> Result<&Runtime, HttpError> {
        if let Some(runtime) = self.runtime.get() {
            return Ok(runtime);
        }
        let built = Builder::new_current_thread().enable_all().build();
        let runtime =
            built.map_err(|error| HttpError::Connection(format!("no event loop: {error}")))?;
        Ok(self.runtime.get_or_init(|| runtime))
    }

    /// Returns the client; reading the certificates of the system takes time that plain HTTP does
    /// not need.
    fn get_client(&self, url: &Url, private_hosts: PrivateHosts) -> Result<&Client, HttpError> {
        let is_public = private_hosts != PrivateHosts::Allowed;
        let secure = url.scheme() != "http" || is_public;
        let cell = match (private_hosts, secure) {
            (PrivateHosts::RefusedDirect, _) => &self.direct,
            (PrivateHosts::Refused, _) => &self.public,
            (PrivateHosts::Allowed, true) => &self.secure,
            (PrivateHosts::Allowed, false) => &self.plain,
        };
        if let Some(client) = cell.get() {
            return Ok(client);
        }
        // Even a client for plain HTTP panics without a provider.
        install_crypto_provider();
        let builder = Client::builder()
            .user_agent(concat!("papayu-batch/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            // No task runs between two requests, so a server's hang-up would go unnoticed.
            .pool_max_idle_per_host(0);
        // Loading the system's certificates takes longer than a whole local request.
        let builder = if secure { builder } else { builder.tls_certs_only([]) };
        let resolver = PublicResolver { lookup: self.lookup };
        let builder = if is_public { builder.dns_resolver(resolver) } else { builder };
        let builder = match private_hosts {
            PrivateHosts::RefusedDirect => Ok(builder.no_proxy()),
            PrivateHosts::Allowed | PrivateHosts::Refused => add_proxies(builder),
        };
        let builder = builder.map_err(|error| HttpError::Request(root_cause(error)))?;
        let client = builder.build().map_err(|error| HttpError::Connection(root_cause(error)))?;
        Ok(cell.get_or_init(|| client))
    }

    /// Ends when a signal arrives.
    async fn until_interrupted(&self) {
        while !self.interrupted.load(Ordering::SeqCst) {
            tokio::time::sleep(POLL).await;
        }
    }

    /// Returns the first of three: an interruption, the end of the exchange, or the time limit.
    async fn first_of<T>(
        &self,
        timeout: Duration,
        exchange: impl Future<Output = Result<T, HttpError>>,
    ) -> Result<T, HttpError> {
        tokio::select! {
            // In this order: an interruption wins over an answer that arrives at the same time.
            biased;
            () = self.until_interrupted() => Err(HttpError::Interrupted),
            done = exchange => done,
            () = tokio::time::sleep(timeout) => Err(HttpError::Timeout(timeout)),
        }
    }
}

impl Http for OsHttp {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, HttpError> {
        self.run_exchange(request, None)
    }

    fn stream(
        &self,
        request: &HttpRequest,
        body: &mut dyn FnMut(&[u8]),
    ) -> Result<HttpResponse, HttpError> {
        self.run_exchange(request, Some(body))
    }
}

impl OsHttp {
    /// Sends a request and reads the response, or passes its body to `sink`.
    fn run_exchange(
        &self,
        request: &HttpRequest,
        sink: Option<Sink<'_>>,
    ) -> Result<HttpResponse, HttpError> {
        let url = parse_url(&request.url)?;
        // The library asks no resolver about a host that is written as an address.
        if request.private_hosts != PrivateHosts::Allowed && names_private_host(&url) {
            let reason = "the host is of this machine or of a private network";
            return Err(HttpError::Request(reason.to_owned()));
        }
        let headers = build_headers(request)?;
        let client = self.get_client(&url, request.private_hosts)?;
        let outgoing = client.request(convert_method(request.method), url).headers(headers);
        let outgoing = match &request.body {
            Some(body) => outgoing.body(body.clone()),
            None => outgoing,
        };
        let outgoing = outgoing.build();
        let outgoing = outgoing.map_err(|error| HttpError::Request(root_cause(error)))?;
        let end = tokio::time::Instant::now() + request.timeout;
        let exchange = async {
            let response = client.execute(outgoing).await.map_err(convert_error)?;
            read_response(response, request.max_bytes, end, sink).await
        };
        self.get_runtime()?.block_on(self.first_of(request.timeout, exchange))
    }
}

/// Resolves names to public addresses only. The connection goes to one of these addresses and the name is not resolved again,
/// so a name that changes its address in between reaches nothing.
struct PublicResolver {
    lookup: Lookup,
}

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let lookup = self.lookup;
        Box::pin(async move {
            let owned = name.as_str().to_owned();
            let found = tokio::task::spawn_blocking(move || lookup(&owned)).await??;
            let public: Vec<_> =
                found.into_iter().filter(|it| is_public_address(it.ip())).collect();
            if public.is_empty() {
                return Err(format!("`{}` has no public address", name.as_str()).into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// Adds the proxies of the environment. The library would read the process's own variables, which
/// `super::handover` removed.
#[cfg(target_os = "linux")]
fn add_proxies(builder: ClientBuilder) -> reqwest::Result<ClientBuilder> {
    let either = |lower: &str, upper: &str| {
        let found = variable(lower).or_else(|| variable(upper));
        found.and_then(|value| value.into_string().ok())
    };
    // A request header `Proxy` of a CGI script arrives as `HTTP_PROXY`.
    let is_cgi = variable("REQUEST_METHOD").is_some();
    let plain = either("http_proxy", if is_cgi { "http_proxy" } else { "HTTP_PROXY" });
    let all = either("all_proxy", "ALL_PROXY");
    let secure = either("https_proxy", "HTTPS_PROXY").or_else(|| all.clone());
    let exceptions = either("no_proxy", "NO_PROXY");
    let exceptions = || exceptions.as_deref().and_then(NoProxy::from_string);
    let mut builder = builder.no_proxy();
    if let Some(address) = plain.or(all) {
        builder = builder.proxy(Proxy::http(address)?.no_proxy(exceptions()));
    }
    if let Some(address) = secure {
        builder = builder.proxy(Proxy::https(address)?.no_proxy(exceptions()));
    }
    Ok(builder)
}

/// Other systems keep their environment, which the library reads itself.
#[cfg(not(target_os = "linux"))]
fn add_proxies(builder: ClientBuilder) -> reqwest::Result<ClientBuilder> {
    Ok(builder)
}

/// Returns the method of the HTTP library.
fn convert_method(method: Method) -> reqwest::Method {
    match method {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
        Method::Patch => reqwest::Method::PATCH,
        Method::Put => reqwest::Method::PUT,
        Method::Delete => reqwest::Method::DELETE,
    }
}

impl Drop for OsHttp {
    /// A name lookup that hangs in a thread of its own must not keep the process alive.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Parses an address; only `http` and `https` are accepted.
fn parse_url(text: &str) -> Result<Url, HttpError> {
    // The text may contain a password, so messages omit it.
    let url = Url::parse(text)
        .map_err(|error| HttpError::Request(format!("the URL cannot be read: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(HttpError::Request(format!("`{}` is neither http nor https", url.scheme())));
    }
    Ok(url)
}

/// Returns the headers; secrets are marked as sensitive, so that the library never logs them.
fn build_headers(request: &HttpRequest) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    if request.body.is_some() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    for (name, value) in &request.headers {
        let unsendable =
            || HttpError::Request(format!("header `{name}` has characters that cannot be sent"));
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unsendable())?;
        let mut value = HeaderValue::from_str(value.expose_secret()).map_err(|_| unsendable())?;
        // Debug output would otherwise print it.
        value.set_sensitive(true);
        headers.insert(header, value);
    }
    Ok(headers)
}

/// Reads a response up to a limit, or passes its body on.
async fn read_response(
    mut response: Response,
    max_bytes: u64,
    end: tokio::time::Instant,
    sink: Option<Sink<'_>>,
) -> Result<HttpResponse, HttpError> {
    let status = response.status().as_u16();
    let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
    let headers = response.headers().iter();
    let headers = headers.filter_map(|(name, value)| Some((name.to_string(), text(value)?)));
    let headers = headers.collect();
    let mut sink = sink.filter(|_| (200..300).contains(&status));
    let mut decoder = BodyDecoder::new(response.headers());
    let (mut body, mut read) = (Vec::new(), 0_u64);
    loop {
        let chunk = response.chunk().await.map_err(convert_error)?;
        let decoded = match &chunk {
            Some(chunk) => decoder.decode(chunk),
            None => decoder.finish(),
        };
        let decoded = decoded
            .map_err(|error| HttpError::Connection(format!("the gzip body is damaged: {error}")))?;
        // The limit is that of the decoded body: a small answer may expand to gigabytes.
        read = read.saturating_add(decoded.len() as u64);
        if read > max_bytes {
            return Err(HttpError::TooLarge(max_bytes));
        }
        // While the receiver is slower than the server, no timer is looked at.
        if tokio::time::Instant::now() >= end {
            return Err(HttpError::Timeout(Duration::ZERO));
        }
        match &mut sink {
            Some(sink) => sink(&decoded),
            None => body.extend_from_slice(&decoded),
        }
        if chunk.is_none() {
            return Ok(HttpResponse { status, headers, body });
        }
    }
}

/// Decodes a body with pieces that arrive one after the other.
struct BodyDecoder {
    /// `None` for a body without an encoding.
    gzip: Option<MultiGzDecoder<Vec<u8>>>,
    is_empty: bool,
}

impl BodyDecoder {
    /// Returns the decoder for the `Content-Encoding` of a response; only gzip is requested.
    fn new(headers: &HeaderMap) -> Self {
        let encoding = headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
        let is_gzip = encoding.is_some_and(|it| matches!(it.trim(), "gzip" | "x-gzip"));
        Self { gzip: is_gzip.then(|| MultiGzDecoder::new(Vec::new())), is_empty: true }
    }

    /// Returns the bytes that a piece decodes to. A piece of n bytes decodes to at most 1,032 × n
    /// (the limit of the deflate format), so the memory of one call is bounded.
    fn decode<'a>(&mut self, piece: &'a [u8]) -> io::Result<Cow<'a, [u8]>> {
        self.is_empty &= piece.is_empty();
        let Some(decoder) = &mut self.gzip else { return Ok(Cow::Borrowed(piece)) };
        decoder.write_all(piece)?;
        Ok(Cow::Owned(std::mem::take(decoder.get_mut())))
    }

    /// Returns the rest; an error if the body ends early.
    fn finish(&mut self) -> io::Result<Cow<'static, [u8]>> {
        match &mut self.gzip {
            // A response without a body may name an encoding all the same.
            Some(decoder) if !self.is_empty => {
                decoder.try_finish()?;
                Ok(Cow::Owned(std::mem::take(decoder.get_mut())))
            }
            _ => Ok(Cow::Borrowed(&[])),
        }
    }
}

/// Returns the error of this program for one of the library.
fn convert_error(error: reqwest::Error) -> HttpError {
    if error.is_builder() {
        return HttpError::Request(root_cause(error));
    }
    if is_refused(&error) {
        return HttpError::Refused(root_cause(error));
    }
    HttpError::Connection(root_cause(error))
}

/// Returns `true` if the cause of an error is a connection that the other machine refused.
fn is_refused(error: &reqwest::Error) -> bool {
    let mut causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.any(|cause| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|it| it.kind() == io::ErrorKind::ConnectionRefused)
    })
}

/// Returns the innermost reason, without the URL: "error sending request" alone is no explanation.
fn root_cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let outer = error.to_string();
    let mut inner = error.source();
    let mut root = None;
    while let Some(cause) = inner {
        root = Some(cause.to_string());
        inner = cause.source();
    }
    root.unwrap_or(outer)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::TcpListener;
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn compress(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn gzip_decoder() -> BodyDecoder {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        BodyDecoder::new(&headers)
    }

    #[test]
    fn a_gzip_body_is_decoded_whatever_its_pieces_are() {
        let (text, mut decoder, mut decoded) =
            (b"one two two two".repeat(9), gzip_decoder(), Vec::new());
        for byte in compress(&text) {
            decoded.extend_from_slice(&decoder.decode(&[byte]).unwrap());
        }
        decoded.extend_from_slice(&decoder.finish().unwrap());
        assert_eq!(decoded, text);
    }

    #[test]
    fn a_gzip_body_that_ends_early_or_is_damaged_is_an_error() {
        let whole = compress(b"a text of some length");
        let mut decoder = gzip_decoder();
        decoder.decode(whole.split_at(whole.len() - 3).0).unwrap();
        assert!(decoder.finish().is_err());
        assert!(gzip_decoder().decode(b"no gzip at all").is_err());
        assert!(gzip_decoder().finish().unwrap().is_empty());
    }

    #[test]
    fn a_small_body_that_expands_past_the_limit_is_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            let length = stream.read(&mut request).unwrap();
            let body = compress(&vec![0; 64 * 1024 * 1024]);
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes());
            // The client hangs up as soon as the limit is passed.
            let _ = stream.write_all(&body);
            String::from_utf8_lossy(request.split_at(length).0).to_lowercase()
        });
        let request = HttpRequest {
            method: Method::Get,
            url,
            headers: Vec::new(),
            body: None,
            timeout: Duration::from_mins(1),
            max_bytes: 1024 * 1024,
            private_hosts: PrivateHosts::Allowed,
        };
        let answer = OsHttp::new(Arc::default()).send(&request);
        assert!(matches!(answer, Err(HttpError::TooLarge(1_048_576))), "{answer:?}");
        assert!(server.join().unwrap().contains("accept-encoding: gzip"));
    }

    #[test]
    fn a_name_that_resolves_to_a_private_address_is_not_connected_to() {
        static LOOKUPS: AtomicUsize = AtomicUsize::new(0);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        for private_hosts in [PrivateHosts::Refused, PrivateHosts::RefusedDirect] {
            let mut http = OsHttp::new(Arc::default());
            http.lookup = |_| {
                LOOKUPS.fetch_add(1, Ordering::SeqCst);
                let private =
                    ["127.0.0.1", "169.254.169.254", "10.0.0.1", "::1", "::ffff:127.0.0.1"];
                Ok(private.iter().map(|it| SocketAddr::new(it.parse().unwrap(), 0)).collect())
            };
            let answer = http.send(&HttpRequest {
                method: Method::Get,
                url: format!("http://docs.example:{port}/"),
                headers: Vec::new(),
                body: None,
                timeout: Duration::from_mins(1),
                max_bytes: 1000,
                private_hosts,
            });
            let Err(HttpError::Connection(reason)) = answer else { panic!("{answer:?}") };
            assert_eq!(reason, "`docs.example` has no public address");
        }
        // One lookup for each request: there is no second one that could give another address.
        assert_eq!(LOOKUPS.load(Ordering::SeqCst), 2);
        assert_eq!(listener.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock);
    }
}
