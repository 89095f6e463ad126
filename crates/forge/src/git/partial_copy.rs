//! A temporary repository with the few objects of a remote that a question needs.

use super::error::{GitError, GitFault};
use super::oid::Oid;
use super::program::Git;
use super::remote::Remote;
use super::repository::parse_oid;
use super::trailer::Trailers;
use papayu_system::Scratch;

/// The newest commits of a branch that are searched for an older one.
const SEARCHED: u32 = 1_000;

/// A temporary repository: fetching one commit into the user's own would make a whole clone a shallow one.
pub struct PartialCopy<'a> {
    git: &'a Git<'a>,
    remote: &'a Remote,
    /// Its folder, which is removed with the value.
    _folder: Box<dyn Scratch>,
    /// The argument of git that names the folder.
    place: String,
    variables: Vec<(String, String)>,
}

/// A branch of a remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tip {
    /// Its commit.
    pub commit: Oid,
    /// The tree of that commit; equal trees mean equal contents.
    pub tree: Oid,
    /// That commit's trailers.
    pub trailers: Trailers,
}

/// The commits that [`PartialCopy::find_base_of`] compares.
#[derive(Clone, Copy, Debug)]
pub struct CarriedChange<'a> {
    /// The branch that may have the change.
    pub branch: &'a str,
    /// Its newest commit.
    pub tip: &'a Oid,
    /// The commit that made the change, with one parent.
    pub change: &'a Oid,
    /// The branch that the change is for.
    pub target: &'a str,
}

impl<'a> PartialCopy<'a> {
    /// Returns an empty repository for objects of a remote.
    ///
    /// # Errors
    ///
    /// Those of the disk and of git.
    pub fn create(git: &'a Git<'a>, remote: &'a Remote) -> Result<Self, GitError> {
        let doing = format!("read {}", remote.address());
        let fault =
            |error: std::io::Error| GitError::new(&doing, GitFault::Other, error.to_string());
        let folder = git.system.disk.scratch().map_err(fault)?;
        let place = format!("--git-dir={}", folder.path().display());
        // The user's template could contain hooks, therefore none.
        git.run_local(&doing, &[&place, "init", "--quiet", "--bare", "--template="], &[])?;
        let variables = remote.variables_elsewhere(git)?;
        Ok(Self { git, remote, _folder: folder, place, variables })
    }

    /// Fetches the newest `depth` commits of a branch or of a commit, without the objects that `filter` names.
    ///
    /// Fails with the error of `git fetch` after at most ten minutes: the remote has no `name`, or cannot be
    /// reached.
    pub(super) fn fetch(&self, name: &str, depth: u32, filter: &str) -> Result<(), GitError> {
        let doing = format!("read `{name}` at {}", self.remote.address());
        let depth = format!("--depth={depth}");
        let filter = format!("--filter={filter}");
        // Git takes no part of a repository from a bare path, and there is little to spare.
        let part: &[&str] = if self.remote.is_path() { &["--"] } else { &[&filter, "--"] };
        let fetch = [self.place.as_str(), "fetch", "--quiet", "--no-tags", &depth];
        let arguments = [&fetch[..], part, &[self.remote.address(), name]].concat();
        self.git.run_network(&doing, &arguments, &self.variables).map(drop)
    }

    /// Runs git on the objects that are here; those that a filter left out are fetched.
    ///
    /// Fails with the error of git, also of such a fetch, after at most ten minutes.
    pub(super) fn run(&self, doing: &str, arguments: &[&str]) -> Result<String, GitError> {
        let arguments = [&[self.place.as_str()], arguments].concat();
        self.git.run_network(doing, &arguments, &self.variables)
    }

