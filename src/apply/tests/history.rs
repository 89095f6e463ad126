//! Undo and redo, and the changes that prevent them.

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
         which has the old text"
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
fn a_change_that_was_taken_back_another_way_does_not_stand_before_older_ones() {
    let versions = versions(3);
    let tree = MemoryTree::new(versions[0].clone());
    kept(&tree, &versions[0], &versions[1], "1").unwrap();
    kept(&tree, &versions[1], &versions[2], "2").unwrap();
    tree.remove_file(&path("file")).unwrap();
    tree.create(&path("file"), b"version 1", 0o644).unwrap();
    assert_eq!(tree.nodes(), versions[1]);
    assert_eq!(undo(&tree).unwrap().run_id, run("2"));
    assert_eq!(tree.nodes(), versions[1]);
    assert_eq!(undo(&tree).unwrap().run_id, run("1"));
    assert_eq!(tree.nodes(), versions[0]);
}

#[test]
fn without_our_folder_there_is_nothing_to_do_and_none_is_made() {
    let tree = MemoryTree::new(Nodes::new());
    assert!(recover(&tree).unwrap().is_none());
    assert!(matches!(undo(&tree), Err(ApplyError::NothingToUndo)));
    assert!(matches!(redo(&tree), Err(ApplyError::NothingToRedo)));
    assert_eq!(tree.list(None).unwrap(), Vec::<String>::new());
}

#[test]
fn one_edited_file_of_several_keeps_all_of_them_as_they_are_both_ways() {
    let (old, new) = every_kind();
    let tree = MemoryTree::new(old.clone());
    kept(&tree, &old, &new, "1").unwrap();
    let edit = |name: &str, text: &str| {
        tree.remove_file(&path(name)).unwrap();
        tree.create(&path(name), text.as_bytes(), 0o644).unwrap();
    };
    edit("made/deep/z", "mine");
    let mine = tree.nodes();
    let refused = undo(&tree).unwrap_err();
    assert!(refused.to_string().starts_with("`made/deep/z` was changed since;"), "{refused}");
    assert!(refused.is_conflict() && tree.nodes() == mine);
    edit("made/deep/z", "zzz");
    undo(&tree).unwrap();
    edit("top", "mine");
    let mine = tree.nodes();
    let refused = redo(&tree).unwrap_err();
    assert!(refused.to_string().starts_with("`top` was changed since;"), "{refused}");
    assert!(refused.is_conflict() && tree.nodes() == mine);
    edit("top", "one\n");
    redo(&tree).unwrap();
    assert_eq!(tree.nodes(), new);
}

#[test]
fn after_a_new_change_a_redo_says_that_there_is_nothing_and_touches_nothing() {
    let versions = versions(3);
    let tree = MemoryTree::new(versions[0].clone());
    kept(&tree, &versions[0], &versions[1], "1").unwrap();
    undo(&tree).unwrap();
    kept(&tree, &versions[0], &versions[2], "2").unwrap();
    assert_eq!(redo(&tree).unwrap_err().to_string(), "there is no change to redo");
    assert_eq!(tree.nodes(), versions[2]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_changes_are_undone_to_the_first_tree_and_done_again_to_the_last(
        trees in proptest::collection::vec(two_trees(), 1..6),
    ) {
        let mut trees: Vec<Nodes> = trees.into_iter().flat_map(|(one, other)| [one, other]).collect();
        // A change that changes nothing leaves nothing to undo.
        trees.dedup();
        let tree = MemoryTree::new(trees[0].clone());
        for (index, pair) in trees.windows(2).enumerate() {
            kept(&tree, &pair[0], &pair[1], &index.to_string()).unwrap();
        }
        for wanted in trees.iter().rev().skip(1) {
            undo(&tree).unwrap();
            prop_assert_eq!(&tree.nodes(), wanted);
        }
        prop_assert!(matches!(undo(&tree), Err(ApplyError::NothingToUndo)));
        for wanted in trees.iter().skip(1) {
            redo(&tree).unwrap();
            prop_assert_eq!(&tree.nodes(), wanted);
        }
        prop_assert!(matches!(redo(&tree), Err(ApplyError::NothingToRedo)));
    }
}
