//! Bitbucket's calls after a pull request is known: build statuses and comments.

use serde_json::{Value, json};

use super::client::Bitbucket;
use super::values;
use crate::diff::split_diff;
use crate::error::{ForgeError, ForgeFault};
use crate::field::{address_at, escape, expect_value, number_at, text_at};
use crate::transport::Repeat;
use crate::{
    BranchState, CommitCheck, ForgeCommit, Lifecycle, Posted, PullClosing, PullFile, PullRequest,
    StickyText,
};

impl Lifecycle for Bitbucket<'_> {
    fn commit_checks(&self, commit: &str) -> Result<Vec<CommitCheck>, ForgeError> {
        let path = format!("/commit/{}/statuses?pagelen=100", escape(commit));
        let found = self.api.list(&format!("read the checks of commit {commit}"), &path)?;
        Ok(found.iter().filter_map(values::parse_check).collect())
    }

    fn branch_state(&self, branch: &str) -> Result<Option<BranchState>, ForgeError> {
        let path = format!("/refs/branches/{}", escape(branch));
        let value = match self.api.get(&format!("read the branch {branch}"), &path) {
            Err(error) if error.fault == ForgeFault::NotFound => return Ok(None),
            value => value?,
        };
        // Only administrators may read its restrictions.
        let commit = text_at(&value, "/target/hash");
        Ok(Some(BranchState { commit, ..BranchState::default() }))
    }

    fn pull_request(&self, number: u64) -> Result<PullRequest, ForgeError> {
        let doing = format!("read pull request {number}");
        let value = self.api.get(&doing, &format!("/pullrequests/{number}"))?;
        expect_value(&doing, values::parse_pull_request(&value))
    }

    fn changed_files(&self, number: u64) -> Result<Vec<PullFile>, ForgeError> {
        let doing = format!("list the files of pull request {number}");
        let pull = self.pull_request(number)?;
        // The pull request's own diff is a redirect to this one.
        let spec = escape(&format!("{}..{}", pull.head_commit, pull.base_commit));
        let diff = self.api.get_text(&doing, &format!("/diff/{spec}"))?;
        Ok(split_diff(&format!("\n{diff}")))
    }

    fn open_pull_requests(&self, prefix: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let path = "/pullrequests?state=OPEN&sort=created_on&pagelen=50";
        let found = self.api.list("list the open pull requests", path)?;
        let is_own = |pull: &PullRequest| {
            pull.head.starts_with(prefix)
                && pull.head_repository.eq_ignore_ascii_case(&self.repository)
        };
        Ok(found.iter().filter_map(values::parse_pull_request).filter(is_own).collect())
    }

    fn update_branch(&self, pull: &PullRequest) -> Result<(), ForgeError> {
        let doing = format!("bring the branch of pull request {} up to date", pull.number);
        Err(self.api.unsupported(&doing, "merge its base with git"))
    }

    fn close(&self, number: u64, closing: &PullClosing) -> Result<(), ForgeError> {
        let doing = format!("decline pull request {number}");
        let path = format!("/pullrequests/{number}/comments");
        // The reason comes first: a pull request that is declined without one looks like an accident.
        self.api.post(&doing, &path, comment_body(&closing.comment), Repeat::Unsafe)?;
        // A declined one can no longer be changed.
        let place = format!("/pullrequests/{number}");
        let known = self.api.get(&doing, &place)?;
        self.api.put(&doing, &place, values::closing_body(&closing.body, &known))?;
        let path = format!("/pullrequests/{number}/decline");
        self.api.post(&doing, &path, Value::Null, Repeat::Unsafe).map(drop)
    }

    fn comment(&self, number: u64, sticky: StickyText<'_>) -> Result<Posted, ForgeError> {
        let doing = format!("comment on pull request {number}");
        let own = text_at(&self.api.get(&doing, &format!("{}/user", self.root))?, "/uuid");
        let own = expect_value(&doing, Some(own).filter(|own| !own.is_empty()))?;
        let place = format!("/pullrequests/{number}/comments");
        let comments = self.api.list(&doing, &format!("{place}?sort=-created_on&pagelen=100"))?;
        let is_ours = |comment: &&Value| {
            text_at(comment, "/user/uuid") == own
                && text_at(comment, "/content/raw").starts_with(sticky.marker)
        };
        let known = comments.iter().find(is_ours).and_then(|it| number_at(it, "/id"));
        let body = comment_body(sticky.body);
        let value = match known {
            Some(id) => self.api.put(&doing, &format!("{place}/{id}"), body)?,
            None => self.api.post(&doing, &place, body, Repeat::Unsafe)?,
        };
        Ok(Posted { url: address_at(&value, "/links/html/href"), is_update: known.is_some() })
    }

    fn lacks_suggestions(&self) -> Option<&'static str> {
        Some("Bitbucket has no suggestions that a person can accept")
    }

    fn commit_on_branch(&self, commit: &ForgeCommit) -> Result<String, ForgeError> {
        let doing = format!("commit on the branch {}", commit.branch);
        Err(self.api.unsupported(&doing, "push with git, and sign with a key of git"))
    }

    fn report_issue(&self, _title: &str, _text: StickyText<'_>) -> Result<Posted, ForgeError> {
        Err(self.api.unsupported("open an issue", "its repositories have no issues by default"))
    }
}

/// Returns the body of a comment.
fn comment_body(text: &str) -> Value {
    json!({ "type": "pullrequest_comment", "content": { "raw": text } })
}
