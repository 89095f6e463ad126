//! Reads the issues of a project from Snyk's REST API.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use url::Url;

use super::error::FixError;
use super::run_context::RunContext;
use papayu_base::domain::ReportedFinding;
use papayu_logs::findings::{
    Ecosystem, FindingsReport, read_snyk_error, read_snyk_issues, read_snyk_page, snyk_ecosystem,
};
use papayu_system::retry::{Decision, Patience, RetryReason, retry_after};
use papayu_system::{HttpError, HttpRequest, HttpResponse, Method, PrivateHosts, System};

/// Version of Snyk's API that the answers are read in (<https://docs.snyk.io/snyk-api>).
const SNYK_VERSION: &str = "2024-10-15";

/// Time limit of one request.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Longest wait of one request before its retries.
const PATIENCE: Duration = Duration::from_mins(5);

/// Most pages of issues that are read, of 100 issues each.
const MAX_PAGES: usize = 100;

/// Longest answer, in bytes.
const MAX_ANSWER: u64 = 32 * 1024 * 1024;

/// Longest error of the server that is quoted, in characters.
const MAX_QUOTE: usize = 300;

/// A project in Snyk.
struct SnykApi<'a> {
    system: System<'a>,
    /// Ends with `/`.
    base: Url,
    token: SecretString,
}

/// Returns all open issues of a project about its packages.
///
/// # Errors
///
/// [`FixError::Provider`] if a setting is missing, and [`FixError::Snyk`] for an answer that is an error and
/// for a kind of project that is not supported.
pub(super) fn load_snyk(
    context: RunContext<'_>,
    project: &str,
) -> Result<FindingsReport, FixError> {
    let (api, org) = SnykApi::open(context, "`--snyk-project`")?;
    let ecosystem = api.read_ecosystem(org, project)?;
    let query = [
        ("version", SNYK_VERSION),
        ("scan_item.id", project),
        ("scan_item.type", "project"),
        ("type", "package_vulnerability"),
        ("limit", "100"),
    ];
    let mut next = Some(api.address(&["orgs", org, "issues"], &query)?);
    let mut report = FindingsReport::default();
    for _ in 0..MAX_PAGES {
        let Some(url) = next.take() else { break };
        let page = read_snyk_page(&api.get(&url)?, ecosystem);
        report.merge(page.report);
        next = page.next.map(|link| api.next_page(&link)).transpose()?;
    }
    if next.is_some() {
        report.unused.push(format!("further issues: at most {MAX_PAGES} pages are read"));
    }
    Ok(report.sorted())
}

/// Returns all open issues, about packages and about code, of the project that `snyk.project` names, or of the whole
/// organization.
///
/// # Errors
///
/// As [`load_snyk`].
pub(super) fn load_snyk_issues(context: RunContext<'_>) -> Result<Vec<ReportedFinding>, FixError> {
    let (api, org) = SnykApi::open(context, "`snyk.sync`")?;
    let mut query = vec![("version", SNYK_VERSION), ("limit", "100"), ("status", "open")];
    if let Some(project) = context.session.settings.snyk_project.value.as_deref() {
        query.extend([("scan_item.id", project), ("scan_item.type", "project")]);
    }
    let mut next = Some(api.address(&["orgs", org, "issues"], &query)?);
    let mut issues = Vec::new();
    for _ in 0..MAX_PAGES {
        let Some(url) = next.take() else { break };
        let (found, link) = read_snyk_issues(&api.get(&url)?);
        issues.extend(found);
        next = link.map(|link| api.next_page(&link)).transpose()?;
    }
    Ok(issues)
}

impl<'a> SnykApi<'a> {
    /// Opens the API that the settings name, and returns the organization. `reader` is what needs them, for messages.
    ///
    /// Fails with [`FixError::Provider`] if a setting is missing, and with [`FixError::Snyk`] for an address that is none.
    fn open(context: RunContext<'a>, reader: &str) -> Result<(Self, &'a str), FixError> {
        let settings = &context.session.settings;
        let missing = |name: &str, variable: &str| {
            FixError::Provider(format!("{reader} needs the setting `{name}` ({variable})"))
        };
        let token = settings.snyk_token.value.as_ref();
        let token = token.ok_or_else(|| missing("snyk.token", "PAPAYU_SNYK_TOKEN"))?;
        let org = settings.snyk_org.value.as_deref();
        let org = org.ok_or_else(|| missing("snyk.org", "PAPAYU_SNYK_ORG"))?;
        let address = settings.snyk_api_url.value.as_deref().unwrap_or_default();
        let base = format!("{}/", address.trim_end_matches('/'));
        let base = Url::parse(&base).map_err(|error| FixError::Snyk(error.to_string()))?;
        let token = SecretString::from(format!("token {}", token.expose_secret().trim()));
        Ok((Self { system: context.runtime.system(), base, token }, org))
    }

