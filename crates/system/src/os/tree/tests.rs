//! What a real folder does with links, pipes, modes and locks.
#![expect(clippy::disallowed_methods, reason = "the tests look at the disk itself")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text).unwrap()
}

fn fresh() -> (tempfile::TempDir, OsTree) {
    let folder = tempfile::Builder::new().prefix("дерево с пробелом ").tempdir().unwrap();
    let tree = OsTree::open(folder.path()).unwrap();
    (folder, tree)
}

fn kind<T>(result: io::Result<T>) -> Option<io::ErrorKind> {
    result.err().map(|error| error.kind())
}

#[test]
fn links_are_followed_inside_the_root_and_refused_outside() {
    let (folder, tree) = fresh();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("real/deep")).unwrap();
    fs::write(at("real/deep/file"), "x").unwrap();
    symlink("real/deep", at("near")).unwrap();
    symlink("../real/../near/file", at("real/chain")).unwrap();
    symlink(tree.root().join("real"), at("absolute")).unwrap();
    symlink("/etc", at("outside")).unwrap();
    symlink("real/../..", at("above")).unwrap();
    symlink("b", at("a")).unwrap();
    symlink("a", at("b")).unwrap();
    symlink("nowhere/yet", at("dangling")).unwrap();
    for (from, to) in [
        ("near/file", "real/deep/file"),
        ("real/chain", "real/deep/file"),
        ("absolute/deep/new", "real/deep/new"),
        ("not/there/yet", "not/there/yet"),
        ("dangling", "nowhere/yet"),
    ] {
        assert_eq!(tree.resolve(&path(from)).unwrap(), path(to), "{from}");
    }
    for out in ["outside/passwd", "outside", "above/x"] {
        assert_eq!(kind(tree.resolve(&path(out))), Some(io::ErrorKind::PermissionDenied), "{out}");
    }
    assert_eq!(kind(tree.resolve(&path("a"))), Some(io::ErrorKind::InvalidInput));
    assert_eq!(tree.entry(&path("near")).unwrap(), Entry::Link { target: "real/deep".into() });
    assert!(tree.read(&path("outside/passwd"), 1 << 20).is_err());
    assert!(tree.create(&path("outside/papayu"), b"", 0o644).is_err());
    assert!(tree.rename(&path("real/deep/file"), &path("outside/papayu")).is_err());
}

#[test]
fn a_created_file_has_exactly_the_mode_asked_for_and_is_never_overwritten() {
    let (folder, tree) = fresh();
    for mode in [0o444, 0o666, 0o755, 0o600, 0o4711] {
        let name = path(&format!("{mode:o}"));
        tree.create(&name, b"text", mode).unwrap();
        let found = tree.entry(&name).unwrap();
        let is_whole =
            matches!(found, Entry::File { len: 4, mode: bits, links: 1, .. } if bits == mode);
        assert!(is_whole, "{found:?}");
        assert_eq!(kind(tree.create(&name, b"", mode)), Some(io::ErrorKind::AlreadyExists));
    }
    symlink("target", folder.path().join("link")).unwrap();
    assert!(tree.create(&path("link"), b"", 0o644).is_err(), "not through a dangling link");
}

#[test]
fn what_is_no_regular_file_is_told_apart_and_not_read() {
    let (folder, tree) = fresh();
    fs::create_dir(folder.path().join("dir")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status();
    assert!(pipe.unwrap().success());
    assert_eq!(tree.entry(&path("dir")).unwrap(), Entry::Dir);
    assert_eq!(tree.entry(&path("pipe")).unwrap(), Entry::Other);
    assert_eq!(kind(tree.read(&path("pipe"), 9)), Some(io::ErrorKind::InvalidInput));
    assert_eq!(kind(tree.read(&path("dir"), 9)), Some(io::ErrorKind::InvalidInput));
    tree.create(&path("file"), b"12345", 0o644).unwrap();
    assert_eq!(tree.entry(&path("file/below")).unwrap(), Entry::Missing);
    assert_eq!(tree.read(&path("file"), 5).unwrap(), b"12345");
    assert_eq!(kind(tree.read(&path("file"), 4)), Some(io::ErrorKind::InvalidData));
}

#[test]
fn names_come_sorted_and_folders_can_be_synced() {
    let (_folder, tree) = fresh();
    tree.create_dir(&path("b")).unwrap();
    tree.create(&path("b/log"), b"12", 0o644).unwrap();
    tree.create(&path("a"), b"", 0o644).unwrap();
    tree.sync_dir(None).unwrap();
    tree.sync_dir(Some(&path("b"))).unwrap();
    assert_eq!(tree.list(None).unwrap(), ["a", "b"]);
    assert_eq!(tree.list(Some(&path("b"))).unwrap(), ["log"]);
    assert_eq!(tree.read(&path("b/log"), 2).unwrap(), b"12");
    assert_eq!(kind(tree.remove_dir(&path("b"))), Some(io::ErrorKind::DirectoryNotEmpty));
    assert_eq!(kind(tree.sync_dir(Some(&path("c")))), Some(io::ErrorKind::NotFound));
}

#[test]
fn a_lock_is_held_once_and_let_go_when_dropped() {
    let (folder, tree) = fresh();
    let other = OsTree::open(folder.path()).unwrap();
    let held = tree.lock(&path("lock")).unwrap();
    assert_eq!(kind(other.lock(&path("lock"))), Some(io::ErrorKind::WouldBlock));
    drop(held);
    assert!(other.lock(&path("lock")).is_ok());
    // A copy of it, as a child has that was just forked, holds nothing.
    let file = File::open(folder.path().join("lock")).unwrap();
    let copy = file.try_clone().unwrap();
    drop(lock_file(file).unwrap());
    assert!(other.lock(&path("lock")).is_ok());
    drop(copy);
    let mode = fs::metadata(folder.path().join("lock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let error = OsTree::open(Path::new("/нет такого")).unwrap_err();
    assert!(error.to_string().contains("`/нет такого`"), "{error}");
}
