//! Azure DevOps' calls after a pull request is known: statuses, comments and suggestions.

use serde_json::{Value, json};

use super::client::{Azure, VERSION};
use super::values;
use crate::error::{ForgeError, ForgeFault};
use crate::field::{escape, expect_value, number_at, text_at};
use crate::{
    BranchState, CommitCheck, ForgeCommit, Lifecycle, Posted, PullClosing, PullFile, PullRequest,
    ReviewSpec, StickyText,
};
use papayu_system::Method;

impl Lifecycle for Azure<'_> {
    fn commit_checks(&self, commit: &str) -> Result<Vec<CommitCheck>, ForgeError> {
        let path = format!("/commits/{}/statuses?latestOnly=true&{VERSION}", escape(commit));
        let value = self.api.get(&format!("read the checks of commit {commit}"), &path)?;
        let list = value.get("value").and_then(Value::as_array).into_iter().flatten();
        Ok(list.filter_map(values::parse_check).collect())
    }

    fn branch_state(&self, branch: &str) -> Result<Option<BranchState>, ForgeError> {
        let doing = format!("read the branch {branch}");
        // The filter selects every name that begins so.
        let path = format!("/refs?filter={}&{VERSION}", escape(&format!("heads/{branch}")));
        let value = self.api.get(&doing, &path)?;
        let mut list = value.get("value").and_then(Value::as_array).into_iter().flatten();
        let name = format!("{}{branch}", values::HEADS);
        let found = list.find(|it| text_at(it, "/name") == name);
        let commit = found.map(|it| text_at(it, "/objectId"));
        Ok(commit.map(|commit| BranchState { commit, ..BranchState::default() }))
    }

    fn pull_request(&self, number: u64) -> Result<PullRequest, ForgeError> {
        self.read(&format!("read pull request {number}"), number)
    }

    fn changed_files(&self, number: u64) -> Result<Vec<PullFile>, ForgeError> {
        let doing = format!("list the files of pull request {number}");
        let place = format!("/pullRequests/{number}/iterations");
        let iterations = self.api.get(&doing, &format!("{place}?{VERSION}"))?;
        let list = iterations.get("value").and_then(Value::as_array).into_iter().flatten();
        let last = list.filter_map(|it| number_at(it, "/id")).max();
        let last = expect_value(&doing, last)?;
        let path = format!("{place}/{last}/changes?%24top=2000&{VERSION}");
        let value = self.api.get(&doing, &path)?;
        let entries = value.get("changeEntries").and_then(Value::as_array).into_iter().flatten();
        let paths = entries.map(|entry| text_at(entry, "/item/path"));
        // The API has no hunks.
        let file = |path: String| {
            let path = path.strip_prefix('/')?.to_owned();
            Some(PullFile { path, patch: None })
        };
        Ok(paths.filter_map(file).collect())
    }

    fn open_pull_requests(&self, prefix: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let doing = "list the open pull requests";
        let mut own = self.find(doing, "searchCriteria.status=active")?;
        own.retain(|pull| pull.head.starts_with(prefix) && pull.head_repository == self.repository);
        own.sort_by_key(|pull| pull.number);
        Ok(own)
    }

    fn update_branch(&self, pull: &PullRequest) -> Result<(), ForgeError> {
        let doing = format!("bring the branch of pull request {} up to date", pull.number);
        Err(self.api.unsupported(&doing, "merge its base with git"))
    }

    fn close(&self, number: u64, closing: &PullClosing) -> Result<(), ForgeError> {
        let doing = format!("abandon pull request {number}");
        let path = format!("/pullRequests/{number}/threads");
        // The reason comes first: a pull request that is abandoned without one looks like an accident.
        self.send(&doing, Method::Post, &path, values::thread_body(&closing.comment))?;
        self.change(&doing, number, values::closing_body(&closing.body)).map(drop)
    }

    fn comment(&self, number: u64, sticky: StickyText<'_>) -> Result<Posted, ForgeError> {
        let doing = format!("comment on pull request {number}");
        // The account of the token; this call has no version of its own.
        let account = self.api.get(&doing, &format!("{}/_apis/connectionData", self.root))?;
        let own = text_at(&account, "/authenticatedUser/id");
        let own = expect_value(&doing, Some(own).filter(|own| !own.is_empty()))?;
        let place = format!("/pullRequests/{number}/threads");
        let value = self.api.get(&doing, &format!("{place}?{VERSION}"))?;
        let threads = value.get("value").and_then(Value::as_array).into_iter().flatten();
        let known = threads.rev().find_map(|thread| {
            let first = thread.pointer("/comments/0")?;
            let is_ours = text_at(first, "/author/id") == own
                && text_at(first, "/content").starts_with(sticky.marker);
            let ids = (number_at(thread, "/id")?, number_at(first, "/id")?);
            is_ours.then_some(ids)
        });
        let thread = if let Some((thread, first)) = known {
            let path = format!("{place}/{thread}/comments/{first}");
            self.send(&doing, Method::Patch, &path, json!({ "content": sticky.body }))?;
            thread
        } else {
            let text = values::thread_body(sticky.body);
            let made = self.send(&doing, Method::Post, &place, text)?;
            expect_value(&doing, number_at(&made, "/id"))?
        };
        let url = self.thread_url(number, thread);
        Ok(Posted { url, is_update: known.is_some() })
    }

    fn suggests_at_any_line(&self) -> bool {
        true
    }

    fn suggest(&self, number: u64, review: &ReviewSpec) -> Result<String, ForgeError> {
        let doing = format!("suggest changes on pull request {number}");
        if self.read(&doing, number)?.head_commit != review.commit {
            let message = "the pull request has moved on";
            return Err(ForgeError::new(&doing, ForgeFault::Invalid, message));
        }
        let place = format!("/pullRequests/{number}/threads");
        let text = values::thread_body(&review.body);
        let made = self.send(&doing, Method::Post, &place, text)?;
        for suggestion in &review.suggestions {
            let body = values::suggestion_body(suggestion);
            self.send(&doing, Method::Post, &place, body)?;
        }
        Ok(self.thread_url(number, number_at(&made, "/id").unwrap_or_default()))
    }

    fn commit_on_branch(&self, commit: &ForgeCommit) -> Result<String, ForgeError> {
        let doing = format!("commit on the branch {}", commit.branch);
        // It signs no commits, so that its call has no advantage over git.
        Err(self.api.unsupported(&doing, "push with git, and sign with a key of git"))
    }

    fn report_issue(&self, _title: &str, _text: StickyText<'_>) -> Result<Posted, ForgeError> {
        Err(self.api.unsupported("open an issue", "its work items have types of each project"))
    }
}

impl Azure<'_> {
    /// Returns the address of a thread's page.
    fn thread_url(&self, number: u64, thread: u64) -> String {
        format!("{}/pullrequest/{number}?discussionId={thread}", self.page)
    }
}
