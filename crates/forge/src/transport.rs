//! One call of the forge's API: sent, sent again when that helps, and read.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::config::{ForgeConfig, Outside};
use super::error::{ForgeError, ForgeFault};
use super::field::number_at;
use super::github::App;
use super::wire::ForgeWire;
use papayu_base::domain::{AccessToken, Event, EventName};
use papayu_system::retry::{Decision, Patience, RetryReason, retry_after};
use papayu_system::{
    HttpError, HttpRequest, HttpResponse, Method, PrivateHosts, names_private_host,
};

/// Time limit of one request.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Time limit of a log's download.
const LOG_TIMEOUT: Duration = Duration::from_mins(15);
/// Longest answer read, in bytes.
const MAX_ANSWER: u64 = 32 * 1024 * 1024;
/// Longest log read, in bytes.
const MAX_LOG: u64 = 2 * 1024 * 1024 * 1024;
/// The longest total wait of one call before its retries.
const PATIENCE: Duration = Duration::from_mins(5);

/// States if a call may be repeated when it is unknown whether it arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    /// Twice is as good as once.
    Safe,
    /// Twice makes two.
    Unsafe,
}

/// A call to be sent.
pub(super) struct Outgoing<'a> {
    /// In words, for messages.
    pub(super) doing: &'a str,
    pub(super) method: Method,
    /// Absolute.
    pub(super) url: String,
    pub(super) body: Option<Value>,
    pub(super) repeat: Repeat,
}

/// The way to the API.
pub(super) struct Transport<'a> {
    pub(super) wire: &'static ForgeWire,
    outside: Outside<'a>,
    token: Option<AccessToken>,
    /// Servers with private addresses that may have job logs, as `HOST` or `HOST:PORT`.
    log_hosts: Vec<String>,
    /// The app that obtains the token, and the address of its API and the name of its repository.
    app: Option<(App, String, String)>,
}

impl<'a> Transport<'a> {
    /// Returns the way to the API of a configuration; nothing is sent yet.
    pub(super) fn new(
        config: &ForgeConfig,
        outside: Outside<'a>,
        wire: &'static ForgeWire,
    ) -> Self {
        let ForgeConfig { token, log_hosts, app, repository, .. } = config.clone();
        let app = app.map(|app| (App::new(app), config.api().to_owned(), repository));
        Self { wire, outside, token, log_hosts, app }
    }

    /// Returns whether requests carry a token.
    pub(super) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Sends until there is an answer that no further try would change; only good ones, with a status from 200
    /// to 399, are returned.
    ///
    /// Fails with the fault of the last answer: [`ForgeFault::Authentication`] (after one more try with a new
    /// token for an app), `Forbidden`, `NotFound`, `Exists`, `Invalid`, and after retries `RateLimited` and
    /// `Unavailable`. A request that is not [`Repeat::Safe`] is not repeated after a lost connection, so the
    /// forge may have done it.
    pub(super) fn call_api(&self, outgoing: &Outgoing<'_>) -> Result<HttpResponse, ForgeError> {
        self.renew_token()?;
        let answer = self.call_once(outgoing, None);
        let is_refused = |error: &ForgeError| error.fault == ForgeFault::Authentication;
        match (&self.app, answer) {
            // The token may have been revoked, or the clocks may differ; a refused request did nothing.
            (Some((app, ..)), Err(error)) if is_refused(&error) => {
                app.drop_token();
                self.renew_token()?;
                self.call_once(outgoing, None)
            }
            (_, answer) => answer,
        }
    }

    /// Sends with the token, or with another one.
    fn call_once(
        &self,
        outgoing: &Outgoing<'_>,
        token: Option<&SecretString>,
    ) -> Result<HttpResponse, ForgeError> {
        let request = self.build_request(outgoing, token);
        self.until_answered(outgoing, || self.outside.system.http.send(&request))
    }

