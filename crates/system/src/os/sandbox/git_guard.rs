//! Puts back what makes git run programs or show other objects, after a command changed it.
//!
//! A command may write in the work tree, so no rule keeps it from writing in `.git`: rules only add rights. The files
//! are therefore read before the command and compared when none of its processes is left.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::regular::{read_regular, read_short};
use crate::os::OsTree;
use crate::{Entry, Tree as _};
use papayu_base::domain::RepoPath;

/// Files and folders of a git folder.
const GUARDED: [&str; 7] =
    ["commondir", "config", "config.worktree", "hooks", "info", "objects/info", "refs/replace"];
/// Folders of contents that other programs keep in a git folder.
const FOREIGN: [&str; 2] = ["lfs", "annex"];
/// The file of refs that have none of their own.
const PACKED: &str = "packed-refs";
/// The part of its lines that replace an object.
const REPLACES: &str = " refs/replace/";
/// Longest such file that is searched, in bytes.
const MAX_PACKED: u64 = 256 << 20;
/// Longest file that is kept, in bytes.
const MAX_FILE: u64 = 4 << 20;

/// A file's bytes and permissions; `None` for an object that is no file.
type GuardedContent = Option<(Vec<u8>, u32)>;

/// The repository that a command runs in, as it was.
pub(crate) struct GitGuard {
    /// The places at which git would find another repository first; nothing is there.
    absent: Vec<PathBuf>,
    link: Option<GitLink>,
    /// The git folder, and the one that it shares with other working trees.
    folders: Vec<GitFolder>,
}

/// A file or a link in the place of a git folder, as linked working trees and submodules have.
struct GitLink {
    path: PathBuf,
    content: Vec<u8>,
}

/// The guarded files of a git folder.
struct GitFolder {
    folder: PathBuf,
    /// Opened before the command, so that it is the same folder afterwards.
    tree: OsTree,
    identity: (u64, u64),
    before: BTreeMap<RepoPath, GuardedContent>,
    /// The lines of replaced objects.
    replaced: Vec<String>,
    /// The links in it: git follows them, and reads and writes what a command may not.
    links: BTreeMap<PathBuf, PathBuf>,
}

impl GitGuard {
    /// Reads the repository that has `tree`, if there is one.
    pub(crate) fn read(tree: &Path) -> io::Result<Self> {
        let places: Vec<PathBuf> = tree.ancestors().map(|folder| folder.join(".git")).collect();
        let found = places.iter().position(|place| std::fs::symlink_metadata(place).is_ok());
        let place = found.and_then(|at| places.get(at));
        // Without a repository above it, a new one in the folder itself would be used.
        let absent = places.get(..found.unwrap_or(1)).unwrap_or_default().to_vec();
        let link = place.map(|place| GitLink::read(place)).transpose()?.flatten();
        let folders = place.map(|place| git_folders(place)).unwrap_or_default();
        let folders = folders.iter().map(|folder| GitFolder::read(folder));
        let folders = folders.filter_map(Result::transpose).collect::<io::Result<_>>()?;
        Ok(Self { absent, link, folders })
    }

    /// Restores changed files and removes new ones.
    ///
    /// # Errors
    ///
    /// One that names the folder or file which cannot be restored.
    pub(crate) fn restore(&self) -> io::Result<()> {
        let made = self.absent.iter().find(|place| std::fs::symlink_metadata(place).is_ok());
        if let Some(made) = made {
            let made = made.display();
            let text = format!(
                "the command made the git repository `{made}`, which git would use from now on"
            );
            return Err(io::Error::other(text));
        }
        self.link.as_ref().map_or(Ok(()), GitLink::ensure_unchanged)?;
        self.folders.iter().try_for_each(GitFolder::restore)
    }
}

impl GitLink {
    /// Reads it; `None` for a folder.
    fn read(path: &Path) -> io::Result<Option<Self>> {
        let kind = std::fs::symlink_metadata(path)?.file_type();
        let content = if kind.is_symlink() {
            std::fs::read_link(path)?.into_os_string().into_vec()
        } else if kind.is_file() {
            read_regular(path, MAX_FILE).unwrap_or_default()
        } else {
            return Ok(None);
        };
        Ok(Some(Self { path: path.to_owned(), content }))
    }

