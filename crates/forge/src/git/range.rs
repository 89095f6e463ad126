//! Queries of what changed between two commits, and of the history between them.

use super::error::GitError;
use super::oid::Oid;
use super::program::Git;
use super::remote::Remote;

/// Options of a diff that has changed lines only and runs no program of the configuration.
const OPTIONS: [&str; 8] = [
    "--no-color", "--no-ext-diff", "--no-textconv", "--unified=0", "--find-renames",
    "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short",
];

/// Depths by which a shallow clone is deepened, one after the other; the whole history is never fetched.
const DEPTHS: [u32; 3] = [20, 100, 500];

/// A commit of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeCommit {
    /// Its id.
    pub commit: Oid,
    /// The first line of its message.
    pub subject: String,
    /// The rest of its message.
    pub body: String,
    /// The time at which it was made, in seconds since 1970.
    pub time: i64,
    /// Its changes in the folder of the run, as a diff of git without context lines; a merge has those that it brings to its
    /// first parent.
    pub diff: String,
}

impl Git<'_> {
    /// Returns the commit that a name means here, the first name that there is; `None` if there is none.
    pub fn resolve(&self, names: &[&str]) -> Option<Oid> {
        names.iter().find_map(|name| {
            let name = format!("{name}^{{commit}}");
            let words = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name];
            Oid::parse(self.run_local("", &words, &[]).ok()?.trim())
        })
    }

    /// Returns the newest commit that both histories have; `None` if the clone does not show one.
    pub fn merge_base(&self, one: &Oid, other: &Oid) -> Option<Oid> {
        let words = ["merge-base", one.as_str(), other.as_str()];
        Oid::parse(self.run_local("", &words, &[]).ok()?.lines().next()?)
    }

    /// Returns the newest commit that the history of `head` has in common with the remote branch that the checked out one is
    /// pushed to, or else that it follows; `None` if there is no such branch here.
    pub fn pushed_base(&self, head: &Oid) -> Option<Oid> {
        let branch = self.place().head()?.read_branch(self.system.disk)?;
        let words = ["for-each-ref", "--count=1", "--format=%(push)%0a%(upstream)", "--", &branch];
        let names = self.run_local("", &words, &[]).ok()?;
        let commit =
            self.resolve(&names.lines().filter(|name| !name.is_empty()).collect::<Vec<_>>());
        self.merge_base(head, &commit?)
    }

    /// Returns what the files of the folder of the run differ in from a commit, without context lines, as a diff of git.
    ///
    /// # Errors
    ///
    /// The error of git if it cannot compare.
    pub fn diff_since(&self, commit: &Oid) -> Result<String, GitError> {
        let relative = format!("--relative={}", self.prefix());
        let of_diff = ["-c", "core.quotePath=false", "diff"];
        let words = [&of_diff[..], &OPTIONS, &[&relative, commit.as_str(), "--"]].concat();
        self.run_in_tree("compare with the green commit", &words)
    }

    /// Returns the commits of `to` that `from` does not have, newest first, along the first parents; at most `limit`.
    ///
    /// # Errors
    ///
    /// The error of git if a commit is not in the repository.
    pub fn list_range(
        &self,
        from: &Oid,
        to: &Oid,
        limit: usize,
    ) -> Result<Vec<RangeCommit>, GitError> {
        let (range, limit) = (format!("{from}..{to}"), format!("--max-count={limit}"));
        let relative = format!("--relative={}", self.prefix());
        let of_log = [
            "-c",
            "core.quotePath=false",
            "log",
            "--first-parent",
            "--diff-merges=first-parent",
            "--patch",
            "--format=%x01%H%n%ct%n%s%n%w(0,1,1)%b",
        ];
        let words = [&of_log[..], &OPTIONS, &[&limit, &relative, &range, "--"]].concat();
        let text = self.run_local("list the commits since the green one", &words, &[])?;
        // No line of a diff or of the indented message begins with the mark.
        let text = format!("\n{text}");
        Ok(text.split("\n\u{1}").filter_map(read_entry).collect())
    }
}

/// Reads a commit of the log: its id, time and subject, the message with a space before each line, and its diff.
fn read_entry(entry: &str) -> Option<RangeCommit> {
    let mut parts = entry.splitn(4, '\n');
    let (commit, time, subject) = (parts.next()?, parts.next()?, parts.next()?);
    let rest = parts.next().unwrap_or_default();
    let is_message = |line: &&str| line.starts_with(' ') || line.trim_end().is_empty();
    let body: String = rest.split_inclusive('\n').take_while(is_message).collect();
    // The mark took the line end with it.
    let diff = format!("{}\n", rest.get(body.len()..).unwrap_or_default());
    let (commit, time) = (Oid::parse(commit)?, time.parse().ok()?);
    Some(RangeCommit { commit, subject: subject.to_owned(), body, time, diff })
}

impl Remote {
    /// Returns the commit that a branch, a tag or an id names at the remote. `None` where it has none of that name.
    ///
    /// # Errors
    ///
    /// The error of `git ls-remote`: the remote cannot be reached or refuses the credentials.
    pub fn find_commit(&self, git: &Git<'_>, name: &str) -> Result<Option<Oid>, GitError> {
        if let Some(commit) = Oid::parse(name) {
            return Ok(Some(commit));
        }
        let doing = format!("look for `{name}` at {}", self.address());
        let names = [format!("refs/heads/{name}"), format!("refs/tags/{name}")];
        let peeled = format!("refs/tags/{name}^{{}}");
        let words = ["ls-remote", "--", self.address(), &names[0], &names[1], &peeled];
        let output = git.run_network(&doing, &words, &self.credential_variables(git))?;
        let find = |wanted: &str| {
            let mut rows = output.lines().filter_map(|line| line.split_once('\t'));
            rows.find(|(_, found)| *found == wanted).and_then(|(id, _)| Oid::parse(id))
        };
        // An annotated tag has an object of its own; its commit is the peeled one.
        Ok(find(&names[0]).or_else(|| find(&peeled)).or_else(|| find(&names[1])))
    }

    /// Fetches as much history as shows where `head` left `other`, and returns that commit. `None` if the clone is deep
    /// enough and shows none, or the remote does not give enough.
    ///
    /// # Errors
    ///
    /// The error of `git fetch`.
    pub fn connect(&self, git: &Git<'_>, head: &Oid, other: &Oid) -> Result<Option<Oid>, GitError> {
        let doing = format!("fetch earlier commits from {}", self.address());
        for depth in DEPTHS {
            if let Some(found) = git.merge_base(head, other) {
                return Ok(Some(found));
            }
            if git.has_commit(other) && !git.is_shallow()? {
                return Ok(None);
            }
            let deepen = format!("--deepen={depth}");
            let always = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", &deepen, "--"];
            let words = [&always[..], &[self.address(), head.as_str(), other.as_str()]].concat();
            git.run_network(&doing, &words, &self.credential_variables(git))?;
        }
        Ok(git.merge_base(head, other))
    }
}