    /// Returns the commit of the target branch that a branch is on, if the branch has the files of that commit with the
    /// change of one commit on top, and nothing else. A forge makes such a branch when it brings the branch of a pull
    /// request up to date, by a merge or a rebase. `None` for every other branch, and for a git before 2.38.
    ///
    /// # Errors
    ///
    /// Those of the fetches.
    pub fn find_base_of(&self, carried: CarriedChange<'_>) -> Result<Option<Oid>, GitError> {
        let CarriedChange { branch, tip, change, target } = carried;
        let doing = format!("compare `{branch}` with commit {change}");
        // It was deleted, or a person pushed to it since.
        if self.remote.commit_of(self.git, branch)?.as_ref() != Some(tip) {
            return Ok(None);
        }
        self.fetch(&format!("refs/heads/{branch}"), 2, "blob:none")?;
        self.fetch(change.as_str(), 2, "blob:none")?;
        let (Some(parents), Some(before)) = (self.parents_of(tip), self.parents_of(change)) else {
            return Ok(None);
        };
        let (Some(base), [before]) = (parents.last(), before.as_slice()) else { return Ok(None) };
        if parents.len() > 2 || !self.has_tree_of_both(&doing, [tip, base, change, before]) {
            return Ok(None);
        }
        Ok(self.is_on_branch(base, target)?.then(|| base.clone()))
    }

    /// Returns the parents of a commit; `None` if it is not here.
    fn parents_of(&self, commit: &Oid) -> Option<Vec<Oid>> {
        let show = ["log", "-1", "--format=%P", commit.as_str()];
        let output = self.run("read a commit", &show).ok()?;
        output.split_whitespace().map(Oid::parse).collect()
    }

    /// Returns true if the tree of the first commit is that of the second one with the difference between the fourth and the
    /// third one.
    fn has_tree_of_both(&self, doing: &str, commits: [&Oid; 4]) -> bool {
        let [tip, base, change, before] = commits;
        let merged = self.merge_trees(doing, [base, change, before]);
        let name = format!("{tip}^{{tree}}");
        let own = self.run(doing, &["rev-parse", "--verify", &name]);
        let own = own.and_then(|output| parse_oid(doing, &output));
        // A conflict is an error: the two were merged by a person then.
        matches!((merged, own), (Ok(merged), Ok(own)) if merged == own)
    }

    /// Returns the tree of the first commit with the difference between the third and the second one.
    fn merge_trees(&self, doing: &str, commits: [&Oid; 3]) -> Result<Oid, GitError> {
        let [base, change, before] = commits;
        // Both sides need a common parent, which the depth of the fetch cuts off.
        let tree = format!("{base}^{{tree}}");
        let words = [self.place.as_str(), "commit-tree", &tree, "-p", before.as_str()];
        let words = [&words[..], &["-m", "base"]].concat();
        let side = self.git.run_local(doing, &words, &self.git.identity_variables())?;
        let words = ["merge-tree", "--write-tree", side.trim(), change.as_str()];
        parse_oid(doing, &self.run(doing, &words)?)
    }

    /// Returns true if a commit is among the newest ones of a branch of the remote.
    fn is_on_branch(&self, commit: &Oid, branch: &str) -> Result<bool, GitError> {
        let Some(tip) = self.remote.commit_of(self.git, branch)? else { return Ok(false) };
        if tip == *commit {
            return Ok(true);
        }
        self.fetch(&format!("refs/heads/{branch}"), SEARCHED, "tree:0")?;
        let words = ["merge-base", "--is-ancestor", commit.as_str(), tip.as_str()];
        Ok(self.run("search a branch for a commit", &words).is_ok())
    }
}

impl Remote {
    /// Returns the commit that a branch of the remote names, with its trailers; `None` where there is no such
    /// branch. The commit is fetched into a temporary repository.
    ///
    /// # Errors
    ///
    /// The error of git if the remote cannot be reached or refuses the credentials, or of the disk for the
    /// temporary repository.
    pub fn branch_tip(&self, git: &Git<'_>, branch: &str) -> Result<Option<Tip>, GitError> {
        let Some(commit) = self.commit_of(git, branch)? else { return Ok(None) };
        let doing = format!("read `{branch}` at {}", self.address());
        let copy = PartialCopy::create(git, self)?;
        copy.fetch(&format!("refs/heads/{branch}"), 1, "tree:0")?;
        let output = copy.run(&doing, &["log", "-1", "--format=%T%n%B", commit.as_str()])?;
        let (tree, message) = output.split_once('\n').unwrap_or((&output, ""));
        let tree = parse_oid(&doing, tree)?;
        Ok(Some(Tip { commit, tree, trailers: Trailers::parse(message) }))
    }
}
