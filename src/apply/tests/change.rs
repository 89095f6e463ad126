//! When a change is refused, and what a failure leaves behind.

use super::*;
use papayu_base::domain::ErrorCode;
use papayu_system::crash::{Crash, CrashTree};

#[test]
fn every_kind_of_change_lands_and_modes_stay() {
    let (old, new) = every_kind();
    let tree = MemoryTree::new(old.clone());
    let applied = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap();
    assert_eq!(tree.nodes(), new);
    assert_eq!(applied.paths().len(), 10);
    applied.keep().unwrap();
    assert_eq!(tree.nodes(), new);
    let ignore = tree.read(&path(".papa-yu/.gitignore"), 1000).unwrap();
    let expected = "/.gitignore\n/cache/\n/journal/\n/lock\n/run.lock\n/runs/\n/traces/\n\
        /.prettierrc\n/biome.json\n";
    assert_eq!(String::from_utf8(ignore).unwrap(), expected);
    // No formatter of JSON may run here.
    assert_eq!(tree.entry(&path(".papa-yu/.prettierrc")).unwrap(), Entry::Missing);
}

#[test]
fn formatters_of_json_are_told_to_leave_what_a_run_writes() {
    let (mut old, mut new) = every_kind();
    for nodes in [&mut old, &mut new] {
        nodes.insert("package.json".to_owned(), MemoryNode::File(b"{}\n".to_vec(), 0o644));
    }
    let tree = MemoryTree::new(old.clone());
    // A kill tore one of them.
    tree.create_dir(&path(".papa-yu")).unwrap();
    tree.create(&path(".papa-yu/biome.json"), b"{ \"root\": f", 0o644).unwrap();
    commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap().keep().unwrap();
    for (name, text) in [
        (".papa-yu/.prettierrc", "{ \"rangeEnd\": 0 }\n"),
        (".papa-yu/biome.json", "{ \"root\": false, \"files\": { \"includes\": [\"!**\"] } }\n"),
    ] {
        assert_eq!(tree.read(&path(name), 1000).unwrap(), text.as_bytes(), "{name}");
    }
}

#[test]
fn a_tree_that_moved_on_is_refused_with_the_path_and_stays() {
    let (old, new) = every_kind();
    let moved = |change: &dyn Fn(&mut Nodes)| {
        let mut nodes = old.clone();
        change(&mut nodes);
        nodes
    };
    let put = |name: &'static str, node: MemoryNode| {
        moved(&|nodes| {
            nodes.insert(name.into(), node.clone());
        })
    };
    for (there, at, reason) in [
        (put("top", file("one!")), "top", "changed since it was read"),
        (put("top", file("onE\n")), "top", "changed since it was read"),
        (put("gone/deep/x", file("X")), "gone/deep/x", "changed since it was read"),
        (put("made", MemoryNode::Dir), "made", "exists by now"),
        (put("a b/new", file("")), "a b/new", "exists by now"),
        (moved(&|nodes| drop(nodes.remove("top"))), "top", "is deleted"),
        (put("top", MemoryNode::Dir), "top", "is no longer what it was when it was read"),
    ] {
        let tree = MemoryTree::new(there.clone());
        let error = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap_err();
        assert_eq!(error.to_string(), format!("`{at}` {reason}"));
        assert_eq!(error.code(), Some(ErrorCode::BaseMismatch));
        assert_eq!(tree.nodes(), there);
        assert!(recover(&tree).unwrap().is_none());
    }
}

#[test]
fn a_folder_that_others_filled_stays_and_so_does_the_old_tree() {
    let (old, new) = every_kind();
    let mut there = old.clone();
    there.insert("gone/theirs".into(), file("theirs"));
    let tree = MemoryTree::new(there.clone());
    let error = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap_err();
    assert!(matches!(error, ApplyError::Write { path: at, .. } if at == path("gone")));
    assert_eq!(tree.nodes(), there);
}

#[test]
fn a_failure_at_any_point_leaves_the_old_tree_and_no_journal() {
    let (old, new) = every_kind();
    for at in 0.. {
        let tree = MemoryTree::new(old.clone());
        let full = CrashTree::new(&tree, Crash::Once, at);
        let result = commit(&full, &Still, &preview(&old, &new), &run("1"));
        if !full.crashed() {
            assert!(at > 20, "{at}");
            break;
        }
        let error = result.unwrap_err();
        assert!(matches!(error, ApplyError::Write { .. }), "{error}");
        assert_eq!(tree.nodes(), old, "{at}: {error}");
        assert!(recover(&tree).unwrap().is_none(), "{at}: {error}");
    }
}