    /// Returns the package manager of a project.
    fn read_ecosystem(&self, org: &str, project: &str) -> Result<Ecosystem, FixError> {
        let parts = ["orgs", org, "projects", project];
        let answer = self.get(&self.address(&parts, &[("version", SNYK_VERSION)])?)?;
        let kind = answer.pointer("/data/attributes/type").and_then(Value::as_str);
        let kind = kind.unwrap_or_default();
        let shown: String = kind.chars().take(40).collect();
        let unknown = || FixError::Snyk(format!("the project's kind `{shown}` is not supported"));
        snyk_ecosystem(kind).ok_or_else(unknown)
    }

    /// Returns an address of the API; each part is one segment, whatever characters it has.
    fn address(&self, parts: &[&str], query: &[(&str, &str)]) -> Result<Url, FixError> {
        let mut url = self.base.clone();
        let cannot = || FixError::Snyk("`snyk.api_url` cannot have a path".to_owned());
        url.path_segments_mut().map_err(|()| cannot())?.pop_if_empty().extend(parts);
        url.query_pairs_mut().extend_pairs(query);
        Ok(url)
    }

    /// Returns the address of the next page, which must be on the same server: the token is sent there.
    fn next_page(&self, link: &str) -> Result<Url, FixError> {
        let refused = || FixError::Snyk("the next page is on another server".to_owned());
        // Links are relative to the path of the API (`/rest`), or contain it.
        let prefix = self.base.path().trim_end_matches('/');
        let is_inside = |link: &str| link.starts_with(&format!("{prefix}/"));
        let url = match link.strip_prefix('/') {
            Some(rest) if !link.starts_with("//") && !is_inside(link) => self.base.join(rest),
            _ => self.base.join(link),
        };
        let url = url.map_err(|_| refused())?;
        if url.origin() == self.base.origin() { Ok(url) } else { Err(refused()) }
    }

    /// Sends a request, again while that may help, and returns its JSON.
    fn get(&self, url: &Url) -> Result<Value, FixError> {
        let request = HttpRequest {
            method: Method::Get,
            url: url.to_string(),
            headers: vec![
                ("authorization".to_owned(), self.token.clone()),
                ("accept".to_owned(), SecretString::from("application/vnd.api+json")),
            ],
            body: None,
            timeout: TIMEOUT,
            max_bytes: MAX_ANSWER,
            private_hosts: PrivateHosts::Allowed,
        };
        let clock = self.system.clock;
        let started = clock.elapsed();
        let mut patience = Patience::new();
        loop {
            let (trouble, reason) = match self.system.http.send(&request) {
                Ok(answer) if (200..300).contains(&answer.status) => {
                    let json = serde_json::from_slice(&answer.body);
                    return json.map_err(|error| FixError::Snyk(format!("no JSON: {error}")));
                }
                Ok(answer) => self.classify_refusal(&answer),
                Err(HttpError::Interrupted) => {
                    return Err(FixError::Interrupted { path: PathBuf::from(url.path()) });
                }
                Err(error @ HttpError::Timeout(_)) => {
                    (Some(RetryReason::TimedOut), error.to_string())
                }
                Err(error @ (HttpError::Connection(_) | HttpError::Refused(_))) => {
                    (Some(RetryReason::Lost), error.to_string())
                }
                Err(error) => (None, error.to_string()),
            };
            let left = PATIENCE.saturating_sub(clock.elapsed().saturating_sub(started));
            match trouble.map(|trouble| patience.decide(trouble, left)) {
                Some(Decision::Again(wait)) if clock.sleep(wait) => {}
                _ => return Err(FixError::Snyk(reason)),
            }
        }
    }

