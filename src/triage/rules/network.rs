//! Networks, registries and servers that did not answer.

use super::SignalRule;
use crate::domain::FailureClass;

const BASE: SignalRule = SignalRule::of(FailureClass::Infrastructure);

pub(super) const RULES: &[SignalRule] = &[
    SignalRule {
        name: "npm-network",
        cue: "code E",
        pattern: "^npm (?:ERR!|error) code (?:ETIMEDOUT|ECONNRESET|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ESOCKETTIMEDOUT|ERR_SOCKET_TIMEOUT|EPIPE|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT|EINTEGRITY_NETWORK)$",
        source: "docs.npmjs.com, Common errors",
        sample: "npm error code ETIMEDOUT",
        next: "run the job again when the network or the registry is back",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "npm-server",
        cue: "code E",
        pattern: r"^npm (?:ERR!|error) code E(?:5\d\d|429)$",
        source: "npm-registry-fetch, HttpErrorGeneral",
        sample: "npm error code E503",
        next: "run the job again when the network or the registry is back",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "npm-tls",
        cue: "code ",
        pattern: r"^npm (?:ERR!|error) code (?:CERT_HAS_EXPIRED|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|SELF_SIGNED_CERT_IN_CHAIN|ERR_SSL_\w+|EPROTO)$",
        source: "nodejs.org, TLS error codes",
        sample: "npm error code CERT_HAS_EXPIRED",
        next: "run the job again when the network or the registry is back",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "yarn-network",
        cue: "An unexpected error occurred",
        pattern: r#"^error An unexpected error occurred: "https?://\S+: (?:ETIMEDOUT|ESOCKETTIMEDOUT|ECONNRESET|ECONNREFUSED|tunneling socket .*|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) .*|Request failed \\?"5\d\d .*|Request failed \\?"429 .*|connect E\w+ .*)"#,
        source: "yarn v1, request-manager",
        sample: r#"error An unexpected error occurred: "https://registry.yarnpkg.com/react: ETIMEDOUT"."#,
        next: "run the job again when the network or the registry is back",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "yarn-berry-network",
        cue: "YN0001",
        pattern: r"^➤ YN0001: .*(?:RequestError: (?:getaddrinfo|connect|read|Timeout awaiting)|HTTPError: Response code 5\d\d)",
        source: "yarnpkg.com, error codes",
        sample: "➤ YN0001: │ RequestError: getaddrinfo ENOTFOUND registry.yarnpkg.com",
        next: "run the job again when the network or the registry is back",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "pnpm-network",
        cue: "ERR_PNPM_",
        pattern: r"^ ?(?:\[\w+\] )?ERR_PNPM_(?:META_FETCH_FAIL|FETCH_5\d\d|FETCH_429|TARBALL_FETCH_FAIL)\b",
        source: "pnpm.io, error codes",
        sample: " ERR_PNPM_META_FETCH_FAIL  GET https://registry.npmjs.org/react: request to https://registry.npmjs.org/react failed, reason: connect ETIMEDOUT 104.16.0.35:443",
        next: "run the job again when the network or the registry is back",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "pip-network",
        cue: "after connection broken by",
        pattern: r"^WARNING: Retrying \(Retry\(total=0,.*after connection broken by \'(?:NewConnectionError|ConnectTimeoutError|ReadTimeoutError|ProtocolError|SSLError|NameResolutionError|ProxyError|RemoteDisconnected|ConnectionResetError)",
        source: "pip and urllib3, the last retry",
        sample: "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/requests/",
        next: "run the job again when the network or the registry is back",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "pip-server",
        cue: "HTTP error 5",
        pattern: r"^(?:ERROR|  ERROR): (?:HTTP error 5\d\d while getting|Could not install requirement .* because of HTTP error 5\d\d)",
        source: "pip, NetworkConnectionError",
        sample: "ERROR: HTTP error 503 while getting https://files.pythonhosted.org/packages/x.whl",
        next: "run the job again when the network or the registry is back",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "pip-index-server",
        cue: "Could not fetch URL",
        pattern: r"^(?:WARNING|ERROR): Could not fetch URL \S+ (?:5\d\d|429) ",
        source: "pip, index collector",
        sample: "WARNING: Could not fetch URL https://pypi.org/simple/requests/ 503 Server Error: Service Unavailable for url: https://pypi.org/simple/requests/ - skipping",
        next: "run the job again when the network or the registry is back",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "pip-too-many",
        cue: "too many 5",
        pattern: r"^ERROR: .*(?:Max retries exceeded with url: \S+ \(Caused by ResponseError\(\'too many (?:5\d\d|429) error responses|too many (?:5\d\d|429) error responses)",
        source: "pip and urllib3",
        sample: "ERROR: Could not install packages due to an OSError: HTTPSConnectionPool(host='pypi.org', port=443): Max retries exceeded with url: /simple/requests/ (Caused by ResponseError('too many 503 error responses'))",
        next: "run the job again when the network or the registry is back",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "pip-retry-server",
        cue: "after connection broken by",
        pattern: r"^WARNING: Retrying \(Retry\(total=0,.*after connection broken by \'(?:ResponseError|.*too many (?:5\d\d|429) error responses)",
        source: "pip and urllib3",
        sample: "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'ResponseError('too many 503 error responses')': /simple/requests/",
        next: "run the job again when the network or the registry is back",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "pip-timeout",
        cue: "Read timed out",
        pattern: r"^(?:pip\._vendor\.urllib3\.exceptions\.ReadTimeoutError|ReadTimeoutError|raise ReadTimeoutError)\b.*Read timed out",
        source: "pip, its urllib3",
        sample: "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='files.pythonhosted.org', port=443): Read timed out.",
        next: "run the job again when the network or the registry is back",
        tool: Some("pip"),
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "uv-network",
        cue: "Failed to fetch",
        pattern: r"^(?:error:|  ×|  [├╰]─▶)\s*Failed to fetch: `https?://(?:pypi\.org|files\.pythonhosted\.org)",
        source: "uv, client errors",
        sample: "error: Failed to fetch: `https://pypi.org/simple/anyio/`",
        next: "run the job again when the network or the registry is back",
        tool: Some("pip"),
        ..BASE
    },
    SignalRule {
        name: "cargo-network",
        cue: "  [",
        pattern: r"^\s*\[(?:5|6|7|16|18|28|35|52|55|56|60|92)\] (?:Could not resolve|Couldn.t connect|Could not connect|Timeout was reached|SSL |Server returned nothing|Failed (?:sending|receiving)|Transferred a partial|HTTP2 framing|Failure when receiving|SSL connect error|Stream error)",
        source: "cargo and libcurl, the cause of an error",
        sample: "  [6] Could not resolve hostname (Could not resolve host: index.crates.io)",
        next: "run the job again when the network or the registry is back",
        tool: Some("cargo"),
        ..BASE
    },
    SignalRule {
        name: "cargo-server",
        cue: "failed to get successful HTTP response",
        pattern: r"^(?:  )*failed to get successful HTTP response from `\S+`(?: \(\S+\))?, got (?:5\d\d|429)",
        source: "cargo, HttpNotSuccessful",
        sample: "  failed to get successful HTTP response from `https://index.crates.io/se/rd/serde` (18.1.1.1), got 503",
        next: "run the job again when the network or the registry is back",
        tool: Some("cargo"),
        ..BASE
    },
    SignalRule {
        name: "rustup-network",
        cue: "could not download file from",
        pattern: r"^error: could not download file from \'https://static\.rust-lang\.org",
        source: "rustup",
        sample: "error: could not download file from 'https://static.rust-lang.org/dist/channel-rust-stable.toml.sha256' to '/root/.rustup/tmp/x': error sending request",
        next: "run the job again when the network or the registry is back",
        tool: Some("cargo"),
        ..BASE
    },
    SignalRule {
        name: "git-network",
        cue: "fatal: unable to access",
        pattern: r"^(?:##\[error\])?fatal: unable to access \'https?://[^\']*\': (?:Could not resolve host|Failed to connect to|Connection timed out|The requested URL returned error: (?:5\d\d|429)|gnutls_handshake\(\)|GnuTLS recv error|Recv failure|Operation timed out|OpenSSL SSL_|SSL_|Empty reply from server|HTTP/2 stream|Couldn\'t connect)",
        source: "git, http.c",
        sample: "fatal: unable to access 'https://github.com/x/y/': Could not resolve host: github.com",
        next: "run the job again when the network or the registry is back",
        tool: Some("git"),
        ..BASE
    },
    SignalRule {
        name: "git-cut-off",
        cue: "early EOF",
        pattern: r"^(?:fatal: early EOF|error: RPC failed; (?:curl \d+|HTTP 5\d\d).*|fatal: fetch-pack: invalid index-pack output|fatal: the remote end hung up unexpectedly.*early EOF)$",
        source: "git, fetch-pack",
        sample: "fatal: early EOF",
        next: "run the job again when the network or the registry is back",
        tool: Some("git"),
        ..BASE
    },
    SignalRule {
        name: "git-rpc",
        cue: "RPC failed",
        pattern: r"^error: RPC failed; (?:curl \d+|HTTP (?:5\d\d|429)) ",
        source: "git, remote-curl",
        sample: "error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502",
        next: "run the job again when the network or the registry is back",
        tool: Some("git"),
        ..BASE
    },
    SignalRule {
        name: "git-server",
        cue: "remote: Internal Server Error",
        pattern: "^remote: Internal Server Error",
        source: "GitHub, during incidents",
        sample: "remote: Internal Server Error",
        next: "run the job again",
        tool: Some("git"),
        ..BASE
    },
    SignalRule {
        name: "curl-network",
        cue: "curl: (",
        pattern: r"^curl: \((?:5|6|28|35|52|55|56|92)\) (?:Could not resolve (?:host|proxy)|Operation timed out|Connection timed out|Failed to connect to|Recv failure|OpenSSL|SSL|Empty reply|HTTP/2|Failure|Resolving timed out|Send failure|Connection timeout)",
        source: "curl.se, exit codes",
        sample: "curl: (6) Could not resolve host: get.example.org",
        next: "run the job again when the network or the registry is back",
        tool: Some("http"),
        ..BASE
    },
    SignalRule {
        name: "curl-server",
        cue: "curl: (22)",
        pattern: r"^curl: \(22\) The requested URL returned error: (?:5\d\d|429)\b",
        source: "curl.se, --fail",
        sample: "curl: (22) The requested URL returned error: 503",
        next: "run the job again when the network or the registry is back",
        tool: Some("http"),
        ..BASE
    },
    SignalRule {
        name: "wget-network",
        cue: "wget: ",
        pattern: "^wget: unable to resolve host address",
        source: "wget, exit status 4",
        sample: "wget: unable to resolve host address ‘example.org’",
        next: "run the job again when the network or the registry is back",
        tool: Some("http"),
        ..BASE
    },
    SignalRule {
        name: "apt-network",
        cue: "Failed to fetch",
        pattern: r"^E: Failed to fetch https?://\S+\s+(?:5\d\d|429|Could not connect|Temporary failure resolving|Connection (?:failed|timed out)|Unable to connect|Cannot initiate|Hash Sum mismatch|Undetermined Error)",
        source: "apt, acquire methods",
        sample: "E: Failed to fetch http://archive.ubuntu.com/ubuntu/pool/main/x.deb  503  Service Unavailable [IP: 91.189.91.38 80]",
        next: "run the job again when the network or the registry is back",
        tool: Some("apt"),
        ..BASE
    },
    SignalRule {
        name: "apt-resolve",
        cue: "Temporary failure resolving",
        pattern: r"^(?:E|Err|W): ?.*Temporary failure resolving \'",
        source: "apt, acquire methods",
        sample: "E: Failed to fetch http://deb.debian.org/debian/dists/x/InRelease  Temporary failure resolving 'deb.debian.org'",
        next: "run the job again when the network or the registry is back",
        tool: Some("apt"),
        ..BASE
    },
    SignalRule {
        name: "apt-lock",
        cue: "Could not get lock",
        pattern: "^E: Could not get lock /var/lib/(?:dpkg|apt)/",
        source: "apt",
        sample: "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1234 (unattended-upgr)",
        next: "run the job again",
        tool: Some("apt"),
        ..BASE
    },
    SignalRule {
        name: "docker-rate-limit",
        cue: "toomanyrequests",
        pattern: "(?:^|: )toomanyrequests: (?:You have reached your|Rate exceeded|Too Many Requests|retry-after)",
        source: "docs.docker.com, Docker Hub usage and limits",
        sample: "Error response from daemon: toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating and upgrading: https://www.docker.com/increase-rate-limit",
        next: "log in to the registry before pulling, or use a mirror",
        ..BASE
    },
    SignalRule {
        name: "docker-network",
        cue: "Error response from daemon",
        pattern: r"^(?:docker: )?Error response from daemon: .*(?:net/http: (?:request canceled|TLS handshake timeout)|i/o timeout|received unexpected HTTP status: 5\d\d|context deadline exceeded|connection reset by peer|no such host)",
        source: "moby, distribution client",
        sample: r#"Error response from daemon: Get "https://registry-1.docker.io/v2/": net/http: TLS handshake timeout"#,
        next: "run the job again when the network or the registry is back",
        ..BASE
    },
    SignalRule {
        name: "buildkit-network",
        cue: "failed to resolve source metadata",
        pattern: r"^(?:ERROR: |#\d+ ERROR: )?(?:failed to solve: )?\S+: failed to resolve source metadata for \S+: .*(?:5\d\d|i/o timeout|TLS handshake timeout|too ?many ?requests|connection reset|deadline exceeded)",
        source: "moby/buildkit",
        sample: "ERROR: failed to solve: node:20: failed to resolve source metadata for docker.io/library/node:20: unexpected status from HEAD request to https://registry-1.docker.io/v2/library/node/manifests/20: 503 Service Unavailable",
        next: "run the job again when the network or the registry is back",
        ..BASE
    },
    SignalRule {
        name: "go-network",
        cue: "proxy.golang.org",
        pattern: r#"^(?:go: )?.*(?:Get|reading) "?https://(?:proxy|sum)\.golang\.org/\S+"?: (?:dial tcp|net/http: TLS|read tcp|5\d\d |429 |unexpected EOF|context deadline|EOF)"#,
        source: "go.dev, module proxy",
        sample: r#"go: github.com/a/b@v1.2.3: Get "https://proxy.golang.org/github.com/a/b/@v/v1.2.3.mod": dial tcp: lookup proxy.golang.org: Temporary failure in name resolution"#,
        next: "run the job again when the network or the registry is back",
        ..BASE
    },
    SignalRule {
        name: "maven-network",
        cue: "Could not transfer artifact",
        pattern: r"^\[ERROR\] .*Could not transfer artifact \S+ from/to \S+ \(\S+\): .*(?:5\d\d|Connection (?:reset|timed out|refused)|Read timed out|Connect timed out|Unknown host|Remote host terminated|handshake|429)",
        source: "Maven Resolver",
        sample: "[ERROR] Failed to execute goal on project app: Could not resolve dependencies for project a:b:jar:1: Could not transfer artifact org.x:y:jar:1.0 from/to central (https://repo.maven.apache.org/maven2): Connection reset",
        next: "run the job again when the network or the registry is back",
        tool: Some("jvm"),
        ..BASE
    },
    SignalRule {
        name: "gradle-network",
        cue: "Could not GET",
        pattern: r"^\s*> Could not (?:GET|HEAD) \'https?://[^\']+\'\. (?:Received status code (?:5\d\d|429) from server|.*(?:timed out|Connection reset))|^\s*> Could not (?:GET|HEAD) \'https?://[^\']+\'\.$",
        source: "Gradle, HttpErrorStatusCodeException",
        sample: "   > Could not GET 'https://repo.maven.apache.org/maven2/a/b/1/b-1.pom'. Received status code 503 from server: Service Unavailable",
        next: "run the job again when the network or the registry is back",
        tool: Some("jvm"),
        ..BASE
    },
    SignalRule {
        name: "gem-network",
        cue: "Could not reach host",
        pattern: r"^(?:Could not reach host \S+\. Check your network|Net::(?:OpenTimeout|HTTPServiceUnavailable).*rubygems\.org|Gem::RemoteFetcher::FetchError: .*(?:timed out|5\d\d))",
        source: "Bundler, fetcher",
        sample: "Could not reach host index.rubygems.org. Check your network connection and try again.",
        next: "run the job again when the network or the registry is back",
        tool: Some("ruby"),
        ..BASE
    },
    SignalRule {
        name: "actions-download",
        cue: "Failed to download action",
        pattern: r"^##\[(?:error|warning)\]Failed to download (?:action|archive) \'https://(?:api|codeload)\.github\.com",
        source: "actions/runner, ActionManager",
        sample: "##[error]Failed to download action 'https://api.github.com/repos/actions/checkout/tarball/abc'. Error: Response status code does not indicate success: 503 (Service Unavailable).",
        next: "run the job again",
        ..BASE
    },
    SignalRule {
        name: "actions-server",
        cue: "Response status code does not indicate success",
        pattern: r"^##\[error\](?:.*: )?Response status code does not indicate success: (?:5\d\d|429)\b",
        source: "actions/runner, HttpClient",
        sample: "##[error]Response status code does not indicate success: 503 (Service Unavailable).",
        next: "run the job again",
        ..BASE
    },
    SignalRule {
        name: "actions-cache-server",
        cue: "Failed to CreateArtifact",
        pattern: r"^(?:##\[error\]|Error: )Failed to (?:CreateArtifact|FinalizeArtifact|ListArtifacts): (?:Unable to make request|Failed to make request after \d+ attempts|Received non-retryable error: Failed request: \(5\d\d\))",
        source: "actions/toolkit, artifact client",
        sample: "##[error]Failed to CreateArtifact: Failed to make request after 5 attempts: Failed request: (503) Service Unavailable",
        next: "run the job again",
        ..BASE
    },
    SignalRule {
        name: "github-api-limit",
        cue: "API rate limit exceeded",
        pattern: r"^(?:##\[error\]|Error: )(?:HttpError: )?API rate limit exceeded for ",
        source: "docs.github.com, rate limits of the REST API",
        sample: "##[error]API rate limit exceeded for installation ID 123456.",
        next: "run the job again",
        ..BASE
    },
];
