//! GitHub and GitHub Enterprise over their REST API; GraphQL for the one thing that REST lacks.

use secrecy::SecretString;
use serde_json::{Value, json};

use super::error::{ForgeError, ForgeFault};
use super::transport::{Outgoing, Repeat, Transport};
use super::{
    CheckRun, CiJob, Forge, Issue, OwnedRepository, PullRequest, PullRequestSpec, page,
    request::{self, MAX_ANNOTATIONS},
};
use crate::domain::EventSink;
use crate::system::{HttpResponse, Method, System};
use crate::text::Masker;

/// Pages read of a list at the most.
const MAX_PAGES: usize = 100;

/// The repository, the server's address, and the token.
#[derive(Clone, Debug)]
pub struct GitHubConfig {
    /// `https://api.github.com`, or `https://HOST/api/v3`.
    pub api_url: String,
    /// `OWNER/NAME`.
    pub repository: String,
    /// The token.
    pub token: Option<SecretString>,
    /// Servers with private addresses that may hold job logs, as `HOST` or `HOST:PORT`.
    pub log_hosts: Vec<String>,
}

/// One repository on GitHub.
pub struct GitHub<'a> {
    transport: Transport<'a>,
    api: String,
    repository: String,
}

impl<'a> GitHub<'a> {
    /// Returns the repository; nothing is sent yet. An error when it is not named as `OWNER/NAME`.
    pub fn new(
        config: &GitHubConfig,
        system: System<'a>,
        events: &'a dyn EventSink,
        masker: &'a Masker,
    ) -> Result<Self, ForgeError> {
        let repository = config.repository.clone();
        if !repository
            .split_once('/')
            .is_some_and(|(owner, name)| is_name_part(owner) && is_name_part(name))
        {
            let said = format!("`{repository}` is not `OWNER/NAME`");
            return Err(ForgeError::new("name the repository", ForgeFault::NotFound, said));
        }
        Ok(Self { repository, ..Self::whole(config, system, events, masker) })
    }

    /// Returns the forge itself, for questions about no one repository.
    pub fn whole(
        config: &GitHubConfig,
        system: System<'a>,
        events: &'a dyn EventSink,
        masker: &'a Masker,
    ) -> Self {
        let GitHubConfig { token, log_hosts, .. } = config.clone();
        let transport = Transport { system, events, masker, token, log_hosts };
        let api = config.api_url.trim_end_matches('/').to_owned();
        Self { transport, api, repository: String::new() }
    }

    /// Returns the repository as `OWNER/NAME`.
    pub(super) fn repository_name(&self) -> &str {
        &self.repository
    }

    /// Returns the owner in `owner/name`.
    fn owner_name(&self) -> &str {
        self.repository.split_once('/').map_or("", |(owner, _)| owner)
    }

    /// Returns the address of an endpoint of the repository.
    fn repository_url(&self, path: &str) -> String {
        format!("{}/repos/{}{path}", self.api, self.repository)
    }

    /// Sends a GET, which may be repeated safely.
    pub(super) fn get_json(&self, doing: &str, path: &str) -> Result<Value, ForgeError> {
        let answer = self.transport.call_api(&Outgoing {
            doing,
            method: Method::Get,
            url: self.repository_url(path),
            body: None,
            repeat: Repeat::Safe,
        })?;
        parse_body(doing, &answer)
    }

    /// Reads every page of a list; `within` names the list inside an answer that is an object.
    pub(super) fn list_items(
        &self,
        doing: &str,
        path: &str,
        within: Option<&str>,
    ) -> Result<Vec<Value>, ForgeError> {
        self.list_pages(doing, self.repository_url(path), within).map(|(all, _)| all)
    }

    /// Reads every page from an address. The flag is true when there were more pages than are read.
    fn list_pages(
        &self,
        doing: &str,
        mut url: String,
        within: Option<&str>,
    ) -> Result<(Vec<Value>, bool), ForgeError> {
        let mut all = Vec::new();
        for _ in 0..MAX_PAGES {
            let outgoing = Outgoing {
                doing,
                method: Method::Get,
                url: url.clone(),
                body: None,
                repeat: Repeat::Safe,
            };
            let answer = self.transport.call_api(&outgoing)?;
            let value = parse_body(doing, &answer)?;
            let items = within.map_or(Some(&value), |name| value.get(name));
            let items = items.and_then(Value::as_array);
            let unreadable = || ForgeError::new(doing, ForgeFault::Unreadable, "it is no list");
            all.extend(items.ok_or_else(unreadable)?.iter().cloned());
            // The `Link` header is the only documented way to the next page.
            match page::next_page(answer.header("link"), &url) {
                Some(next) => url = next,
                None => return Ok((all, false)),
            }
        }
        Ok((all, true))
    }

    /// Reads the jobs of a workflow run's latest attempt.
    fn list_jobs(&self, run: u64) -> Result<Vec<Value>, ForgeError> {
        let doing = format!("list the jobs of run {run}");
        let path = format!("/actions/runs/{run}/jobs?filter=latest&per_page=100");
        self.list_items(&doing, &path, Some("jobs"))
    }

