//! The settings of the OTLP exporter, from the environment variables that OpenTelemetry specifies.

use std::time::Duration;

use crate::decode_percent;
use secrecy::SecretString;
use url::Url;

/// The longest time that one export may take; the specification's default of 10 s would be felt
/// at the end of every run when nothing listens.
const MAX_TIMEOUT: Duration = Duration::from_secs(3);

/// The receiver of spans, and the data sent with them.
#[derive(Clone, Debug)]
pub struct OtlpConfig {
    /// The full URL of the receiver, usually `http://HOST:4318/v1/traces`.
    pub url: String,
    /// Headers of each request, such as an API key.
    pub headers: Vec<(String, SecretString)>,
    /// For one whole export.
    pub timeout: Duration,
    /// Attributes of the resource; `service.name` comes first.
    pub resource: Vec<(String, String)>,
    /// The span of the caller, which the run's span becomes a child of.
    pub parent: Option<RemoteParent>,
}

/// A span of another process (`TRACEPARENT`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteParent {
    /// 32 hex digits.
    pub trace_id: String,
    /// 16 hex digits.
    pub span_id: String,
}

/// An endpoint that no request can be sent to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not an http or https URL")]
pub struct OtlpConfigError {
    /// The environment variable; its value may contain a password.
    pub name: &'static str,
}

impl OtlpConfig {
    /// Returns the exporter's settings; `None` where the environment asks for no export of spans.
    ///
    /// Read are `OTEL_EXPORTER_OTLP_ENDPOINT`, `…_HEADERS` and `…_TIMEOUT` (milliseconds, at most
    /// 3,000 are used) with their `…_TRACES_…` variants, `OTEL_SERVICE_NAME`,
    /// `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_SDK_DISABLED`, `OTEL_TRACES_EXPORTER=none` and
    /// `TRACEPARENT`.
    ///
    /// # Errors
    ///
    /// [`OtlpConfigError`] if the endpoint is not a URL of HTTP.
    pub fn from_environment(
        environment: &[(String, String)],
    ) -> Result<Option<Self>, OtlpConfigError> {
        // The variables have the meaning that the specification of OpenTelemetry gives them.
        let variable = |name: &str| find(environment, name);
        let disabled =
            variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        if disabled || variable("OTEL_TRACES_EXPORTER") == Some("none") {
            return Ok(None);
        }
        let Some(url) = receiver_url(environment)? else { return Ok(None) };
        // The variable for traces wins over the general one.
        let headers = variable("OTEL_EXPORTER_OTLP_TRACES_HEADERS")
            .or_else(|| variable("OTEL_EXPORTER_OTLP_HEADERS"));
        let timeout = variable("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")
            .or_else(|| variable("OTEL_EXPORTER_OTLP_TIMEOUT"));
        // A timeout that is no number counts as unset.
        let timeout = timeout.and_then(|ms| ms.parse().ok()).map(Duration::from_millis);
        let name = variable("OTEL_SERVICE_NAME").unwrap_or("papayu-batch").to_owned();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let own = [("service.name".to_owned(), name), ("service.version".to_owned(), version)];
        let more = pairs(variable("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default());
        let is_new = |(key, _): &(String, String)| own.iter().all(|(known, _)| known != key);
        Ok(Some(Self {
            url,
            headers: pairs(headers.unwrap_or_default())
                .into_iter()
                .map(|(name, value)| (name, value.into()))
                .collect(),
            timeout: timeout.unwrap_or(MAX_TIMEOUT).min(MAX_TIMEOUT),
            resource: own.iter().cloned().chain(more.into_iter().filter(is_new)).collect(),
            parent: variable("TRACEPARENT").and_then(RemoteParent::parse),
        }))
    }
}

impl RemoteParent {
    /// Reads the W3C form `00-TRACE-SPAN-FLAGS`; `None` for anything else.
    fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('-').collect();
        // Version and flags are not interpreted.
        let [_version, trace_id, span_id, _flags] = parts[..] else { return None };
        let is_id = |id: &str, length: usize| {
            id.len() == length
                && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
                // An identifier of zeros is invalid (W3C Trace Context).
                && id.bytes().any(|byte| byte != b'0')
        };
        (is_id(trace_id, 32) && is_id(span_id, 16))
            .then(|| Self { trace_id: trace_id.to_owned(), span_id: span_id.to_owned() })
    }
}

/// Returns the value of a variable; an empty one counts as unset.
fn find<'a>(environment: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = environment.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
}