    /// Fails if the file or link was changed or removed.
    fn ensure_unchanged(&self) -> io::Result<()> {
        // An error of reading is a change, too.
        match Self::read(&self.path) {
            Ok(Some(now)) if now.content == self.content => Ok(()),
            _ => Err(io::Error::other(format!("the command changed `{}`", self.path.display()))),
        }
    }
}

/// Returns the git folder at `place`, which may be named by a file there, and the folder that it shares with others, as far
/// as they are in the working tree. A command cannot change others, and other programs use those meanwhile.
fn git_folders(place: &Path) -> Vec<PathBuf> {
    let named = read_short(place);
    let parent = place.parent().unwrap_or(place);
    let folder = named.strip_prefix("gitdir: ").map(|folder| parent.join(folder.trim_end()));
    let folder = folder.unwrap_or_else(|| place.to_owned());
    let shared = Some(read_short(&folder.join("commondir"))).filter(|shared| !shared.is_empty());
    let shared = shared.map(|shared| folder.join(shared.trim_end()));
    let real = |folder: &Path| folder.canonicalize().ok();
    let top = parent.canonicalize().unwrap_or_else(|_| parent.to_owned());
    let found = [Some(folder), shared].into_iter().flatten();
    found.filter_map(|folder| real(&folder)).filter(|folder| folder.starts_with(&top)).collect()
}

impl GitFolder {
    /// Reads the files; `None` where `folder` is no folder.
    fn read(folder: &Path) -> io::Result<Option<Self>> {
        let Some(identity) = identity(folder) else { return Ok(None) };
        let tree = OsTree::open(folder)?;
        let before = read_guarded(&tree)?;
        let replaced = read_packed(&tree)?.map(|(text, _)| replacements(&text)).unwrap_or_default();
        let links = links_and_specials(folder).0;
        Ok(Some(Self { folder: folder.to_owned(), tree, identity, before, replaced, links }))
    }

    /// Restores the guarded files of the folder. Fails with the file that cannot be restored, or if another
    /// folder is in its place.
    fn restore(&self) -> io::Result<()> {
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            let folder = self.folder.display();
            io::Error::other(format!("the command changed `{folder}{what}`: {error}"))
        };
        if identity(&self.folder) != Some(self.identity) {
            return Err(failed("", &"it is another folder now"));
        }
        let named = |path: &Path| {
            let path = path.strip_prefix(&self.folder).unwrap_or(path);
            format!("/{}", path.display())
        };
        let (links, specials) = links_and_specials(&self.folder);
        if let Some(path) = specials.first() {
            return Err(failed(&named(path), &"it is no file"));
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
        self.restore_packed().map_err(|error| failed(&format!("/{PACKED}"), &error))?;
        // Those in guarded places are gone by now.
        let is_made =
            |path: &Path, target| self.links.get(path) != Some(target) && path.is_symlink();
        let made: Vec<&PathBuf> = links
            .iter()
            .filter(|(path, target)| is_made(path, target))
            .map(|(path, _)| path)
            .collect();
        // All of them: the next run would take one that is left for the user's own.
        for path in &made {
            remove_link(path).map_err(|error| failed(&named(path), &error))?;
        }
        match made.first() {
            Some(path) => Err(failed(&named(path), &"it was a link, which is removed")),
            None => Ok(()),
        }
    }

    /// Removes lines of packed refs that replace other objects than before.
    fn restore_packed(&self) -> io::Result<()> {
        let Some((text, mode)) = read_packed(&self.tree)? else { return Ok(()) };
        let is_known = |line: &str| self.replaced.iter().any(|known| known == line.trim_end());
        let is_kept = |line: &&str| !line.contains(REPLACES) || is_known(line);
        let kept: String = text.split_inclusive('\n').filter(is_kept).collect();
        if kept.len() == text.len() {
            return Ok(());
        }
        let path = RepoPath::parse(PACKED).map_err(io::Error::other)?;
        self.tree.remove_file(&path)?;
        self.tree.create(&path, kept.as_bytes(), mode)
    }

