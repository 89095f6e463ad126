//! Gitea's calls after a pull request is known: checks, comments and issues.

use serde_json::{Value, json};

use super::client::Gitea;
use super::values;
use crate::diff::split_diff;
use crate::error::{ForgeError, ForgeFault};
use crate::field::{address_at, escape, expect_value, number_at, text_at};
use crate::transport::Repeat;
use crate::{
    BranchState, CommitCheck, ForgeCommit, Lifecycle, Posted, PullClosing, PullFile, PullRequest,
    StickyText,
};

impl Lifecycle for Gitea<'_> {
    fn commit_checks(&self, commit: &str) -> Result<Vec<CommitCheck>, ForgeError> {
        let path = format!("/commits/{}/status", escape(commit));
        let value = self.api.get(&format!("read the checks of commit {commit}"), &path)?;
        // A commit without any has `null` here.
        let all = value.get("statuses").and_then(Value::as_array).into_iter().flatten();
        Ok(all.filter_map(values::parse_check).collect())
    }

    fn waits_for_every_check(&self) -> bool {
        true
    }

    fn branch_state(&self, branch: &str) -> Result<Option<BranchState>, ForgeError> {
        let doing = format!("read the branch {branch}");
        let value = match self.api.get(&doing, &format!("/branches/{}", escape(branch))) {
            Err(error) if error.fault == ForgeFault::NotFound => return Ok(None),
            value => value?,
        };
        let rule = text_at(&value, "/effective_branch_protection_name");
        let rules = if rule.is_empty() {
            Value::Null
        } else {
            match self.api.get(&doing, &format!("/branch_protections/{}", escape(&rule))) {
                // Only administrators of the repository may read the rest of the rules.
                Err(error)
                    if matches!(error.fault, ForgeFault::NotFound | ForgeFault::Forbidden) =>
                {
                    Value::Null
                }
                rules => rules?,
            }
        };
        Ok(Some(values::parse_branch(&value, &rules)))
    }

    fn pull_request(&self, number: u64) -> Result<PullRequest, ForgeError> {
        let doing = format!("read pull request {number}");
        let value = self.api.get(&doing, &format!("/pulls/{number}"))?;
        expect_value(&doing, values::parse_pull_request(&value))
    }

    fn changed_files(&self, number: u64) -> Result<Vec<PullFile>, ForgeError> {
        let doing = format!("list the files of pull request {number}");
        // The list of files has no hunks.
        let diff = self.api.get_text(&doing, &format!("/pulls/{number}.diff"))?;
        Ok(split_diff(&format!("\n{diff}")))
    }

    fn open_pull_requests(&self, prefix: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let path = "/pulls?state=open&sort=oldest&limit=50";
        let found = self.api.list("list the open pull requests", path)?;
        let is_own = |pull: &PullRequest| {
            pull.head.starts_with(prefix)
                && pull.head_repository.eq_ignore_ascii_case(&self.repository)
        };
        Ok(found.iter().filter_map(values::parse_pull_request).filter(is_own).collect())
    }

    fn open_labelled(
        &self,
        label: &str,
        repository: Option<&str>,
    ) -> Result<Option<String>, ForgeError> {
        let (root, name) = (&self.root, repository.unwrap_or(&self.repository));
        // Gitea lists pull requests among the issues, and all of them where the repository has no such label.
        let query = format!("labels={}&state=open&limit=50", escape(label));
        let path = format!("{root}/repos/{name}/issues?{query}");
        let found = self.api.get(&format!("look for the label `{label}`"), &path)?;
        let has_label = |item: &&Value| {
            let labels = item.get("labels").and_then(Value::as_array).into_iter().flatten();
            labels.into_iter().any(|known| text_at(known, "/name") == label)
        };
        let item = found.as_array().into_iter().flatten().find(has_label);
        Ok(item.map(|item| address_at(item, "/html_url")))
    }

    fn update_branch(&self, pull: &PullRequest) -> Result<(), ForgeError> {
        let doing = format!("bring the branch of pull request {} up to date", pull.number);
        // A second request finds nothing to merge.
        let path = format!("/pulls/{}/update?style=merge", pull.number);
        self.api.post(&doing, &path, Value::Null, Repeat::Safe).map(drop)
    }

    fn close(&self, number: u64, closing: &PullClosing) -> Result<(), ForgeError> {
        let doing = format!("close pull request {number}");
        let path = format!("/issues/{number}/comments");
        // The reason comes first: a pull request that is closed without one looks like an accident.
        self.api.post(&doing, &path, json!({ "body": closing.comment }), Repeat::Unsafe)?;
        let body = json!({ "state": "closed", "body": closing.body });
        self.change(&doing, number, body).map(drop)
    }

    fn comment(&self, number: u64, sticky: StickyText<'_>) -> Result<Posted, ForgeError> {
        let doing = format!("comment on {number}");
        let own = self.own_account(&doing)?;
        let place = format!("/issues/{number}/comments");
        let comments = self.api.list(&doing, &place)?;
        let is_ours = |comment: &&Value| {
            comment.pointer("/user/id") == own.get("id")
                && text_at(comment, "/body").starts_with(sticky.marker)
        };
        let known = comments.iter().rev().find(is_ours).and_then(|it| number_at(it, "/id"));
        let body = json!({ "body": sticky.body });
        let value = match known {
            Some(id) => self.api.patch(&doing, &format!("/issues/comments/{id}"), body)?,
            None => self.api.post(&doing, &place, body, Repeat::Unsafe)?,
        };
        Ok(Posted { url: address_at(&value, "/html_url"), is_update: known.is_some() })
    }

    fn lacks_suggestions(&self) -> Option<&'static str> {
        Some("Gitea has no suggestions that a person can accept")
    }

    fn commit_on_branch(&self, commit: &ForgeCommit) -> Result<String, ForgeError> {
        let doing = format!("commit on the branch {}", commit.branch);
        // Its call cannot name the commit that the branch must be at, so that a push of others could be lost.
        Err(self.api.unsupported(&doing, "push with git, and sign with a key of git"))
    }

    fn report_issue(&self, title: &str, sticky: StickyText<'_>) -> Result<Posted, ForgeError> {
        let doing = "open an issue";
        let own = text_at(&self.own_account(doing)?, "/login");
        let path = format!("/issues?type=issues&state=open&created_by={}&limit=50", escape(&own));
        let issues = self.api.list(doing, &path)?;
        let is_ours = |it: &&Value| {
            text_at(it, "/user/login") == own && text_at(it, "/body").starts_with(sticky.marker)
        };
        let known = issues.iter().find(is_ours).and_then(|it| number_at(it, "/number"));
        let body = json!({ "title": title, "body": sticky.body });
        let value = match known {
            Some(number) => self.api.patch(doing, &format!("/issues/{number}"), body)?,
            None => self.api.post(doing, "/issues", body, Repeat::Unsafe)?,
        };
        Ok(Posted { url: address_at(&value, "/html_url"), is_update: known.is_some() })
    }
}

impl Gitea<'_> {
    /// Returns the account that the token belongs to.
    fn own_account(&self, doing: &str) -> Result<Value, ForgeError> {
        let user = self.api.get(doing, &format!("{}/user", self.root))?;
        expect_value(doing, user.get("id").is_some().then_some(user.clone()))
    }
}