    /// Returns whether a request is worth sending again, and the reason in the API's own words.
    fn classify_refusal(&self, answer: &HttpResponse) -> (Option<RetryReason>, String) {
        let body: Option<Value> = serde_json::from_slice(&answer.body).ok();
        let detail = body.as_ref().and_then(read_snyk_error).unwrap_or_default();
        let detail: String = detail.chars().take(MAX_QUOTE).collect();
        let hint = if answer.status == 401 { "; is `PAPAYU_SNYK_TOKEN` right?" } else { "" };
        let now = self.system.clock.timestamp();
        let retry_after = answer.header("retry-after").and_then(|it| retry_after(it, &now));
        let may_pass = answer.status == 429 || answer.status >= 500;
        let trouble = may_pass.then_some(RetryReason::Busy { retry_after });
        (trouble, format!("status {}: {message}{hint}", answer.status, message = detail))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::fix::runtime::Runtime;
    use crate::fix::{Session, SessionSource};
    use papayu_base::domain::NoEvents;
    use papayu_system::Http;

    /// Answers with these bodies in their order, and keeps what it was asked.
    #[derive(Default)]
    struct Server {
        answers: Mutex<Vec<(u16, Value)>>,
        asked: Mutex<Vec<(String, String)>>,
    }

    impl Http for Server {
        fn send(&self, request: &HttpRequest) -> Result<HttpResponse, HttpError> {
            let token = request.headers[0].1.expose_secret().to_owned();
            self.asked.lock().unwrap().push((request.url.clone(), token));
            let (status, body) = self.answers.lock().unwrap().remove(0);
            Ok(HttpResponse { status, headers: Vec::new(), body: body.to_string().into_bytes() })
        }
    }

    fn load(
        answers: &[(u16, Value)],
        project: &str,
    ) -> (Result<FindingsReport, String>, Arc<Server>) {
        let repo = tempfile::tempdir().unwrap();
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let environment = vec![
            variable("PAPAYU_SNYK_TOKEN", "s3cret-token"),
            variable("PAPAYU_SNYK_ORG", "org"),
            variable("PAPAYU_SNYK_API_URL", "https://api.eu.snyk.io/rest"),
        ];
        let place =
            SessionSource { repo: repo.path().to_owned(), environment, ..SessionSource::default() };
        let session = Session::open(place).unwrap();
        let server = Arc::new(Server::default());
        *server.answers.lock().unwrap() = answers.to_vec();
        let flag = Arc::new(AtomicBool::new(false));
        let runtime = Runtime::through(&session, &flag, server.clone());
        let context = RunContext { session: &session, runtime: &runtime, events: &NoEvents };
        (load_snyk(context, project).map_err(|error| error.to_string()), server)
    }

    fn project(kind: &str) -> (u16, Value) {
        (200, serde_json::json!({ "data": { "attributes": { "type": kind } } }))
    }

    fn page(package: &str, next: &str) -> (u16, Value) {
        let dependency = serde_json::json!({ "package_name": package, "package_version": "1.0.0" });
        let issue = serde_json::json!({ "attributes": {
            "key": "SNYK-1", "type": "package_vulnerability", "status": "open",
            "coordinates": [{ "representations": [{ "dependency": dependency }] }],
        }});
        (200, serde_json::json!({ "data": [issue], "links": { "next": next } }))
    }

    #[test]
    fn the_token_goes_to_the_chosen_server_only() {
        for next in [
            "https://evil.example/rest/orgs/org/issues",
            "//evil.example/x",
            "https://api.eu.snyk.io@evil.example/",
            "\\\\evil.example\\x",
            "http://api.eu.snyk.io/rest/x",
            "file:///etc/passwd",
        ] {
            let (result, server) = load(&[project("npm"), page("a", next)], "p");
            assert!(result.unwrap_err().contains("another server"), "{next}");
            assert_eq!(server.asked.lock().unwrap().len(), 2, "{next}");
        }
    }

    #[test]
    fn every_page_is_read_and_the_project_cannot_leave_its_segment() {
        let answers = [
            project("npm"),
            page("a", "/orgs/org/issues?starting_after=2"),
            page("b", "/rest/orgs/org/issues?starting_after=3"),
            page("c", ""),
        ];
        let (result, server) = load(&answers, "../../evil?x=1");
        let names: Vec<_> =
            result.unwrap().findings.iter().map(|it| it.package.to_string()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        let asked = server.asked.lock().unwrap();
        let urls: Vec<&str> = asked.iter().map(|(url, _)| url.as_str()).collect();
        let base = "https://api.eu.snyk.io/rest/orgs/org";
        assert_eq!(
            urls,
            [
                format!("{base}/projects/..%2F..%2Fevil%3Fx=1?version=2024-10-15"),
                format!(
                    "{base}/issues?version=2024-10-15&scan_item.id=..%2F..%2Fevil%3Fx%3D1&scan_item.type=project&type=package_vulnerability&limit=100"
                ),
                format!("{base}/issues?starting_after=2"),
                format!("{base}/issues?starting_after=3"),
            ]
        );
        assert!(asked.iter().all(|(_, token)| token == "token s3cret-token"));
    }

    #[test]
    fn an_error_is_told_in_the_words_of_the_api_without_the_token() {
        let error = serde_json::json!({ "errors": [{ "title": "Unauthorized", "code": "SNYK-0005", "detail": "bad token" }] });
        let (result, _) = load(&[(401, error)], "p");
        assert_eq!(
            result.unwrap_err(),
            "the findings cannot be read from Snyk: status 401: Unauthorized (SNYK-0005): bad token; is `PAPAYU_SNYK_TOKEN` right?"
        );
        let (result, _) = load(&[project("dockerfile")], "p");
        assert!(result.unwrap_err().contains("`dockerfile` is not supported"));
    }
}