    /// Obtains a token of the app's installation if there is none that lasts; pushes use it, too.
    ///
    /// Fails as a request does, and with [`ForgeFault::Unreadable`] if the app has no installation for the
    /// repository, or the answer has no token.
    pub(super) fn renew_token(&self) -> Result<(), ForgeError> {
        let (Some((app, api, repository)), Some(token)) = (&self.app, &self.token) else {
            return Ok(());
        };
        let doing = "sign in as the GitHub App";
        let wrong = |message: &str| ForgeError::new(doing, ForgeFault::Unreadable, message);
        let now = self.outside.system.clock.timestamp();
        let now = now.parse().map_err(|_| wrong("the time of the machine is not readable"))?;
        if !app.needs_token(now) {
            return Ok(());
        }
        let statement = app.sign_statement(now)?;
        let ask = |method, url: String| {
            // A second token does no harm.
            let outgoing = Outgoing { doing, method, url, body: None, repeat: Repeat::Safe };
            let answer = self.call_once(&outgoing, Some(&statement))?;
            serde_json::from_slice(&answer.body).map_err(|error| wrong(&error.to_string()))
        };
        let installation = if let Some(number) = app.installation() {
            number
        } else {
            let url = format!("{api}/repos/{repository}/installation");
            let found: Value = ask(Method::Get, url)?;
            let number = number_at(&found, "/id");
            number.ok_or_else(|| wrong("the app has no installation for the repository"))?
        };
        let url = format!("{api}/app/installations/{installation}/access_tokens");
        let answer = ask(Method::Post, url)?;
        let fresh = app.take_token(&answer).ok_or_else(|| wrong("the answer has no token"))?;
        let pair = STANDARD.encode(format!("x-access-token:{}", fresh.expose_secret()));
        self.outside.masker.learn(&[fresh.expose_secret().to_owned(), pair]);
        token.replace(fresh);
        Ok(())
    }

    /// Downloads a log. The API redirects to another server, which does not receive the token.
    ///
    /// Fails as [`call_api`](Self::call_api) does, and with [`ForgeFault::Unreadable`] for a redirect to an
    /// address that is missing, not https, or private and not in `github.log_hosts`, and for a second redirect.
    /// `sink` may have received a part of the log then.
    pub(super) fn download_log(
        &self,
        outgoing: &Outgoing<'_>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<(), ForgeError> {
        self.renew_token()?;
        let request = HttpRequest {
            timeout: LOG_TIMEOUT,
            max_bytes: MAX_LOG,
            ..self.build_request(outgoing, None)
        };
        let answer =
            self.until_answered(outgoing, || self.outside.system.http.stream(&request, sink))?;
        if !(300..400).contains(&answer.status) {
            return Ok(());
        }
        let doing = outgoing.doing;
        let wrong = |message| ForgeError::new(doing, ForgeFault::Unreadable, message);
        let base = url::Url::parse(&outgoing.url).map_err(|error| wrong(error.to_string()))?;
        let place = answer.header("location").and_then(|place| base.join(place).ok());
        let place = place.ok_or_else(|| wrong("the redirect leads nowhere".to_owned()))?;
        // A log may contain what its job printed, so it must not travel unencrypted.
        if place.scheme() != base.scheme() && place.scheme() != "https" {
            return Err(wrong("the redirect leads to an address that is not https".to_owned()));
        }
        // Another server is chosen by the answer: it must not lead into the network that the job is in.
        let is_known = place.origin() == base.origin() || self.is_log_host(&place);
        if !is_known && names_private_host(&place) {
            let place = place.origin().ascii_serialization();
            let text = format!(
                "the redirect leads to the private address {place}, which `github.log_hosts` does not name"
            );
            return Err(wrong(text));
        }
        let private_hosts = if is_known { PrivateHosts::Allowed } else { PrivateHosts::Refused };
        let (url, headers) = (place.to_string(), Vec::new());
        let request = HttpRequest { url, headers, private_hosts, ..request };
        let answer =
            self.until_answered(outgoing, || self.outside.system.http.stream(&request, sink))?;
        if (200..300).contains(&answer.status) {
            Ok(())
        } else {
            Err(wrong("another redirect".to_owned()))
        }
    }

    /// Returns whether `github.log_hosts` names the server of an address.
    fn is_log_host(&self, place: &url::Url) -> bool {
        let Some(host) = place.host_str() else { return false };
        let with_port = place.port_or_known_default().map(|port| format!("{host}:{port}"));
        self.log_hosts.iter().any(|known| known == host || Some(known) == with_port.as_ref())
    }

