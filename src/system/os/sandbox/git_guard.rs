//! Puts back what makes git run programs or show other objects, after a command changed it.
//!
//! A command may write in the work tree, so no rule keeps it from writing in `.git`: rules only add rights. The files
//! are therefore read before the command and compared when none of its processes is left.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::domain::RepoPath;
use crate::system::os::OsTree;
use crate::system::{Entry, Tree as _};

/// Files and folders of a git folder.
const GUARDED: [&str; 6] =
    ["config", "config.worktree", "hooks", "info", "objects/info", "refs/replace"];
/// Longest file that is kept, in bytes.
const MAX_FILE: u64 = 4 << 20;

/// A file's bytes and permissions; `None` for an object that is no file.
type Content = Option<(Vec<u8>, u32)>;

/// The guarded files of a repository, as they were.
pub(in crate::system::os) struct GitGuard {
    folder: PathBuf,
    /// Opened before the command, so that it is the same folder afterwards.
    tree: OsTree,
    identity: (u64, u64),
    before: BTreeMap<RepoPath, Content>,
}

impl GitGuard {
    /// Reads the files; `None` where the folder has no git folder of its own.
    pub(in crate::system::os) fn read(top: &Path) -> io::Result<Option<Self>> {
        let folder = top.join(".git");
        let Some(identity) = identity(&folder) else { return Ok(None) };
        let tree = OsTree::open(&folder)?;
        let before = read_guarded(&tree)?;
        Ok(Some(Self { folder, tree, identity, before }))
    }

    /// Restores changed files and removes new ones.
    ///
    /// # Errors
    ///
    /// One that names the folder or file which cannot be restored.
    pub(in crate::system::os) fn restore(&self) -> io::Result<()> {
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            let folder = self.folder.display();
            io::Error::other(format!("the command changed `{folder}{what}`: {error}"))
        };
        if identity(&self.folder) != Some(self.identity) {
            return Err(failed("", &"it is another folder now"));
        }
        let now = read_guarded(&self.tree).map_err(|error| failed("", &error))?;
        let is_changed = |path: &RepoPath| now.get(path) != self.before.get(path);
        for path in now.keys().filter(|path| is_changed(path)) {
            self.tree.remove_file(path).map_err(|error| failed(&format!("/{path}"), &error))?;
        }
        for (path, content) in self.before.iter().filter(|(path, _)| is_changed(path)) {
            let Some((bytes, mode)) = content else { continue };
            self.make_folders(path)
                .and_then(|()| self.tree.create(path, bytes, *mode))
                .map_err(|error| failed(&format!("/{path}"), &error))?;
        }
        Ok(())
    }

    fn make_folders(&self, path: &RepoPath) -> io::Result<()> {
        let Some(parent) = path.parent() else { return Ok(()) };
        self.make_folders(&parent)?;
        match self.tree.entry(&parent)? {
            Entry::Dir => Ok(()),
            Entry::Missing => self.tree.create_dir(&parent),
            _ => self.tree.remove_file(&parent).and_then(|()| self.tree.create_dir(&parent)),
        }
    }
}

/// Returns the numbers of a folder that is no link.
fn identity(folder: &Path) -> Option<(u64, u64)> {
    let found = std::fs::symlink_metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
    Some((found.dev(), found.ino()))
}

fn read_guarded(tree: &OsTree) -> io::Result<BTreeMap<RepoPath, Content>> {
    let mut found = BTreeMap::new();
    let mut open: Vec<RepoPath> =
        GUARDED.iter().filter_map(|name| RepoPath::parse(name).ok()).collect();
    while let Some(path) = open.pop() {
        match tree.entry(&path) {
            Ok(Entry::Dir) => {
                let names = tree.list(Some(&path))?;
                open.extend(
                    names.iter().filter_map(|name| RepoPath::parse(&format!("{path}/{name}")).ok()),
                );
            }
            Ok(Entry::File { mode, .. }) => {
                let bytes = tree.read(&path, MAX_FILE)?;
                found.insert(path, Some((bytes, mode)));
            }
            Ok(Entry::Missing) => {}
            // A file or link in the place of a folder above is found there.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
            Ok(_) => drop(found.insert(path, None)),
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test changes files itself")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn hooks_configuration_and_replacements_are_restored_behind_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let (top, git) = (folder.path(), folder.path().join(".git"));
        fs::create_dir_all(git.join("hooks")).unwrap();
        fs::create_dir_all(top.join("outside")).unwrap();
        fs::write(git.join("config"), "[core]\n").unwrap();
        fs::write(git.join("hooks/pre-push"), "mine").unwrap();
        let guard = GitGuard::read(top).unwrap().unwrap();
        fs::remove_dir_all(git.join("hooks")).unwrap();
        symlink(top.join("outside"), git.join("hooks")).unwrap();
        fs::create_dir_all(git.join("refs/replace")).unwrap();
        fs::write(git.join("refs/replace/0123"), "4567").unwrap();
        fs::write(git.join("config"), "[filter \"x\"]\nclean = evil\n").unwrap();
        fs::create_dir_all(git.join("info")).unwrap();
        fs::write(git.join("info/attributes"), "* filter=x").unwrap();
        guard.restore().unwrap();
        assert_eq!(fs::read_to_string(git.join("config")).unwrap(), "[core]\n");
        assert!(fs::symlink_metadata(git.join("hooks")).unwrap().is_dir());
        assert_eq!(fs::read_to_string(git.join("hooks/pre-push")).unwrap(), "mine");
        assert!(!git.join("info/attributes").exists() && !git.join("refs/replace/0123").exists());
        assert_eq!(fs::read_dir(top.join("outside")).unwrap().count(), 0);
        fs::rename(&git, top.join("moved")).unwrap();
        fs::create_dir(&git).unwrap();
        assert!(guard.restore().is_err());
    }
}
