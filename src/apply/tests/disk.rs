//! File systems that refuse: full disks, missing rights, other owners, other names.
#![expect(clippy::disallowed_methods, reason = "the tests look at the disk itself")]
#![expect(clippy::print_stdout, reason = "says which of two means was used, and how often it bit")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use papayu_system::os::OsTree;

const FOLDER: &str = "PAPAYU_TEST_DISK_FOLDER";
const TASK: &str = "PAPAYU_TEST_DISK_TASK";

fn fresh() -> (tempfile::TempDir, OsTree) {
    let folder = tempfile::Builder::new().prefix("диск с пробелом ").tempdir().unwrap();
    let tree = OsTree::open(folder.path()).unwrap();
    (folder, tree)
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Several pages of change: some files grow, one is new, one goes.
fn large() -> (Nodes, Nodes) {
    let text = |text: &str, count| MemoryNode::File(text.repeat(count).into_bytes(), 0o644);
    let old = nodes([
        ("d", MemoryNode::Dir),
        ("d/one", text("one\n", 2000)),
        ("d/two", text("two\n", 3000)),
        ("gone", text("gone\n", 1000)),
    ]);
    let new = nodes([
        ("d", MemoryNode::Dir),
        ("d/one", text("ONE!\n", 2500)),
        ("d/two", text("TWO!\n", 3500)),
        ("made", MemoryNode::Dir),
        ("made/three", text("three\n", 3000)),
    ]);
    (old, new)
}

fn put(root: &Path, nodes: &Nodes) {
    for (name, node) in nodes {
        match node {
            MemoryNode::Dir => fs::create_dir_all(root.join(name)).unwrap(),
            MemoryNode::File(bytes, _) => fs::write(root.join(name), bytes).unwrap(),
        }
    }
}

/// Returns all that is there but our own folder and `filler`.
fn seen(root: &Path) -> Nodes {
    let mut found = Nodes::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let name = entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if name == ".papa-yu" || name == "filler" {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
                found.insert(name, MemoryNode::Dir);
            } else {
                found.insert(name, MemoryNode::File(fs::read(entry.path()).unwrap(), 0o644));
            }
        }
    }
    found
}

/// Commits, and looks whether the tree is whole and what we leave can be used.
fn is_old_or_new(root: &Path, old: &Nodes, new: &Nodes, give_room: impl FnOnce()) -> bool {
    let tree = OsTree::open(root).unwrap();
    let done = kept(&tree, old, new, "1");
    assert!(seen(root) == if done.is_ok() { new.clone() } else { old.clone() }, "{done:?}");
    if let Err(error) = &done {
        assert!(matches!(error, ApplyError::Write { .. }), "{error}");
        assert_eq!(
            error.hint(),
            "check that the disk has space and that this user may write there; the tree is unchanged"
        );
    }
    give_room();
    assert!(recover(&tree).unwrap().is_none());
    if done.is_ok() {
        undo(&tree).unwrap();
        assert_eq!(seen(root), *old);
    }
    done.is_ok()
}