    /// Builds a request with the headers of the forge.
    fn build_request(&self, outgoing: &Outgoing<'_>, token: Option<&SecretString>) -> HttpRequest {
        let header = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).into());
        let mut headers: Vec<(String, SecretString)> =
            self.wire.headers.iter().map(header).collect();
        let own = self.token.as_ref().map(AccessToken::current);
        if let Some(token) = token.or(own.as_ref()) {
            let (name, value) = (self.wire.authorize)(token.expose_secret());
            headers.push((name.to_owned(), value));
        }
        HttpRequest {
            method: outgoing.method,
            url: outgoing.url.clone(),
            headers,
            body: outgoing
                .body
                .clone()
                .map(|body| self.outside.masker.masked_json(body).to_string().into_bytes()),
            timeout: TIMEOUT,
            max_bytes: MAX_ANSWER,
            private_hosts: PrivateHosts::Allowed,
        }
    }

    /// Sends a request again while its failure may pass, within the time that the run has.
    fn until_answered(
        &self,
        outgoing: &Outgoing<'_>,
        mut send: impl FnMut() -> Result<HttpResponse, HttpError>,
    ) -> Result<HttpResponse, ForgeError> {
        let started = self.outside.system.clock.elapsed();
        let mut patience = Patience::new();
        loop {
            let (trouble, error) = match send() {
                Ok(answer) if is_good(answer.status) => return Ok(answer),
                Ok(answer) => self.classify_refusal(outgoing, &answer),
                Err(error) => classify_loss(outgoing, &error),
            };
            // A request that the time limit of the run ended is not one that the forge did not answer.
            if self.outside.system.clock.interrupted() {
                let fault = ForgeFault::Interrupted;
                return Err(ForgeError::new(outgoing.doing, fault, "the run was ended"));
            }
            let Some(trouble) = trouble else { return Err(error) };
            // The limit is on the sum of waits: a server may ask for a minute many times.
            let used = self.outside.system.clock.elapsed().saturating_sub(started);
            match patience.decide(trouble, PATIENCE.saturating_sub(used)) {
                Decision::Again(wait) => self.wait_before_retry(outgoing, &error, wait)?,
                Decision::GiveUp(why) => {
                    let why = why.map(|why| format!("; {why}")).unwrap_or_default();
                    return Err(ForgeError { message: error.message.clone() + &why, ..error });
                }
            }
        }
    }

    /// Reports the failure and waits; a signal ends the waiting with an error.
    fn wait_before_retry(
        &self,
        outgoing: &Outgoing<'_>,
        error: &ForgeError,
        wait: Duration,
    ) -> Result<(), ForgeError> {
        self.outside.events.emit(
            Event::new(EventName::ForgeRetry)
                .with("doing", outgoing.doing)
                .with("wait_ms", u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
                .with("reason", error.message.as_str()),
        );
        if self.outside.system.clock.sleep(wait) {
            return Ok(());
        }
        Err(ForgeError::new(outgoing.doing, ForgeFault::Interrupted, "a signal ended it"))
    }

    /// Returns whether and how a refusal may pass, and its error. GitHub answers 403 for a missing
    /// permission and for an exhausted rate limit; the headers distinguish them.
    fn classify_refusal(
        &self,
        outgoing: &Outgoing<'_>,
        answer: &HttpResponse,
    ) -> (Option<RetryReason>, ForgeError) {
        let message =
            self.outside.masker.mask(&error_message(answer)).into_owned() + &describe_reset(answer);
        let forge = self.wire.kind;
        let error = |fault| ForgeError::new(outgoing.doing, fault, message.clone()).at_forge(forge);
        let limit = self.rate_limit(answer);
        match answer.status {
            // GitHub reports rate limits with 403 too, so the limit is checked before the
            // permission.
            403 | 429 if limit.is_some() => (limit, error(ForgeFault::RateLimited)),
            // Azure DevOps answers 203 with its page for signing in.
            203 | 401 => (None, error(ForgeFault::Authentication)),
            403 => (None, error(ForgeFault::Forbidden)),
            404 | 410 => (None, error(ForgeFault::NotFound)),
            409 | 422 if message.contains("already exists") => (None, error(ForgeFault::Exists)),
            500..=599 => {
                let safe = outgoing.repeat == Repeat::Safe;
                (safe.then_some(RetryReason::Lost), error(ForgeFault::Unavailable))
            }
            _ => (None, error(ForgeFault::Invalid)),
        }
    }

    /// Returns what a rate limit asks for, where the answer is one: by `Retry-After`, by the moment
    /// when the quota is filled again, or by nothing but words.
    fn rate_limit(&self, answer: &HttpResponse) -> Option<RetryReason> {
        let now = self.outside.system.clock.timestamp();
        let asks = |retry_after| Some(RetryReason::Busy { retry_after });
        if let Some(header) = answer.header("retry-after") {
            return asks(retry_after(header, &now));
        }
        if quota(answer, "remaining") == Some("0") {
            let reset = quota(answer, "reset").and_then(|at| at.parse::<i64>().ok());
            let now = now.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second);
            let seconds = reset.zip(now).map(|(reset, now)| reset.saturating_sub(now).max(0));
            let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
            return asks(seconds.map(Duration::from_secs));
        }
        let body = String::from_utf8_lossy(&answer.body);
        let speaks = body.contains("rate limit") || answer.status == 429;
        // GitHub's documentation asks for a minute where the answer names no time.
        if speaks { asks(Some(Duration::from_mins(1))) } else { None }
    }
}

