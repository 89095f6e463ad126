//! The same on a real disk: links, modes, hard links, and folders that the repository brings.
#![expect(clippy::disallowed_methods, reason = "the tests look at the disk itself")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use super::*;
use papayu_system::os::OsTree;

fn fresh() -> (tempfile::TempDir, OsTree) {
    let folder = tempfile::Builder::new().prefix("репозиторий с пробелом ").tempdir().unwrap();
    let tree = OsTree::open(folder.path()).unwrap();
    (folder, tree)
}

fn write(name: &str, before: &str, after: &str) -> VettedChange {
    let (before, after) = (before.into(), after.into());
    VettedChange::for_test(vec![Change::WriteFile { path: path(name), before, after }])
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn modes_stay_and_other_names_of_a_file_keep_the_old_text() {
    let (folder, tree) = fresh();
    for bits in [0o755, 0o600, 0o444] {
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        fs::write(&one, "old").unwrap();
        fs::set_permissions(&one, fs::Permissions::from_mode(bits)).unwrap();
        fs::hard_link(&one, &two).unwrap();
        let applied = commit(&tree, &Still, &write("one", "old", "new"), &run("1")).unwrap();
        assert_eq!(fs::read_to_string(&one).unwrap(), "new");
        assert_eq!(fs::read_to_string(&two).unwrap(), "old");
        assert_eq!((mode(&one), fs::metadata(&two).unwrap().nlink()), (bits, 1));
        applied.roll_back().unwrap();
        assert_eq!((fs::read_to_string(&one).unwrap().as_str(), mode(&one)), ("old", bits));
        fs::remove_file(one).unwrap();
        fs::remove_file(two).unwrap();
    }
}

#[test]
fn a_link_that_took_a_files_or_folders_place_is_not_followed() {
    let (folder, tree) = fresh();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("file"), "old").unwrap();
    fs::create_dir(folder.path().join("real")).unwrap();
    fs::write(folder.path().join("real/file"), "old").unwrap();
    symlink(outside.path(), folder.path().join("out")).unwrap();
    symlink("real", folder.path().join("in")).unwrap();
    symlink("real/file", folder.path().join("file")).unwrap();
    for name in ["out/file", "in/file", "file"] {
        let error = commit(&tree, &Still, &write(name, "old", "new"), &run("1")).unwrap_err();
        assert!(matches!(error, ApplyError::BaseMismatch { .. }), "{name}: {error}");
    }
    assert_eq!(fs::read_to_string(outside.path().join("file")).unwrap(), "old");
    assert_eq!(fs::read_to_string(folder.path().join("real/file")).unwrap(), "old");
}

#[test]
fn a_journal_that_comes_with_the_repository_cannot_lead_through_a_link() {
    let (folder, tree) = fresh();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at(".git/hooks")).unwrap();
    fs::write(at("x"), "harmless").unwrap();
    let evil = Change::CreateFile { path: path("y"), after: b"#!/bin/sh\nevil".into() };
    let applied = commit(&tree, &Still, &VettedChange::for_test(vec![evil]), &run("1")).unwrap();
    applied.keep().unwrap();
    undo(&tree).unwrap();
    symlink(".git/hooks/pre-commit", at("y")).unwrap();
    assert!(matches!(redo(&tree), Err(ApplyError::Diverged { .. })));
    assert!(!at(".git/hooks/pre-commit").exists());
}

/// What every run begins with.
fn begun(tree: &OsTree) -> Result<(), ApplyError> {
    let held = lock_repository(tree)?;
    recover(tree)?;
    held.init_state_dir(tree)
}

#[test]
fn our_own_folder_must_not_be_a_link() {
    for name in [".papa-yu", ".papa-yu/journal", ".papa-yu/lock", ".papa-yu/run.lock"] {
        let (folder, tree) = fresh();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("a"), "old").unwrap();
        if name.contains('/') {
            fs::create_dir(folder.path().join(".papa-yu")).unwrap();
        }
        let to = if name == ".papa-yu" { "src" } else { "../src" };
        symlink(to, folder.path().join(name)).unwrap();
        let is_told = |error: ApplyError| {
            assert!(
                matches!(error, ApplyError::NotAFolder { .. } | ApplyError::BrokenJournal { .. }),
                "{name}: {error}"
            );
        };
        is_told(begun(&tree).err().unwrap());
        if !name.ends_with("run.lock") {
            is_told(commit(&tree, &Still, &write("a", "old", "new"), &run("1")).unwrap_err());
        }
        assert_eq!(fs::read_dir(folder.path().join("src")).unwrap().count(), 0, "{name}");
    }
}