/// A small disk of its own, removed when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` where this user may not mount.
    fn mount(at: &Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=512k", "papayu-test"]).arg(at);
        let output = mount.output();
        let done = output.is_ok_and(|output| output.status.success());
        done.then(|| Self(at.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_disk_that_is_full_at_any_point_keeps_the_old_tree() {
    let (old, new) = large();
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(folder.path()) else {
        println!("no disk can be mounted here; files over a limit stand for a full one");
        return limited_files(&(0..200).step_by(4).collect::<Vec<_>>());
    };
    let (mut olds, mut news) = (0, 0);
    for free in 0..45 {
        let root = disk.0.join(format!("{free}"));
        fs::create_dir(&root).unwrap();
        put(&root, &old);
        let filler = root.join("filler");
        // All the space except for some pages.
        let _ = fs::write(&filler, vec![b'x'; 1 << 20]);
        let all = fs::metadata(&filler).unwrap().len();
        let file = fs::OpenOptions::new().write(true).open(&filler).unwrap();
        file.set_len(all.saturating_sub(free * 4096)).unwrap();
        let is_new = is_old_or_new(&root, &old, &new, || fs::remove_file(&filler).unwrap());
        news += u32::from(is_new);
        olds += u32::from(!is_new);
        fs::remove_dir_all(&root).unwrap();
    }
    println!("{olds} old, {news} new on a disk of its own");
    assert!(olds > 10 && news > 1, "{olds} old, {news} new");
}

#[test]
fn a_file_that_may_not_grow_so_long_keeps_the_old_tree() {
    limited_files(&[0, 8, 20, 40, 60, 90, 400]);
}

/// Does the same in processes whose files may have only so many blocks of 512 bytes.
fn limited_files(limits: &[usize]) {
    let (mut olds, mut news) = (0, 0);
    for blocks in limits {
        let (folder, _) = fresh();
        put(folder.path(), &large().0);
        let name = "apply::tests::disk::child_works_on_its_own";
        let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\" > /dev/null");
        let status = Command::new("sh")
            .args(["-c", &line])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", name])
            .env(FOLDER, folder.path())
            .env(TASK, "commit")
            .status()
            .unwrap();
        assert!(status.success(), "{blocks}");
        let is_new = folder.path().join("was new").exists();
        news += u32::from(is_new);
        olds += u32::from(!is_new);
    }
    println!("{olds} old, {news} new under a limit");
    assert!(olds > 2 && news > 0, "{olds} old, {news} new");
}

/// The process under limits or of another user: does nothing unless a test started it.
#[test]
fn child_works_on_its_own() {
    let (Ok(folder), Ok(task)) = (std::env::var(FOLDER), std::env::var(TASK)) else { return };
    let root = Path::new(&folder);
    if task == "commit" {
        let (old, new) = large();
        if is_old_or_new(root, &old, &new, || {}) {
            fs::create_dir(root.join("was new")).unwrap();
        }
        return;
    }
    let tree = OsTree::open(root).unwrap();
    let before = seen(root);
    for name in ["closed/file", "closed/new", "closed/gone"] {
        let text = Vec::from("old");
        let change = match name {
            "closed/file" => {
                Change::WriteFile { path: path(name), before: text, after: "new".into() }
            }
            "closed/new" => Change::CreateFile { path: path(name), after: "new".into() },
            _ => Change::RemoveFile { path: path(name), before: text },
        };
        let open =
            Change::WriteFile { path: path("open"), before: "old".into(), after: "new".into() };
        let both = VettedChange::for_test(vec![open, change]);
        let error = commit(&tree, &Still, &both, &run("1")).unwrap_err();
        assert!(
            matches!(&error, ApplyError::Write { path: at, .. } if *at == path(name)),
            "{error}"
        );
        assert_eq!(seen(root), before);
        assert!(recover(&tree).unwrap().is_none());
    }
}

#[test]
fn a_folder_without_the_right_to_write_keeps_the_whole_old_tree() {
    let (folder, _) = fresh();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("closed")).unwrap();
    for name in ["open", "closed/file", "closed/gone"] {
        fs::write(at(name), "old").unwrap();
    }
    // Rights mean nothing to root with its capabilities. Another user could not run the program everywhere.
    let program = std::env::current_exe().unwrap();
    let mut child = if is_root() {
        let mut child = Command::new("setpriv");
        child.args(["--bounding-set=-all", "--inh-caps=-all"]).arg(program);
        child
    } else {
        Command::new(program)
    };
    fs::set_permissions(at("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    let output = child
        .args(["--exact", "apply::tests::disk::child_works_on_its_own"])
        .env(FOLDER, folder.path())
        .env(TASK, "closed")
        .output()
        .unwrap();
    fs::set_permissions(at("closed"), fs::Permissions::from_mode(0o755)).unwrap();
    let message = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && message.contains("1 passed"), "{message}");
}

#[test]
fn a_replaced_file_keeps_its_owner_and_one_brought_back_gets_it_again() {
    let (folder, tree) = fresh();
    let at = |name: &str| folder.path().join(name);
    let change = VettedChange::for_test(vec![
        Change::WriteFile { path: path("file"), before: "old".into(), after: "new".into() },
        Change::RemoveFile { path: path("gone"), before: "old".into() },
    ]);
    let own = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let (uid, gid) = if is_root() { (12345, 23456) } else { own };
    println!("owner {uid}:{gid}, run by {}:{}", own.0, own.1);
    for name in ["file", "gone"] {
        fs::write(at(name), "old").unwrap();
        chown(at(name), Some(uid), Some(gid)).unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(0o640)).unwrap();
    }
    let is_kept = |name: &str| {
        let found = fs::metadata(at(name)).unwrap();
        assert_eq!((found.uid(), found.gid(), found.mode() & 0o7777), (uid, gid, 0o640), "{name}");
    };
    let applied = commit(&tree, &Still, &change, &run("1")).unwrap();
    is_kept("file");
    applied.roll_back().unwrap();
    is_kept("file");
    is_kept("gone");
    commit(&tree, &Still, &change, &run("2")).unwrap().keep().unwrap();
    undo(&tree).unwrap();
    is_kept("file");
    is_kept("gone");
    redo(&tree).unwrap();
    is_kept("file");
}

#[test]
fn a_file_that_lends_its_owners_rights_lends_nobody_elses() {
    let (folder, tree) = fresh();
    let at = folder.path().join("file");
    fs::write(&at, "old").unwrap();
    if is_root() {
        chown(&at, Some(12345), Some(23456)).unwrap();
    }
    fs::set_permissions(&at, fs::Permissions::from_mode(0o6755)).unwrap();
    let whose = || {
        let found = fs::metadata(&at).unwrap();
        (found.uid(), found.gid(), found.mode() & 0o7777)
    };
    let before = whose();
    let write = Change::WriteFile { path: path("file"), before: "old".into(), after: "new".into() };
    commit(&tree, &Still, &VettedChange::for_test(vec![write]), &run("1")).unwrap().keep().unwrap();
    assert_eq!(whose(), before);
    // A journal read from the disk may be anybody's.
    undo(&tree).unwrap();
    assert_eq!(whose(), (before.0, before.1, 0o755));
}

#[test]
fn a_folder_lost_since_the_preview_is_a_conflict_and_nothing_is_written() {
    for lost in ["removed", "a file", "a link"] {
        let (folder, tree) = fresh();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("top"), "old").unwrap();
        match lost {
            "a file" => fs::write(at("d"), "").unwrap(),
            "a link" => {
                fs::create_dir(at("other")).unwrap();
                std::os::unix::fs::symlink("other", at("d")).unwrap();
            }
            _ => {}
        }
        for inside in [
            Change::CreateFile { path: path("d/new"), after: "new".into() },
            Change::CreateDir { path: path("d/made") },
            Change::WriteFile { path: path("d/file"), before: "old".into(), after: "new".into() },
            Change::RemoveFile { path: path("d/file"), before: "old".into() },
            Change::RemoveDir { path: path("d/below") },
        ] {
            let top =
                Change::WriteFile { path: path("top"), before: "old".into(), after: "new".into() };
            let before = seen_with_links(folder.path());
            let change = VettedChange::for_test(vec![top, inside.clone()]);
            let error = commit(&tree, &Still, &change, &run("1")).unwrap_err();
            assert!(matches!(error, ApplyError::BaseMismatch { .. }), "{lost} {inside:?}: {error}");
            assert!(error.is_conflict());
            assert_eq!(seen_with_links(folder.path()), before, "{lost} {inside:?}");
        }
    }
}

