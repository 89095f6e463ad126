//! The place of the checked out commit in the git folder, read without a process.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::oid::Oid;
use papayu_base::domain::RepoPath;
use papayu_system::Disk;

/// Longest file of git that is read, in bytes.
/// The file `packed-refs` has a line for each reference.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The folders of a repository that have `HEAD` and the references.
/// Found while git can still be trusted, and read afterwards without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadPlace {
    /// The folder of the working tree's own state.
    own: PathBuf,
    /// The folder that all working trees of the repository share.
    common: PathBuf,
    commit: Option<Oid>,
}

impl HeadPlace {
    /// Takes the lines of `git rev-parse` for the two folders, which are equal without worktrees, and for the commit.
    pub(super) fn of_lines<'l>(mut lines: impl Iterator<Item = &'l str>) -> Option<Self> {
        let (own, common) = (PathBuf::from(lines.next()?), PathBuf::from(lines.next()?));
        Some(Self { own, common, commit: lines.next().and_then(Oid::parse) })
    }

    /// Returns the commit that was checked out when the repository was found; `None` if there was none.
    pub fn commit(&self) -> Option<&Oid> {
        self.commit.as_ref()
    }

    /// Returns the reference of the branch that is checked out, with `refs/heads/`; `None` for a detached `HEAD`.
    pub(super) fn read_branch(&self, disk: &dyn Disk) -> Option<String> {
        let head = read_text(disk, &self.own.join("HEAD"))?;
        head.trim().strip_prefix("ref: ").map(str::to_owned)
    }

    /// Returns the commit that `HEAD` names and the branch it is on, in a form that is only compared; `None` without the
    /// repository. No program runs, because the repository's code may have replaced it by now.
    pub fn read_head(&self, disk: &dyn Disk) -> Option<String> {
        let head = read_text(disk, &self.own.join("HEAD"))?;
        // A detached `HEAD` is the object's name itself.
        let Some(name) = head.trim().strip_prefix("ref: ") else { return Some(head) };
        let is_name = |path: &RepoPath| path.as_str().starts_with("refs/");
        // A name that leaves the folder, `../../x`, must not be read.
        let loose = RepoPath::parse(name).ok().filter(is_name).and_then(|path| {
            let read = |folder: &Path| read_text(disk, &folder.join(path.as_str()));
            // A worktree has a few references of its own, such as those of a bisection.
            read(&self.common).or_else(|| read(&self.own))
        });
        let value = loose.or_else(|| {
            // References that git has packed have no file of their own.
            let packed = read_text(disk, &self.common.join("packed-refs"))?;
            let is_here = |line: &&str| line.split_once(' ').is_some_and(|(_, it)| it == name);
            packed.lines().find(is_here)?.split(' ').next().map(str::to_owned)
        });
        // The list of tables changes with each reference in a repository that keeps them in tables.
        let value = value.or_else(|| read_text(disk, &self.own.join("reftable/tables.list")));
        Some(format!("{} {}", value.unwrap_or_default().trim(), name))
    }
}

/// Returns the text of a regular file.
fn read_text(disk: &dyn Disk, path: &Path) -> Option<String> {
    // Opening a pipe would wait for its writer.
    if !disk.is_file(path) {
        return None;
    }
    let mut bytes = Vec::new();
    disk.open(path).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