#[test]
fn what_belongs_to_git_or_to_us_is_never_written() {
    let tree = MemoryTree::new(nodes([(".git", MemoryNode::Dir), ("sub", MemoryNode::Dir)]));
    for name in [".git/config", ".GIT/x", "sub/.git/config", ".papa-yu/project.json"] {
        let change = Change::CreateFile { path: path(name), after: Vec::new() };
        let error =
            commit(&tree, &Still, &VettedChange::for_test(vec![change]), &run("1")).unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::ForbiddenPath), "{name}");
    }
}

#[test]
fn a_path_that_is_changed_twice_is_refused() {
    let tree = MemoryTree::new(Nodes::new());
    let change = Change::CreateDir { path: path("a") };
    let twice = VettedChange::for_test(vec![change.clone(), change]);
    let error = commit(&tree, &Still, &twice, &run("1")).unwrap_err();
    assert_eq!(error.to_string(), "`a` is changed twice");
}

#[test]
fn a_living_run_keeps_others_out_until_it_has_decided() {
    let (old, new) = every_kind();
    let tree = MemoryTree::new(old.clone());
    let applied = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap();
    let locked = |error: Option<ApplyError>| matches!(error, Some(ApplyError::Locked { .. }));
    assert!(locked(commit(&tree, &Still, &preview(&old, &new), &run("2")).err()));
    assert!(locked(recover(&tree).err()) && locked(undo(&tree).err()));
    applied.roll_back().unwrap();
    assert!(recover(&tree).unwrap().is_none());
}

#[test]
fn what_the_command_made_of_the_files_is_rolled_back_too_and_a_copy_kept() {
    let (old, new) = every_kind();
    let tree = MemoryTree::new(old.clone());
    let applied = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap();
    tree.remove_file(&path("top")).unwrap();
    tree.create(&path("top"), b"formatted", 0o644).unwrap();
    tree.remove_file(&path("a b/new")).unwrap();
    tree.create(&path("made/cache"), b"theirs", 0o644).unwrap();
    let copies = applied.roll_back().unwrap();
    let mut left = old;
    left.insert("made".into(), MemoryNode::Dir);
    left.insert("made/cache".into(), file("theirs"));
    assert_eq!(tree.nodes(), left);
    let texts: Vec<_> = copies.iter().map(|copy| tree.read(copy, 100).unwrap()).collect();
    assert_eq!(texts, [b"formatted"]);
}

#[test]
fn a_command_that_cleans_our_folder_away_changes_nothing() {
    let (old, new) = every_kind();
    for keep in [true, false] {
        let tree = MemoryTree::new(old.clone());
        let applied = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap();
        let folder = path(".papa-yu/journal");
        for name in tree.list(Some(&folder)).unwrap() {
            tree.remove_file(&folder.join(&name).unwrap()).unwrap();
        }
        tree.remove_dir(&folder).unwrap();
        if keep {
            applied.keep().unwrap();
            assert_eq!(tree.nodes(), new);
            assert_eq!(undo(&tree).unwrap().run_id, run("1"));
        } else {
            applied.roll_back().unwrap();
        }
        assert_eq!(tree.nodes(), old);
    }
}

#[test]
fn a_preview_that_changes_nothing_leaves_nothing_to_undo() {
    let (old, _) = every_kind();
    let tree = MemoryTree::new(old.clone());
    kept(&tree, &old, &old, "1").unwrap();
    assert!(matches!(undo(&tree), Err(ApplyError::NothingToUndo)));
}

#[test]
fn a_path_as_long_as_allowed_can_be_written() {
    let name = "a".repeat(240);
    let deep = format!("{}/b", "d".repeat(237));
    let old = nodes([(&name, file("1")), (&"d".repeat(237), MemoryNode::Dir), (&deep, file("2"))]);
    let mut new = old.clone();
    new.insert(name, file("3"));
    new.insert(deep, file("4"));
    let tree = MemoryTree::new(old.clone());
    kept(&tree, &old, &new, "1").unwrap();
    assert_eq!(tree.nodes(), new);
}
