//! GitLab's calls after a merge request is known: checks, comments, suggestions and issues.

use serde_json::{Value, json};

use super::client::GitLab;
use super::values;
use crate::diff::find_line;
use crate::error::{ForgeError, ForgeFault};
use crate::field::{address_at, escape, expect_value, number_at, text_at};
use crate::transport::Repeat;
use crate::{
    BranchState, CommitCheck, ForgeCommit, Lifecycle, Posted, PullClosing, PullFile, PullRequest,
    ReviewSpec, StickyText,
};

impl Lifecycle for GitLab<'_> {
    fn commit_checks(&self, commit: &str) -> Result<Vec<CommitCheck>, ForgeError> {
        let path = format!("/repository/commits/{}/statuses?per_page=100", escape(commit));
        let found = self.api.list(&format!("read the checks of commit {commit}"), &path)?;
        Ok(found.iter().filter_map(values::parse_check).collect())
    }

    fn waits_for_every_check(&self) -> bool {
        true
    }

    fn branch_state(&self, branch: &str) -> Result<Option<BranchState>, ForgeError> {
        let path = format!("/repository/branches/{}", escape(branch));
        match self.api.get(&format!("read the branch {branch}"), &path) {
            Err(error) if error.fault == ForgeFault::NotFound => Ok(None),
            value => Ok(Some(values::parse_branch(&value?))),
        }
    }

    fn pull_request(&self, number: u64) -> Result<PullRequest, ForgeError> {
        let doing = format!("read merge request {number}");
        let value = self.api.get(&doing, &format!("/merge_requests/{number}"))?;
        let pull = values::parse_pull_request(&value, &self.repository);
        let pull = expect_value(&doing, pull)?;
        let Some(fork) = number_at(&value, "/source_project_id") else { return Ok(pull) };
        if !pull.head_repository.is_empty() {
            return Ok(pull);
        }
        let fork = self.api.get(&doing, &format!("{}/projects/{fork}", self.root))?;
        let head_repository = text_at(&fork, "/path_with_namespace");
        Ok(PullRequest {
            head_repository,
            head_address: text_at(&fork, "/http_url_to_repo"),
            ..pull
        })
    }

    fn changed_files(&self, number: u64) -> Result<Vec<PullFile>, ForgeError> {
        let path = format!("/merge_requests/{number}/diffs?per_page=100");
        let found = self.api.list(&format!("list the files of merge request {number}"), &path)?;
        Ok(found.iter().filter_map(values::parse_changed_file).collect())
    }

    fn open_pull_requests(&self, prefix: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let path = "/merge_requests?state=opened&order_by=created_at&sort=asc&per_page=100";
        let found = self.api.list("list the open merge requests", path)?;
        let pulls = found.iter().filter_map(|it| values::parse_pull_request(it, &self.repository));
        let is_own =
            |pull: &PullRequest| pull.head.starts_with(prefix) && !pull.head_repository.is_empty();
        Ok(pulls.filter(is_own).collect())
    }

    fn open_labelled(
        &self,
        label: &str,
        repository: Option<&str>,
    ) -> Result<Option<String>, ForgeError> {
        let doing = format!("look for the label `{label}`");
        let project = escape(repository.unwrap_or(&self.repository));
        for kind in ["issues", "merge_requests"] {
            let query = format!("labels={}&state=opened&per_page=1", escape(label));
            let path = format!("{}/projects/{project}/{kind}?{query}", self.root);
            let found = self.api.get(&doing, &path)?;
            if let Some(item) = found.get(0) {
                return Ok(Some(address_at(item, "/web_url")));
            }
        }
        Ok(None)
    }

    fn update_branch(&self, pull: &PullRequest) -> Result<(), ForgeError> {
        let doing = format!("bring the branch of merge request {} up to date", pull.number);
        // A merge request that its base does not differ from is left as it is, so that asking twice does no harm.
        let path = format!("/merge_requests/{}/rebase", pull.number);
        self.api.put(&doing, &path, Value::Null).map(drop)
    }

    fn close(&self, number: u64, closing: &PullClosing) -> Result<(), ForgeError> {
        let doing = format!("close merge request {number}");
        let path = format!("/merge_requests/{number}/notes");
        // The reason comes first: a merge request that is closed without one looks like an accident.
        self.api.post(&doing, &path, json!({ "body": closing.comment }), Repeat::Unsafe)?;
        let body = json!({ "state_event": "close", "description": closing.body });
        self.change(&doing, number, body).map(drop)
    }

    fn comment(&self, number: u64, sticky: StickyText<'_>) -> Result<Posted, ForgeError> {
        let doing = format!("comment on merge request {number}");
        let own = self.own_account(&doing)?;
        let place = format!("/merge_requests/{number}/notes");
        let path = format!("{place}?order_by=created_at&sort=desc&per_page=100");
        let notes = self.api.list(&doing, &path)?;
        let is_ours = |note: &&Value| {
            number_at(note, "/author/id") == Some(own)
                && text_at(note, "/body").starts_with(sticky.marker)
        };
        let known = notes.iter().find(is_ours).and_then(|note| number_at(note, "/id"));
        let (body, is_update) = (json!({ "body": sticky.body }), known.is_some());
        let value = match known {
            Some(id) => self.api.put(&doing, &format!("{place}/{id}"), body)?,
            None => self.api.post(&doing, &place, body, Repeat::Unsafe)?,
        };
        let id = number_at(&value, "/id").unwrap_or_default();
        let url = self.page(&format!("merge_requests/{number}#note_{id}"));
        Ok(Posted { url, is_update })
    }

    fn suggest(&self, number: u64, review: &ReviewSpec) -> Result<String, ForgeError> {
        let doing = format!("suggest changes on merge request {number}");
        let pull = self.api.get(&doing, &format!("/merge_requests/{number}"))?;
        let refs = pull.get("diff_refs").unwrap_or(&Value::Null);
        if text_at(refs, "/head_sha") != review.commit {
            let message = "the merge request has moved on";
            return Err(ForgeError::new(&doing, ForgeFault::Invalid, message));
        }
        let files = self.changed_files(number)?;
        let mut bodies = Vec::new();
        for suggestion in &review.suggestions {
            let file = files.iter().find(|file| file.path == suggestion.path);
            let hunks = file.and_then(|file| file.patch.as_deref()).unwrap_or_default();
            let place = find_line(hunks, suggestion.end_line).ok_or_else(|| {
                let (path, line) = (&suggestion.path, suggestion.end_line);
                let message = format!("line {line} of `{path}` is not part of the changes");
                ForgeError::new(&doing, ForgeFault::Invalid, message)
            })?;
            bodies.push(values::discussion_body(suggestion, refs, place));
        }
        // Nothing is written before every place is known to be right.
        let path = format!("/merge_requests/{number}/notes");
        let note = self.api.post(&doing, &path, json!({ "body": review.body }), Repeat::Unsafe)?;
        for body in bodies {
            let path = format!("/merge_requests/{number}/discussions");
            self.api.post(&doing, &path, body, Repeat::Unsafe)?;
        }
        let id = number_at(&note, "/id").unwrap_or_default();
        Ok(self.page(&format!("merge_requests/{number}#note_{id}")))
    }

    fn commit_on_branch(&self, commit: &ForgeCommit) -> Result<String, ForgeError> {
        let doing = format!("commit on the branch {}", commit.branch);
        // Its call cannot name the commit that the branch must be at, so that a push of others could be lost.
        Err(self.api.unsupported(&doing, "push with git, and sign with a key of git"))
    }

    fn report_issue(&self, title: &str, sticky: StickyText<'_>) -> Result<Posted, ForgeError> {
        let doing = "open an issue";
        let path = "/issues?scope=created_by_me&state=opened&per_page=100";
        let issues = self.api.list(doing, path)?;
        let is_ours = |it: &&Value| text_at(it, "/description").starts_with(sticky.marker);
        let known = issues.iter().find(is_ours).and_then(|it| number_at(it, "/iid"));
        let body = json!({ "title": title, "description": sticky.body });
        let value = match known {
            Some(id) => self.api.put(doing, &format!("/issues/{id}"), body)?,
            None => self.api.post(doing, "/issues", body, Repeat::Unsafe)?,
        };
        Ok(Posted { url: address_at(&value, "/web_url"), is_update: known.is_some() })
    }
}
