//! Undo, redo, and what stands in their way.

use super::*;

fn versions(count: usize) -> Vec<Nodes> {
    (0..count).map(|version| nodes([("file", file(&format!("version {version}")))])).collect()
}

#[test]
fn ten_changes_can_be_undone_and_done_again() {
    let versions = versions(14);
    let tree = MemoryTree::new(versions[0].clone());
    for (index, pair) in versions.windows(2).enumerate() {
        kept(&tree, &pair[0], &pair[1], &index.to_string()).unwrap();
    }
    for version in (3..13).rev() {
        let undone = undo(&tree).unwrap();
        let run_id = run(&version.to_string());
        assert_eq!(undone, Undone { run_id, paths: vec![path("file")], interrupted: false });
        assert_eq!(tree.nodes(), versions[version]);
    }
    assert!(matches!(undo(&tree), Err(ApplyError::NothingToUndo)));
    for version in &versions[4..] {
        redo(&tree).unwrap();
        assert_eq!(tree.nodes(), *version);
    }
    assert!(matches!(redo(&tree), Err(ApplyError::NothingToRedo)));
}

#[test]
fn a_new_change_forgets_what_could_be_redone() {
    let versions = versions(4);
    let tree = MemoryTree::new(versions[0].clone());
    kept(&tree, &versions[0], &versions[1], "1").unwrap();
    kept(&tree, &versions[1], &versions[2], "2").unwrap();
    undo(&tree).unwrap();
    kept(&tree, &versions[1], &versions[3], "3").unwrap();
    assert!(matches!(redo(&tree), Err(ApplyError::NothingToRedo)));
    assert_eq!(undo(&tree).unwrap().run_id, run("3"));
    assert_eq!(undo(&tree).unwrap().run_id, run("1"));
    assert_eq!(redo(&tree).unwrap().run_id, run("1"));
    assert_eq!(redo(&tree).unwrap(), Redone { run_id: run("3"), paths: vec![path("file")] });
    assert_eq!(tree.nodes(), versions[3]);
}

#[test]
fn an_interrupted_run_is_the_first_thing_undone() {
    let versions = versions(3);
    let tree = MemoryTree::new(versions[0].clone());
    kept(&tree, &versions[0], &versions[1], "1").unwrap();
    drop(commit(&tree, &Still, &preview(&versions[1], &versions[2]), &run("2")).unwrap());
    let undone = undo(&tree).unwrap();
    assert_eq!((undone.run_id, undone.interrupted), (run("2"), true));
    assert_eq!(tree.nodes(), versions[1]);
    assert_eq!(undo(&tree).unwrap().run_id, run("1"));
}

#[test]
fn a_file_that_moved_on_is_not_undone_and_named() {
    let (old, new) = every_kind();
    let tree = MemoryTree::new(old.clone());
    kept(&tree, &old, &new, "1").unwrap();
    tree.remove_file(&path("top")).unwrap();
    tree.create(&path("top"), b"mine", 0o644).unwrap();
    let before = tree.nodes();
    assert_eq!(
        undo(&tree).unwrap_err().to_string(),
        "`top` was changed since; to leave it as it is, remove `.papa-yu/journal/00000001.kept`, \
         which holds the old text"
    );
    assert_eq!(tree.nodes(), before);
    tree.remove_file(&path("top")).unwrap();
    assert!(matches!(undo(&tree), Err(ApplyError::Diverged { .. })));
    tree.create(&path("top"), b"two\n", 0o644).unwrap();
    undo(&tree).unwrap();
    assert_eq!(tree.nodes(), old);
}

#[test]
fn recovery_leaves_a_file_that_somebody_changed_and_the_journal_alone() {
    let (old, new) = every_kind();
    let tree = MemoryTree::new(old.clone());
    drop(commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap());
    tree.remove_file(&path("top")).unwrap();
    tree.create(&path("top"), b"mine", 0o644).unwrap();
    let before = tree.nodes();
    for _ in 0..2 {
        let error = recover(&tree).unwrap_err();
        assert!(matches!(&error, ApplyError::Diverged { path: at, .. } if *at == path("top")));
        assert!(error.is_conflict() && error.code().is_none());
        assert_eq!(tree.nodes(), before);
    }
    let error = commit(&tree, &Still, &preview(&old, &new), &run("2")).unwrap_err();
    assert!(matches!(error, ApplyError::Diverged { .. }));
}

#[test]
fn without_our_folder_there_is_nothing_to_do_and_none_is_made() {
    let tree = MemoryTree::new(Nodes::new());
    assert!(recover(&tree).unwrap().is_none());
    assert!(matches!(undo(&tree), Err(ApplyError::NothingToUndo)));
    assert!(matches!(redo(&tree), Err(ApplyError::NothingToRedo)));
    assert_eq!(tree.list(None).unwrap(), Vec::<String>::new());
}