    /// Sends a POST. `repeat` is whether the endpoint may be called twice: a second pull request or
    /// comment would be visible.
    pub(super) fn post_json(
        &self,
        doing: &str,
        path: &str,
        body: Value,
        repeat: Repeat,
    ) -> Result<Value, ForgeError> {
        let url = self.repository_url(path);
        self.send_json(&Outgoing { doing, method: Method::Post, url, body: Some(body), repeat })
    }

    /// Sends a PATCH.
    pub(super) fn patch_json(
        &self,
        doing: &str,
        path: &str,
        body: Value,
        repeat: Repeat,
    ) -> Result<Value, ForgeError> {
        let url = self.repository_url(path);
        self.send_json(&Outgoing { doing, method: Method::Patch, url, body: Some(body), repeat })
    }

    /// Sends a request that changes something, which needs a token.
    fn send_json(&self, outgoing: &Outgoing<'_>) -> Result<Value, ForgeError> {
        if self.transport.token.is_none() {
            return Err(ForgeError::new(outgoing.doing, ForgeFault::NoToken, "no token is set"));
        }
        let answer = self.transport.call_api(outgoing)?;
        parse_body(outgoing.doing, &answer)
    }

    /// Changes a pull request and returns its new state.
    fn patch_pull_request(
        &self,
        doing: &str,
        number: u64,
        body: Value,
    ) -> Result<PullRequest, ForgeError> {
        let path = format!("/pulls/{number}");
        let value = self.patch_json(doing, &path, body, Repeat::Safe)?;
        as_pull_request(doing, &value)
    }

    /// Sends a GraphQL document that may be sent twice, and returns its answer.
    pub(super) fn ask_graphql(
        &self,
        doing: &str,
        query: &str,
        variables: &Value,
    ) -> Result<Value, ForgeError> {
        // GitHub Enterprise has REST at `/api/v3` and GraphQL at `/api/graphql`.
        let base = self.api.strip_suffix("/v3").unwrap_or(&self.api);
        let answer = self.send_json(&Outgoing {
            doing,
            method: Method::Post,
            url: format!("{base}/graphql"),
            body: Some(json!({ "query": query, "variables": variables })),
            repeat: Repeat::Safe,
        })?;
        // GraphQL reports its faults in a good answer.
        let Some(first) = answer.pointer("/errors/0") else { return Ok(answer) };
        let text = |name: &str| first.get(name).and_then(Value::as_str).unwrap_or_default();
        let fault = match text("type") {
            "NOT_FOUND" => ForgeFault::NotFound,
            "FORBIDDEN" | "INSUFFICIENT_SCOPES" => ForgeFault::Forbidden,
            "RATE_LIMITED" => ForgeFault::RateLimited,
            "STALE_DATA" => ForgeFault::Exists,
            _ => ForgeFault::Invalid,
        };
        let said: String = text("message").chars().filter(|c| !c.is_control()).take(400).collect();
        Err(ForgeError::new(doing, fault, said))
    }
}

/// Returns `true` for an owner or a name that GitHub permits.
fn is_name_part(part: &str) -> bool {
    // `.` and `..` would change the path of the URL that the name becomes a part of.
    let is_plain = part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    !part.is_empty() && is_plain && !matches!(part, "." | "..")
}

