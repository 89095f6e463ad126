//! Changes that cannot be taken back whole: all that can be is back, and the rest is named.

use super::*;
use papayu_system::crash::{Crash, CrashTree};

/// Makes bringing the first file of journal 1 back impossible, as a full disk or a closed folder would.
fn block(tree: &MemoryTree, folder: &str) -> RepoPath {
    let name = path(&format!("{folder}.papayu-00000001-0.tmp"));
    tree.create_dir(&name).unwrap();
    name
}

fn two_files() -> (Nodes, Nodes) {
    let both = |text| nodes([("a", file(text)), ("d", MemoryNode::Dir), ("d/b", file(text))]);
    (both("old"), both("new"))
}

#[test]
fn a_path_that_cannot_be_rolled_back_is_named_and_keeps_no_other_one_new() {
    let (old, new) = two_files();
    let tree = MemoryTree::new(old.clone());
    let applied = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap();
    let blocked = block(&tree, "");
    let error = applied.roll_back().unwrap_err();
    assert!(error.to_string().ends_with("; the change is still in the tree, at `a`"), "{error}");
    assert!(error.hint().starts_with("run `papayu-batch undo` when the disk has space"));
    let held = |name: &str| tree.read(&path(name), 9).unwrap();
    assert_eq!((held("a"), held("d/b")), (b"new".to_vec(), b"old".to_vec()));
    let again = recover(&tree).unwrap_err();
    assert!(matches!(again, ApplyError::StillThere { .. }), "{again}");
    tree.remove_dir(&blocked).unwrap();
    assert!(undo(&tree).unwrap().interrupted);
    assert_eq!(tree.nodes(), old);
}

#[test]
fn a_change_that_cannot_be_kept_is_taken_back() {
    let (old, new) = two_files();
    for at in 0..2 {
        let tree = MemoryTree::new(old.clone());
        // The first makes our folder; the second is what the third will be.
        drop(commit(&tree, &Still, &preview(&old, &new), &run("0")).unwrap());
        recover(&tree).unwrap();
        let all = CrashTree::new(&tree, Crash::Once, usize::MAX);
        drop(commit(&all, &Still, &preview(&old, &new), &run("1")).unwrap());
        recover(&tree).unwrap();
        let failing = CrashTree::new(&tree, Crash::Once, all.count() + at);
        let applied = commit(&failing, &Still, &preview(&old, &new), &run("2")).unwrap();
        let error = applied.keep().unwrap_err();
        assert!(matches!(error, ApplyError::Write { .. }), "{at}: {error}");
        assert_eq!(tree.nodes(), old, "{at}");
        assert!(matches!(undo(&tree), Err(ApplyError::NothingToUndo)), "{at}");
    }
}

#[test]
fn folders_that_the_command_removed_come_back_with_their_files() {
    let (old, new) = two_files();
    let tree = MemoryTree::new(old.clone());
    let applied = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap();
    tree.remove_file(&path("d/b")).unwrap();
    tree.remove_dir(&path("d")).unwrap();
    assert_eq!(applied.roll_back().unwrap(), Vec::<RepoPath>::new());
    assert_eq!(tree.nodes(), old);
}

#[test]
fn without_a_journal_on_the_disk_all_is_rolled_back_but_what_became_a_folder() {
    for name in [None, Some("a")] {
        let (old, new) = two_files();
        let tree = MemoryTree::new(old.clone());
        let applied = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap();
        for gone in ["journal/00000001.begun", "lock", ".gitignore"] {
            let _ = tree.remove_file(&path(&format!(".papa-yu/{gone}")));
        }
        tree.remove_dir(&path(".papa-yu/journal")).unwrap();
        tree.remove_dir(&path(".papa-yu")).unwrap();
        tree.create(&path(".papa-yu"), b"theirs", 0o644).unwrap();
        if let Some(name) = name {
            tree.remove_file(&path(name)).unwrap();
            tree.create_dir(&path(name)).unwrap();
        }
        let done = applied.roll_back();
        let mut left = old;
        if name.is_some() {
            left.insert("a".into(), MemoryNode::Dir);
            let error = done.unwrap_err();
            let message = "is something else by now";
            assert!(
                error.to_string().contains(message) && error.to_string().contains("at `a`; its")
            );
            assert!(error.hint().starts_with("bring the named paths back by hand"), "{error}");
        } else {
            done.unwrap();
        }
        assert_eq!(tree.nodes(), left);
    }
}

#[test]
fn a_change_that_the_command_took_back_itself_is_not_kept() {
    for (name, text) in [("a", Some("old")), ("a", None), ("d/b", None)] {
        let (old, new) = two_files();
        let tree = MemoryTree::new(old.clone());
        let applied = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap();
        tree.remove_file(&path(name)).unwrap();
        if let Some(text) = text {
            tree.create(&path(name), text.as_bytes(), 0o644).unwrap();
        }
        assert_eq!(
            applied.detect_drift().unwrap(),
            Drift { gone: vec![path(name)], altered: Vec::new() }
        );
        let error = applied.keep().unwrap_err();
        assert!(matches!(error, ApplyError::Vanished { .. }), "{error}");
        assert_eq!(tree.nodes(), old);
        assert!(matches!(undo(&tree), Err(ApplyError::NothingToUndo)));
    }
}

#[test]
fn a_change_that_a_formatter_altered_is_kept_as_it_stands_and_undone_and_redone() {
    let (old, new) = two_files();
    let tree = MemoryTree::new(old.clone());
    let applied = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap();
    tree.remove_file(&path("a")).unwrap();
    tree.create(&path("a"), b"formatted", 0o644).unwrap();
    assert_eq!(applied.keep().unwrap(), [path("a")]);
    let formatted = tree.nodes();
    undo(&tree).unwrap();
    assert_eq!(tree.nodes(), old);
    redo(&tree).unwrap();
    assert_eq!(tree.nodes(), formatted);
}

#[test]
fn a_folder_in_a_files_place_is_named_with_the_journal_that_holds_the_old_text() {
    let (old, new) = two_files();
    let tree = MemoryTree::new(old.clone());
    let applied = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap();
    tree.remove_file(&path("a")).unwrap();
    tree.create_dir(&path("a")).unwrap();
    let error = applied.roll_back().unwrap_err();
    assert!(error.to_string().contains("`.papa-yu/journal/00000001.begun`"), "{error}");
    assert!(error.hint().starts_with("bring the named paths back by hand"), "{error}");
    assert_eq!(tree.read(&path("d/b"), 9).unwrap(), b"old");
}

#[test]
fn a_journal_that_the_command_damaged_is_told_although_the_tree_is_back() {
    let (old, new) = two_files();
    let tree = MemoryTree::new(old.clone());
    let applied = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap();
    let journal = path(".papa-yu/journal/00000001.begun");
    tree.remove_file(&journal).unwrap();
    tree.create(&journal, b"theirs", 0o600).unwrap();
    let error = applied.roll_back().unwrap_err();
    assert!(matches!(error, ApplyError::BrokenJournal { .. }), "{error}");
    assert_eq!(tree.nodes(), old);
}
