//! GitHub's calls after a pull request is known: checks, comments, reviews, issues and commits by the API.

use serde_json::{Value, json};

use super::client::{GitHub, as_pull_request};
use super::{request, text};
use crate::error::{ForgeError, ForgeFault};
use crate::field::{address_at, escape};
use crate::lifecycle::{
    BranchState, CommitCheck, ForgeCommit, Lifecycle, Posted, PullClosing, PullFile, PullRequest,
    ReviewSpec, StickyText,
};
use crate::transport::Repeat;

/// Pages of comments or issues searched for our own text, 100 on each.
const MAX_SEARCHED: usize = 20;

impl Lifecycle for GitHub<'_> {
    fn commit_checks(&self, commit: &str) -> Result<Vec<CommitCheck>, ForgeError> {
        let doing = format!("read the checks of commit {commit}");
        let commit = text::path_part(commit);
        let path = format!("/commits/{commit}/check-runs?filter=latest&per_page=100");
        let runs = self.list_items(&doing, &path, Some("check_runs"))?;
        let path = format!("/commits/{commit}/status?per_page=100");
        let statuses = self.list_items(&doing, &path, Some("statuses"))?;
        // A workflow that waits for approval has no check run, so the runs of workflows are read too.
        let path = format!("/actions/runs?head_sha={commit}&per_page=100");
        let workflows = match self.list_items(&doing, &path, Some("workflow_runs")) {
            // The token may lack `actions: read`, and an older server has no Actions.
            Err(error) if matches!(error.fault, ForgeFault::NotFound | ForgeFault::Forbidden) => {
                Vec::new()
            }
            found => found?,
        };
        let runs = runs.iter().filter_map(text::parse_check_run);
        let statuses = statuses.iter().filter_map(text::parse_status);
        let held = workflows.iter().filter_map(text::parse_waiting_workflow);
        Ok(runs.chain(statuses).chain(held).collect())
    }

    fn branch_state(&self, branch: &str) -> Result<Option<BranchState>, ForgeError> {
        let doing = format!("read the rules of the branch {branch}");
        let name = format!("refs/heads/{branch}");
        let branch = text::path_part(branch);
        let value = match self.get_json(&doing, &format!("/branches/{branch}")) {
            Err(error) if error.fault == ForgeFault::NotFound => return Ok(None),
            value => value?,
        };
        let rules = match self.list_items(&doing, &format!("/rules/branches/{branch}"), None) {
            // GitHub Enterprise before 3.11 has no rulesets, and some plans refuse them.
            Err(error) if matches!(error.fault, ForgeFault::NotFound | ForgeFault::Forbidden) => {
                Vec::new()
            }
            rules => rules?,
        };
        let mut state = text::parse_branch_state(&value, &rules);
        // Without protection there is nothing to ask for.
        if state.is_protected && !state.requires_signatures {
            state.requires_signatures = self.requires_signatures(&doing, &name)?;
        }
        Ok(Some(state))
    }

    fn pull_request(&self, number: u64) -> Result<PullRequest, ForgeError> {
        let doing = format!("read pull request {number}");
        as_pull_request(&doing, &self.get_json(&doing, &format!("/pulls/{number}"))?)
    }

    fn changed_files(&self, number: u64) -> Result<Vec<PullFile>, ForgeError> {
        let doing = format!("list the files of pull request {number}");
        let path = format!("/pulls/{number}/files?per_page=100");
        let files = self.list_items(&doing, &path, None)?;
        Ok(files.iter().filter_map(text::parse_changed_file).collect())
    }

    fn open_pull_requests(&self, prefix: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let doing = "list the open pull requests";
        let path = "/pulls?state=open&sort=created&direction=asc&per_page=100";
        let found = self.list_items(doing, path, None)?;
        let pulls = found.iter().filter_map(request::parse_pull_request);
        let is_own = |pull: &PullRequest| {
            pull.head.starts_with(prefix)
                && pull.head_repository.eq_ignore_ascii_case(self.repository_name())
        };
        Ok(pulls.filter(is_own).collect())
    }

    fn open_labelled(
        &self,
        label: &str,
        repository: Option<&str>,
    ) -> Result<Option<String>, ForgeError> {
        let (root, name) = (&self.root, repository.unwrap_or(self.repository_name()));
        // GitHub lists pull requests among the issues.
        let path =
            format!("{root}/repos/{name}/issues?labels={}&state=open&per_page=1", escape(label));
        let found = self.get_json(&format!("look for the label `{label}`"), &path)?;
        Ok(found.get(0).map(|item| address_at(item, "/html_url")))
    }

    fn update_branch(&self, pull: &PullRequest) -> Result<(), ForgeError> {
        let doing = format!("bring the branch of pull request {} up to date", pull.number);
        let path = format!("/pulls/{}/update-branch", pull.number);
        // A second request finds another head and is refused.
        let body = json!({ "expected_head_sha": pull.head_commit });
        self.api.put(&doing, &path, body).map(drop)
    }

    fn close(&self, number: u64, closing: &PullClosing) -> Result<(), ForgeError> {
        let doing = format!("close pull request {number}");
        let body = json!({ "body": request::cut_body(&closing.comment) });
        // The reason comes first: a pull request that is closed without one looks like an accident.
        self.api.post(&doing, &format!("/issues/{number}/comments"), body, Repeat::Unsafe)?;
        let body = json!({ "state": "closed", "body": request::cut_body(&closing.body) });
        self.api.patch(&doing, &format!("/pulls/{number}"), body).map(drop)
    }

    fn comment(&self, number: u64, sticky: StickyText<'_>) -> Result<Posted, ForgeError> {
        let doing = format!("comment on {number}");
        let place = TextPlace {
            query: text::OWN_COMMENTS,
            list: "/data/repository/issueOrPullRequest/comments",
            number: Some(number),
        };
        let body = json!({ "body": request::cut_body(sticky.body) });
        let known = self.find_own(&doing, &place, sticky.marker)?;
        let value = if let Some(known) = known {
            let path = format!("/issues/comments/{known}");
            self.api.patch(&doing, &path, body)?
        } else {
            let path = format!("/issues/{number}/comments");
            self.api.post(&doing, &path, body, Repeat::Unsafe)?
        };
        Ok(text::parse_posted(&value, known.is_some()))
    }

    fn suggest(&self, number: u64, review: &ReviewSpec) -> Result<String, ForgeError> {
        let doing = format!("suggest changes on {number}");
        let path = format!("/pulls/{number}/reviews");
        let value = self.api.post(&doing, &path, text::review_body(review), Repeat::Unsafe)?;
        Ok(text::parse_posted(&value, false).url)
    }

    fn commit_on_branch(&self, commit: &ForgeCommit) -> Result<String, ForgeError> {
        let doing = format!("commit on the branch {}", commit.branch);
        let variables = json!({ "input": text::commit_input(commit) });
        // A second call is refused, because the branch is no longer at the expected commit.
        let value = self.ask_graphql(&doing, text::COMMIT_ON_BRANCH, &variables)?;
        let oid = value.pointer("/data/createCommitOnBranch/commit/oid").and_then(Value::as_str);
        let missing = || ForgeError::new(&doing, ForgeFault::Unreadable, "it names no commit");
        oid.map(str::to_owned).ok_or_else(missing)
    }

    fn report_issue(&self, title: &str, sticky: StickyText<'_>) -> Result<Posted, ForgeError> {
        let doing = "open an issue";
        let place =
            TextPlace { query: text::OWN_ISSUES, list: "/data/repository/issues", number: None };
        let body = json!({ "title": title, "body": request::cut_body(sticky.body) });
        let known = self.find_own(doing, &place, sticky.marker)?;
        let value = match known {
            Some(known) => self.api.patch(doing, &format!("/issues/{known}"), body)?,
            None => self.api.post(doing, "/issues", body, Repeat::Unsafe)?,
        };
        Ok(text::parse_posted(&value, known.is_some()))
    }
}