impl Forge for GitHub<'_> {
    fn default_branch(&self) -> Result<String, ForgeError> {
        let doing = "find the default branch";
        let value = self.get_json(doing, "")?;
        let name = value.get("default_branch").and_then(Value::as_str).map(str::to_owned);
        name.ok_or_else(|| ForgeError::new(doing, ForgeFault::Unreadable, "it has none"))
    }

    fn pull_requests(&self, branch: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let doing = "look for the pull request";
        let head: String = url::form_urlencoded::byte_serialize(
            format!("{}:{branch}", self.owner_name()).as_bytes(),
        )
        .collect();
        let path = format!("/pulls?state=all&head={head}&sort=created&direction=desc&per_page=100");
        let mut found: Vec<PullRequest> = self
            .list_items(doing, &path, None)?
            .iter()
            .filter_map(request::parse_pull_request)
            .collect();
        // GitHub sorts by second, and a branch may have two pull requests of one second.
        found.sort_by_key(|pull| std::cmp::Reverse(pull.number));
        Ok(found)
    }

    fn open(&self, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError> {
        let doing = "open the pull request";
        let body = request::creation_body(spec);
        // A second one from the same branch is refused, so that asking twice does no harm.
        let value = self.post_json(doing, "/pulls", body, Repeat::Safe)?;
        as_pull_request(doing, &value)
    }

    fn update(&self, number: u64, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError> {
        self.patch_pull_request("update the pull request", number, request::update_body(spec))
    }

    fn reopen(&self, number: u64) -> Result<PullRequest, ForgeError> {
        self.patch_pull_request("reopen the pull request", number, json!({ "state": "open" }))
    }

    fn label(&self, number: u64, labels: &[String]) -> Result<(), ForgeError> {
        let path = format!("/issues/{number}/labels");
        let body = json!({ "labels": labels });
        self.post_json("label the pull request", &path, body, Repeat::Safe).map(drop)
    }

    fn request_reviews(&self, number: u64, reviewers: &[String]) -> Result<(), ForgeError> {
        let path = format!("/pulls/{number}/requested_reviewers");
        let body = request::reviewers_body(reviewers);
        self.post_json("ask for a review", &path, body, Repeat::Safe).map(drop)
    }

    fn merge_when_green(&self, pull: &PullRequest) -> Result<(), ForgeError> {
        let variables = json!({ "id": pull.node_id });
        self.ask_graphql("turn on auto-merge", request::MERGE_WHEN_GREEN, &variables).map(drop)
    }

    fn check_run(&self, check: &CheckRun) -> Result<String, ForgeError> {
        let doing = "leave a check run";
        // GitHub takes fifty annotations in a call; the rest are added to the same run.
        let mut batches = check.annotations.chunks(MAX_ANNOTATIONS);
        let body = request::check_run_body(check, batches.next().unwrap_or_default());
        let made = self.post_json(doing, "/check-runs", body, Repeat::Unsafe)?;
        let id = made.get("id").and_then(Value::as_u64);
        let id =
            id.ok_or_else(|| ForgeError::new(doing, ForgeFault::Unreadable, "it has no id"))?;
        let path = format!("/check-runs/{id}");
        for batch in batches {
            let body = json!({ "output": request::check_output_body(check, batch) });
            // Annotations accumulate, so a repeated request would add them twice.
            self.patch_json(doing, &path, body, Repeat::Unsafe)?;
        }
        Ok(made.get("html_url").and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    fn issue(&self, number: u64) -> Result<Issue, ForgeError> {
        let doing = format!("read issue {number}");
        let value = self.get_json(&doing, &format!("/issues/{number}"))?;
        let wrong = || ForgeError::new(&doing, ForgeFault::Unreadable, "it is no issue");
        request::parse_issue(&value).ok_or_else(wrong)
    }

    fn failed_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError> {
        let jobs = self.list_jobs(run)?;
        Ok(jobs.iter().filter_map(request::parse_failed_job).collect())
    }

    fn last_green_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError> {
        let doing = format!("find the last successful run of the workflow of run {run}");
        let failed = self.get_json(&doing, &format!("/actions/runs/{run}"))?;
        // The first page has the newest runs of all workflows.
        let runs = self.get_json(&doing, "/actions/runs?status=success&per_page=100")?;
        let Some(green) = request::parse_last_run(&runs, &failed) else { return Ok(Vec::new()) };
        Ok(self.list_jobs(green)?.iter().filter_map(request::parse_green_job).collect())
    }

    fn repositories(&self, owner: &str) -> Result<Vec<OwnedRepository>, ForgeError> {
        let doing = format!("list the repositories of {owner}");
        let of = |kind: &str| {
            let url = format!("{}/{kind}/{owner}/repos?type=all&per_page=100", self.api);
            self.list_pages(&doing, url, None)
        };
        // The name alone does not say whether it is an organisation or a user.
        let found = match of("orgs") {
            Err(error) if error.fault == ForgeFault::NotFound => of("users"),
            found => found,
        };
        let (found, is_more) = found?;
        // A batch over a part of the repositories would look like a batch over all of them.
        if is_more {
            let said = format!("there are more than {}", found.len());
            return Err(ForgeError::new(&doing, ForgeFault::Invalid, said));
        }
        let mut all: Vec<_> = found.iter().filter_map(request::parse_repository).collect();
        all.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(all)
    }

    fn job_log(&self, job: u64, sink: &mut dyn FnMut(&[u8])) -> Result<(), ForgeError> {
        let doing = format!("read the log of job {job}");
        let url = self.repository_url(&format!("/actions/jobs/{job}/logs"));
        // The bytes that arrived before the connection was lost were already passed on.
        let (method, body, repeat) = (Method::Get, None, Repeat::Unsafe);
        self.transport.download_log(&Outgoing { doing: &doing, method, url, body, repeat }, sink)
    }
}

/// Parses the body of an answer.
fn parse_body(doing: &str, answer: &HttpResponse) -> Result<Value, ForgeError> {
    let unreadable = |said: String| ForgeError::new(doing, ForgeFault::Unreadable, said);
    // Redirects are not followed, since the token would go to the new address.
    if (300..400).contains(&answer.status) {
        return Err(unreadable("the repository has moved; change `github.repository`".to_owned()));
    }
    serde_json::from_slice(&answer.body).map_err(|error| unreadable(error.to_string()))
}

/// Parses a pull request, or returns the error of an answer that is none.
pub(super) fn as_pull_request(doing: &str, value: &Value) -> Result<PullRequest, ForgeError> {
    let unreadable = || ForgeError::new(doing, ForgeFault::Unreadable, "it is no pull request");
    request::parse_pull_request(value).ok_or_else(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_change_the_path_it_becomes_part_of() {
        assert!(["a", "a-b_c.d", "...", "A1"].iter().all(|name| is_name_part(name)));
        assert!(["", ".", "..", "a/b", "a?b", "a%2f", "я"].iter().all(|name| !is_name_part(name)));
    }
}