/// Returns the address of the receiver; `None` if no variable sets one.
fn receiver_url(environment: &[(String, String)]) -> Result<Option<String>, OtlpConfigError> {
    // The variable for all signals names a base, the one for traces a whole address.
    let (name, text) = match find(environment, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
        Some(url) => ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url.to_owned()),
        None => match find(environment, "OTEL_EXPORTER_OTLP_ENDPOINT") {
            Some(base) => {
                let base = base.trim_end_matches('/');
                ("OTEL_EXPORTER_OTLP_ENDPOINT", format!("{base}/v1/traces"))
            }
            None => return Ok(None),
        },
    };
    // Checked here, so that the first export does not fail at the end of a run.
    let url = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.map(|url| Some(url.to_string())).ok_or(OtlpConfigError { name })
}

/// Reads `key=value,key=value` with percent-encoded values; what is not a pair is skipped.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(key, value)| (key.trim().to_owned(), decode_percent(value.trim())))
        .filter(|(key, _)| !key.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn config(variables: &[(&str, &str)]) -> Result<Option<OtlpConfig>, OtlpConfigError> {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        OtlpConfig::from_environment(&variables.iter().map(own).collect::<Vec<_>>())
    }

    #[test]
    fn spans_are_exported_only_where_an_endpoint_is_set() {
        let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4318/");
        for off in [
            &[][..],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")],
            &[base, ("OTEL_SDK_DISABLED", "True")],
            &[base, ("OTEL_TRACES_EXPORTER", "none")],
        ] {
            assert!(config(off).unwrap().is_none(), "{off:?}");
        }
        assert_eq!(config(&[base]).unwrap().unwrap().url, "http://h:4318/v1/traces");
        let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://h/t");
        assert_eq!(config(&[base, own]).unwrap().unwrap().url, "https://h/t");
        let wrong = config(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317")]);
        assert_eq!(wrong.unwrap_err(), OtlpConfigError { name: "OTEL_EXPORTER_OTLP_ENDPOINT" });
    }

    #[test]
    fn headers_resource_timeout_and_parent_are_read_as_specified() {
        let trace = "0af7651916cd43dd8448eb211c80319c";
        let parent = format!("00-{trace}-b7ad6b7169203331-01");
        let read = config(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Basic%20a+b==, x-team = ci ,junk"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,deployment.environment=ci"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "250"),
            ("OTEL_SERVICE_NAME", "fixer"),
            ("TRACEPARENT", &parent),
        ]);
        let read = read.unwrap().unwrap();
        let headers: Vec<_> =
            read.headers.iter().map(|(n, v)| (n.as_str(), v.expose_secret())).collect();
        assert_eq!(headers, [("authorization", "Basic a+b=="), ("x-team", "ci")]);
        let resource: Vec<_> =
            read.resource.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(resource[0], ("service.name", "fixer"));
        assert_eq!(resource[2..], [("deployment.environment", "ci")]);
        assert_eq!(read.timeout, Duration::from_millis(250));
        assert_eq!(read.parent.unwrap().trace_id, trace);
        for wrong in ["", "00-0-0-0", "00-00000000000000000000000000000000-b7ad6b7169203331-01"] {
            assert_eq!(RemoteParent::parse(wrong), None, "{wrong}");
        }
    }
}