#[test]
fn git_does_not_see_what_we_leave_behind() {
    let (folder, tree) = fresh();
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args(arguments)
            .current_dir(folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    begun(&tree).unwrap();
    assert_eq!(git(&["status", "--porcelain"]), "", "a run that changes nothing");
    fs::remove_dir_all(folder.path().join(".papa-yu")).unwrap();
    fs::write(folder.path().join("a"), "old").unwrap();
    commit(&tree, &Still, &write("a", "old", "new"), &run("1")).unwrap().keep().unwrap();
    assert_eq!(git(&["status", "--porcelain"]), "?? a\n");
}

#[test]
fn a_pipe_or_a_link_by_the_name_of_a_lock_is_neither_waited_for_nor_followed() {
    let (folder, tree) = fresh();
    fs::create_dir_all(folder.path().join(".papa-yu/journal")).unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    for name in [".papa-yu/lock", ".papa-yu/run.lock"] {
        let at = folder.path().join(name);
        // The other one's turn has made it.
        let _ = fs::remove_file(&at);
        let pipe = std::process::Command::new("mkfifo").arg(&at).status();
        assert!(pipe.unwrap().success());
        assert!(tree.lock(&path(name)).is_err(), "{name}");
        assert!(matches!(begun(&tree), Err(ApplyError::BrokenJournal { .. })), "{name}");
        fs::remove_file(&at).unwrap();
        symlink("../.git/index.lock", &at).unwrap();
        assert!(tree.lock(&path(name)).is_err(), "{name}");
        assert!(matches!(begun(&tree), Err(ApplyError::BrokenJournal { .. })), "{name}");
        assert!(!folder.path().join(".git/index.lock").exists());
        fs::remove_file(&at).unwrap();
    }
}

#[test]
fn one_run_at_a_time_holds_also_when_our_folder_is_removed() {
    let (folder, tree) = fresh();
    let other = OsTree::open(folder.path()).unwrap();
    fs::write(folder.path().join("a"), "old").unwrap();
    let busy = |error: Option<ApplyError>| matches!(error, Some(ApplyError::Locked { .. }));
    let held = lock_repository(&tree).unwrap();
    assert!(busy(undo(&other).err()) && busy(redo(&other).err()), "before any change");
    let applied = commit(&tree, &Still, &write("a", "old", "new"), &run("1")).unwrap();
    fs::remove_dir_all(folder.path().join(".papa-yu")).unwrap();
    assert!(busy(lock_repository(&other).err()));
    assert!(busy(undo(&other).err()) && busy(redo(&other).err()));
    applied.keep().unwrap();
    drop(held);
    assert_eq!(undo(&other).unwrap().run_id, run("1"));
}

#[test]
fn a_journal_of_another_run_by_the_same_name_is_neither_used_nor_removed() {
    for keeps in [true, false] {
        let (folder, tree) = fresh();
        fs::write(folder.path().join("a"), "old").unwrap();
        fs::write(folder.path().join("b"), "old").unwrap();
        let applied = commit(&tree, &Still, &write("a", "old", "new"), &run("1")).unwrap();
        fs::remove_dir_all(folder.path().join(".papa-yu")).unwrap();
        drop(commit(&tree, &Still, &write("b", "old", "new"), &run("2")).unwrap());
        if keeps {
            applied.keep().unwrap();
        } else {
            applied.roll_back().unwrap();
        }
        let theirs = folder.path().join(".papa-yu/journal/00000001.begun");
        assert!(fs::read_to_string(&theirs).unwrap().contains("\"run_id\":\"2\""));
        assert_eq!(recover(&tree).unwrap(), Some(run("2")));
        let kept = if keeps { "new" } else { "old" };
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), kept);
        assert_eq!(fs::read_to_string(folder.path().join("b")).unwrap(), "old");
    }
}