/// Returns whether a status is that of an answer which no further try would change.
fn is_good(status: u16) -> bool {
    (200..400).contains(&status) && status != 203
}

/// Returns a header about the quota of requests; GitLab names it without the `x-`.
fn quota<'h>(answer: &'h HttpResponse, name: &str) -> Option<&'h str> {
    let found = answer.header(&format!("x-ratelimit-{name}"));
    found.or_else(|| answer.header(&format!("ratelimit-{name}")))
}

/// Returns when the quota of requests is filled again, in words; empty where it is not used up.
fn describe_reset(answer: &HttpResponse) -> String {
    let used_up = quota(answer, "remaining") == Some("0");
    let at = quota(answer, "reset").filter(|_| used_up);
    let at = at.and_then(|at| jiff::Timestamp::from_second(at.parse().ok()?).ok());
    at.map(|at| format!("; the limit ends at {at}")).unwrap_or_default()
}

/// A request that may have arrived is sent again only where that does no harm.
fn classify_loss(outgoing: &Outgoing<'_>, error: &HttpError) -> (Option<RetryReason>, ForgeError) {
    let (trouble, fault) = match error {
        HttpError::Interrupted => (None, ForgeFault::Interrupted),
        HttpError::TooLarge(_) => (None, ForgeFault::Unreadable),
        HttpError::Request(_) => (None, ForgeFault::Invalid),
        HttpError::LeftAlone(_) => (None, ForgeFault::Unavailable),
        HttpError::Connection(_) | HttpError::Refused(_) => {
            (Some(RetryReason::Lost), ForgeFault::Unavailable)
        }
        HttpError::Timeout(_) => (Some(RetryReason::TimedOut), ForgeFault::Unavailable),
    };
    let trouble = trouble.filter(|_| outgoing.repeat == Repeat::Safe);
    (trouble, ForgeError::new(outgoing.doing, fault, error.to_string()))
}

/// Returns the message of an error answer with the faults of its fields, at most 400 characters.
fn error_message(answer: &HttpResponse) -> String {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let mut all = Vec::new();
    // GitHub, Gitea and Azure DevOps have `message`; GitLab also a list or an object of lists there, or `error`;
    // Bitbucket has an object in `error`.
    for name in ["message", "error", "error_description", "detail", "errors"] {
        collect_messages(body.get(name), &mut all);
    }
    let all: Vec<String> = all.into_iter().filter(|text| !text.is_empty()).take(6).collect();
    let all: String = all.join("; ").chars().filter(|c| !c.is_control()).take(400).collect();
    format!("the forge answers {}: {all}", answer.status).trim_end_matches(": ").to_owned()
}