    /// Makes the folders above a path; a file or link in their place is removed.
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

/// Removes a link, and never what it leads to.
#[expect(clippy::disallowed_methods, reason = "names in a git folder may be no paths of a tree")]
fn remove_link(path: &Path) -> io::Result<()> {
    std::fs::remove_file(path)
}

/// Returns the links in a git folder with their targets, and the pipes, sockets and devices, for which git would wait.
fn links_and_specials(top: &Path) -> (BTreeMap<PathBuf, PathBuf>, Vec<PathBuf>) {
    let (mut links, mut specials) = (BTreeMap::new(), Vec::new());
    let mut open = vec![top.to_owned()];
    while let Some(folder) = open.pop() {
        let is_of_objects = folder.parent() == Some(top) && folder.ends_with("objects");
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let name = entry.file_name();
            if kind.is_symlink() {
                if is_special(std::fs::metadata(&path)) {
                    specials.push(path);
                } else {
                    let target = std::fs::read_link(&path).unwrap_or_default();
                    links.insert(path, target);
                }
            } else if kind.is_dir() {
                // The objects themselves are many; git checks each, and writes it under its digest.
                let is_foreign = folder == top && FOREIGN.iter().any(|it| name == *it);
                let is_skipped = is_of_objects && name.len() == 2 || is_foreign;
                open.extend(Some(path).filter(|_| !is_skipped));
            } else if !kind.is_file() {
                specials.push(path);
            }
        }
    }
    (links, specials)
}

/// Returns `true` for what is neither a file nor a folder.
fn is_special(found: io::Result<std::fs::Metadata>) -> bool {
    found.is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Returns the numbers of a folder that is no link.
fn identity(folder: &Path) -> Option<(u64, u64)> {
    let found = std::fs::symlink_metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
    Some((found.dev(), found.ino()))
}

/// Returns the text of the packed refs, and their permissions.
fn read_packed(tree: &OsTree) -> io::Result<Option<(String, u32)>> {
    let path = RepoPath::parse(PACKED).map_err(io::Error::other)?;
    match tree.entry(&path)? {
        Entry::File { mode, .. } => {
            let bytes = tree.read(&path, MAX_PACKED)?;
            Ok(Some((String::from_utf8_lossy(&bytes).into_owned(), mode)))
        }
        _ => Ok(None),
    }
}

fn replacements(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.contains(REPLACES));
    lines.map(|line| line.trim_end().to_owned()).collect()
}