fn seen_with_links(root: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found: Vec<_> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with(".papa-yu"))
        .map(|path| (path.clone(), fs::read(path).ok()))
        .collect();
    found.sort();
    found
}

#[test]
fn what_appeared_in_another_spelling_since_the_preview_is_a_conflict() {
    for (there, new) in [("readme.md", "README.md"), ("cafe\u{301}.txt", "caf\u{e9}.txt")] {
        let (folder, tree) = fresh();
        fs::write(folder.path().join(there), "theirs").unwrap();
        let file = Change::CreateFile { path: path(new), after: "ours".into() };
        let dir = Change::CreateDir { path: path(new) };
        for change in [file, dir] {
            let error = commit(&tree, &Still, &VettedChange::for_test(vec![change]), &run("1"))
                .unwrap_err();
            assert_eq!(error.to_string(), format!("`{new}` exists in another spelling by now"));
        }
        assert_eq!(seen(folder.path()).len(), 1);
    }
    let (_folder, tree) = fresh();
    let create = |name: &str| Change::CreateFile { path: path(name), after: "x".into() };
    let twice = VettedChange::for_test(vec![create("a.txt"), create("A.TXT")]);
    let error = commit(&tree, &Still, &twice, &run("1")).unwrap_err();
    assert_eq!(error.to_string(), "`A.TXT` is changed twice");
}