/// Adds the texts of a value of an error answer.
fn collect_messages(value: Option<&Value>, all: &mut Vec<String>) {
    match value {
        Some(Value::String(text)) => all.push(text.clone()),
        Some(Value::Array(items)) => {
            for item in items {
                collect_messages(Some(item), all);
            }
        }
        Some(Value::Object(fields)) => {
            let text = |name: &str| fields.get(name).and_then(Value::as_str);
            let plain = || Some([text("resource")?, text("field")?, text("code")?].join(" "));
            if let Some(message) = text("message") {
                all.push(message.to_owned());
                all.extend(text("detail").map(str::to_owned));
            } else if let Some(plain) = plain() {
                all.push(plain);
            } else {
                // The faults of GitLab's fields: `{"title": ["can't be blank"]}`.
                for (field, faults) in fields {
                    let mut own = Vec::new();
                    collect_messages(Some(faults), &mut own);
                    all.extend(own.iter().map(|fault| format!("{field} {fault}")));
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> HttpResponse {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let headers = headers.iter().map(own).collect();
        HttpResponse { status, headers, body: body.as_bytes().to_vec() }
    }

    #[test]
    fn the_message_names_the_faults_of_fields() {
        let body = r#"{"message":"Validation Failed","errors":[
            {"resource":"PullRequest","field":"head","code":"invalid"},{"message":"no"},"plain"]}"#;
        let expected =
            "the forge answers 422: Validation Failed; PullRequest head invalid; no; plain";
        assert_eq!(error_message(&answer(422, &[], body)), expected);
        assert_eq!(error_message(&answer(502, &[], "<html>")), "the forge answers 502");
    }

    #[test]
    fn the_message_is_found_in_the_form_of_every_forge() {
        for (body, expected) in [
            (r#"{"message":"404 Project Not Found"}"#, "404 Project Not Found"),
            (r#"{"message":{"title":["can't be blank"]}}"#, "title can't be blank"),
            (
                r#"{"message":["Another open one already exists"]}"#,
                "Another open one already exists",
            ),
            (r#"{"error":"invalid_token","error_description":"gone"}"#, "invalid_token; gone"),
            (r#"{"type":"error","error":{"message":"Bad","detail":"why"}}"#, "Bad; why"),
            (r#"{"$id":"1","message":"TF401179: exists","typeKey":"X"}"#, "TF401179: exists"),
            (r#"{"message":"no","url":"https://g/api/swagger","errors":null}"#, "no"),
        ] {
            let message = error_message(&answer(400, &[], body));
            assert_eq!(message, format!("the forge answers 400: {expected}"), "{body}");
        }
    }

    #[test]
    fn a_message_has_one_line_and_an_end() {
        let body = serde_json::json!({ "message": "a\n".repeat(1_000) }).to_string();
        let text = error_message(&answer(500, &[], &body));
        assert!(!text.contains('\n') && text.len() < 450, "{text}");
    }

    #[test]
    fn the_end_of_a_limit_is_named_only_once_it_is_reached() {
        let reset = ("x-ratelimit-reset", "1767225600");
        let used_up = answer(403, &[("x-ratelimit-remaining", "0"), reset], "");
        assert_eq!(describe_reset(&used_up), "; the limit ends at 2026-01-01T00:00:00Z");
        assert_eq!(describe_reset(&answer(403, &[("x-ratelimit-remaining", "1"), reset], "")), "");
        let wrong = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "soon")];
        assert_eq!(describe_reset(&answer(403, &wrong, "")), "");
    }

    #[test]
    fn a_call_that_may_have_arrived_is_repeated_only_where_that_is_safe() {
        let trouble = |repeat, error: &HttpError| {
            let outgoing = Outgoing {
                doing: "open",
                method: Method::Post,
                url: String::new(),
                body: None,
                repeat,
            };
            classify_loss(&outgoing, error).0
        };
        let lost = HttpError::Connection("reset".to_owned());
        assert_eq!(trouble(Repeat::Safe, &lost), Some(RetryReason::Lost));
        assert_eq!(trouble(Repeat::Unsafe, &lost), None);
        assert_eq!(trouble(Repeat::Safe, &HttpError::Interrupted), None);
    }
}