/// A list that texts of our account are searched in.
struct TextPlace {
    /// The GraphQL query of a page.
    query: &'static str,
    /// The pointer to the list in its answer.
    list: &'static str,
    /// The issue or pull request, for comments.
    number: Option<u64>,
}

impl GitHub<'_> {
    /// Returns whether the classic protection of a branch, `refs/heads/NAME`, requires signed commits from this account. GraphQL
    /// shows this to everyone who can read the repository, REST to administrators only.
    fn requires_signatures(&self, doing: &str, branch: &str) -> Result<bool, ForgeError> {
        let (owner, name) = self.repository_name().split_once('/').unwrap_or_default();
        let variables = json!({ "owner": owner, "name": name, "branch": branch });
        match self.ask_graphql(doing, text::UPDATE_RULE, &variables) {
            // The token may not read it, or the server is too old to have the field.
            Err(error)
                if matches!(
                    error.fault,
                    ForgeFault::NotFound
                        | ForgeFault::Forbidden
                        | ForgeFault::NoToken
                        | ForgeFault::Invalid
                ) =>
            {
                Ok(false)
            }
            answer => {
                let place = "/data/repository/ref/refUpdateRule/requiresSignatures";
                Ok(answer?.pointer(place).and_then(Value::as_bool).unwrap_or_default())
            }
        }
    }

    /// Returns the number of the newest text that begins with `marker` and that our own account wrote.
    ///
    /// Strangers can write our marker; only `viewerDidAuthor` shows the author of a text, and unlike REST's `/user` it works
    /// for the tokens of jobs and apps.
    fn find_own(
        &self,
        doing: &str,
        place: &TextPlace,
        marker: &str,
    ) -> Result<Option<u64>, ForgeError> {
        let mut before = Value::Null;
        let (owner, name) = self.repository_name().split_once('/').unwrap_or_default();
        for _ in 0..MAX_SEARCHED {
            let mut variables = json!({ "owner": owner, "name": name, "before": before });
            if let (Some(number), Some(fields)) = (place.number, variables.as_object_mut()) {
                fields.insert("number".to_owned(), json!(number));
            }
            let answer = self.ask_graphql(doing, place.query, &variables)?;
            let unreadable = || ForgeError::new(doing, ForgeFault::Unreadable, "it is no list");
            let list = answer.pointer(place.list).ok_or_else(unreadable)?;
            let nodes = list.get("nodes").and_then(Value::as_array).ok_or_else(unreadable)?;
            let own = nodes.iter().rev().find_map(|node| text::parse_own_text(node, marker));
            let has_more = list.pointer("/pageInfo/hasPreviousPage").and_then(Value::as_bool);
            if own.is_some() || has_more != Some(true) {
                return Ok(own);
            }
            before = list.pointer("/pageInfo/startCursor").cloned().unwrap_or_default();
        }
        // Another text would become a second one for ever, so a place with so many texts gets none.
        let message = format!("our text is not among the newest {}", MAX_SEARCHED * 100);
        Err(ForgeError::new(doing, ForgeFault::Invalid, message))
    }
}