/// Returns the guarded files with their bytes and permission bits; `None` for something that is no file.
fn read_guarded(tree: &OsTree) -> io::Result<BTreeMap<RepoPath, GuardedContent>> {
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
#[expect(clippy::disallowed_methods, reason = "the test makes the files itself")]
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
        let guard = GitGuard::read(top).unwrap();
        fs::remove_dir_all(git.join("hooks")).unwrap();
        symlink(top.join("outside"), git.join("hooks")).unwrap();
        fs::create_dir_all(git.join("refs/replace")).unwrap();
        fs::write(git.join("refs/replace/0123"), "4567").unwrap();
        fs::write(git.join("config"), "[filter \"x\"]\nclean = evil\n").unwrap();
        fs::create_dir_all(git.join("info")).unwrap();
        fs::write(git.join("info/attributes"), "* filter=x").unwrap();
        fs::write(git.join("commondir"), "../outside").unwrap();
        fs::write(git.join("packed-refs"), "# pack-refs\n01 refs/heads/a\n02 refs/replace/03\n")
            .unwrap();
        guard.restore().unwrap();
        assert_eq!(fs::read_to_string(git.join("config")).unwrap(), "[core]\n");
        assert!(fs::symlink_metadata(git.join("hooks")).unwrap().is_dir());
        assert_eq!(fs::read_to_string(git.join("hooks/pre-push")).unwrap(), "mine");
        assert!(!git.join("info/attributes").exists() && !git.join("refs/replace/0123").exists());
        assert!(!git.join("commondir").exists());
        let packed = fs::read_to_string(git.join("packed-refs")).unwrap();
        assert_eq!(packed, "# pack-refs\n01 refs/heads/a\n");
        assert_eq!(fs::read_dir(top.join("outside")).unwrap().count(), 0);
    }

    #[test]
    fn a_pipe_or_a_link_in_the_place_of_a_file_of_git_stops_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let (top, git) = (folder.path(), folder.path().join(".git"));
        fs::create_dir_all(git.join("hooks")).unwrap();
        fs::create_dir_all(top.join("outside")).unwrap();
        fs::write(git.join("config"), "[core]\n").unwrap();
        let guard = GitGuard::read(top).unwrap();
        for name in ["index", "packed-refs", "HEAD", "refs/heads/main", "objects/pack/pack-1.idx"] {
            let pipe = git.join(name);
            fs::create_dir_all(pipe.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&pipe);
            let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
            assert!(made.success());
            let message = guard.restore().unwrap_err().to_string();
            assert!(message.contains(&format!("/{name}`: it is no file")), "{message}");
            fs::remove_file(&pipe).unwrap();
            symlink("/dev/zero", &pipe).unwrap();
            assert!(guard.restore().is_err(), "{name}");
            fs::remove_file(&pipe).unwrap();
        }
        for name in [
            "packed-refs", "shallow", "refs/heads/objects/ab/x", "refs/heads/lfs/x", "logs",
            "objects/ab", "modules/a/logs",
        ] {
            fs::create_dir_all(git.join(name).parent().unwrap()).unwrap();
            symlink(top.join("outside"), git.join(name)).unwrap();
            let message = guard.restore().unwrap_err().to_string();
            assert!(message.contains(&format!("/{name}`: it was a link")), "{message}");
            guard.restore().unwrap();
        }
        symlink(top.join("outside"), git.join("shallow")).unwrap();
        symlink(top.join("outside"), git.join("FETCH_HEAD")).unwrap();
        guard.restore().unwrap_err();
        guard.restore().unwrap();
        symlink(top.join("outside"), git.join("rr-cache")).unwrap();
        GitGuard::read(top).unwrap().restore().unwrap();
        assert!(git.join("rr-cache").exists(), "it was there before the command");
        fs::remove_file(git.join("rr-cache")).unwrap();
        guard.restore().unwrap();
        fs::rename(&git, top.join("moved")).unwrap();
        fs::create_dir(&git).unwrap();
        assert!(guard.restore().is_err());
    }

    #[test]
    fn no_other_repository_takes_the_place_of_the_one_that_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        let package = top.join("packages/a");
        fs::create_dir_all(&package).unwrap();
        let link = top.join(".git");
        fs::write(&link, "gitdir: /elsewhere\n").unwrap();
        let guard = GitGuard::read(&package).unwrap();
        guard.restore().unwrap();
        fs::create_dir(package.join(".git")).unwrap();
        let message = guard.restore().unwrap_err().to_string();
        assert!(message.starts_with("the command made the git repository `"), "{message}");
        fs::remove_dir(package.join(".git")).unwrap();
        // The folder that the file names is guarded, and the one that it shares.
        let real = top.join(".real");
        fs::create_dir_all(real.join("common")).unwrap();
        fs::write(real.join("commondir"), "common\n").unwrap();
        fs::write(&link, "gitdir: .real\n").unwrap();
        let within = GitGuard::read(&package).unwrap();
        for config in [real.join("config"), real.join("common/config")] {
            fs::write(&config, "[filter \"x\"]\nclean = evil\n").unwrap();
            within.restore().unwrap();
            assert!(!config.exists());
        }
        fs::write(&link, "gitdir: evil\n").unwrap();
        assert!(guard.restore().is_err());
        fs::remove_file(&link).unwrap();
        symlink("/elsewhere", &link).unwrap();
        assert!(guard.restore().is_err());
        fs::remove_file(&link).unwrap();
        assert!(guard.restore().is_err());
        let guard = GitGuard::read(&top).unwrap();
        guard.restore().unwrap();
        symlink("/elsewhere", top.join(".git")).unwrap();
        assert!(guard.restore().is_err(), "no repository was there");
    }
}
