//! A kill or a power cut at every single operation: afterwards the old tree or the new one.

use super::*;
use papayu_system::crash::{Crash, CrashTree};

/// Which unsynced changes of a folder a power cut keeps.
#[derive(Clone, Copy, Debug)]
enum Power {
    /// No cut, only a kill: the system keeps everything.
    Stays,
    /// None, half, or pseudo-random ones, different in each folder.
    Keeps(u64),
}

fn cut(tree: &MemoryTree, power: Power) {
    let Power::Keeps(mut seed) = power else { return };
    tree.cut_power(|count| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005);
        usize::try_from(seed >> 33).unwrap() % (count + 1)
    });
}

const POWERS: [Power; 4] =
    [Power::Stays, Power::Keeps(0), Power::Keeps(u64::MAX), Power::Keeps(0x9e37_79b9_7f4a_7c15)];

/// Kills the first recovery at its `at`-th operation as well, then recovers.
fn recover_after(tree: &MemoryTree, at: usize, power: Power) {
    let killed = CrashTree::new(tree, Crash::ForGood, at);
    let _ = recover(&killed);
    if killed.crashed() {
        cut(tree, power);
    }
    recover(tree).unwrap();
    assert!(recover(tree).unwrap().is_none(), "a second recovery has nothing to do");
}

#[test]
#[expect(clippy::print_stdout, reason = "says how often each end was seen")]
fn a_commit_killed_at_any_operation_ends_old_or_new() {
    let (old, new) = every_kind();
    let (mut olds, mut news) = (0, 0);
    for power in POWERS {
        for at in 0..40 {
            for again in [0, 6, 13, 1000] {
                let tree = MemoryTree::new(old.clone());
                let killed = CrashTree::new(&tree, Crash::ForGood, at);
                let result = kept(&killed, &old, &new, "1");
                cut(&tree, power);
                recover_after(&tree, again, power);
                let left = tree.nodes();
                if result.is_ok() {
                    assert_eq!(left, new, "a change that was kept is lost: {at} {power:?}");
                }
                assert!(left == old || left == new, "{at} {again} {power:?}: {left:#?}");
                if left == new {
                    news += 1;
                    assert_eq!(undo(&tree).unwrap().paths.len(), 10);
                    assert_eq!(tree.nodes(), old, "{at} {again} {power:?}");
                } else {
                    olds += 1;
                    assert!(matches!(undo(&tree), Err(ApplyError::NothingToUndo)));
                }
                kept(&tree, &old, &new, "2").unwrap();
            }
        }
    }
    println!("{olds} old, {news} new");
    assert!(olds > 0 && news > 0);
}

#[test]
fn an_undo_or_redo_killed_at_any_operation_ends_old_or_new() {
    let (old, new) = every_kind();
    let mut seen = [0; 4];
    for power in POWERS {
        for (at, redone) in (0..40).flat_map(|at| [(at, false), (at, true)]) {
            let tree = MemoryTree::new(old.clone());
            kept(&tree, &old, &new, "1").unwrap();
            if redone {
                undo(&tree).unwrap();
            }
            let killed = CrashTree::new(&tree, Crash::ForGood, at);
            let done = if redone { redo(&killed).is_ok() } else { undo(&killed).is_ok() };
            cut(&tree, power);
            recover_after(&tree, at / 2, power);
            let left = tree.nodes();
            let wanted = if redone { &new } else { &old };
            assert!(!done || left == *wanted, "{at} {power:?}");
            assert!(left == old || left == new, "{at} {redone} {power:?}: {left:#?}");
            seen[usize::from(redone) * 2 + usize::from(left == new)] += 1;
            if left == new {
                undo(&tree).unwrap();
                assert_eq!(tree.nodes(), old);
            } else {
                redo(&tree).unwrap();
                assert_eq!(tree.nodes(), new);
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

#[test]
fn a_roll_back_killed_at_any_operation_ends_old() {
    let (old, new) = every_kind();
    for power in POWERS {
        for at in 0..35 {
            let tree = MemoryTree::new(old.clone());
            let late = CrashTree::new(&tree, Crash::ForGood, 20 + at);
            if let Ok(applied) = commit(&late, &Still, &preview(&old, &new), &run("1")) {
                let _ = applied.roll_back();
            }
            cut(&tree, power);
            recover_after(&tree, at / 2, power);
            assert_eq!(tree.nodes(), old, "{at} {power:?}");
        }
    }
}

proptest! {
    #[test]
    fn any_change_killed_anywhere_ends_old_or_new(
        (old, new) in two_trees(),
        at in 0..60_usize,
        again in 0..40_usize,
        seed in any::<Option<u64>>(),
    ) {
        let power = seed.map_or(Power::Stays, Power::Keeps);
        let tree = MemoryTree::new(old.clone());
        let killed = CrashTree::new(&tree, Crash::ForGood, at);
        let result = kept(&killed, &old, &new, "1");
        cut(&tree, power);
        recover_after(&tree, again, power);
        let left = tree.nodes();
        prop_assert!(left == old || left == new);
        prop_assert!(result.is_err() || left == new);
    }
}

proptest! {
    #[test]
    fn any_change_and_its_undo_failing_anywhere_end_old_or_new(
        (old, new) in two_trees(),
        at in 0..60_usize,
        crash in prop::sample::select(vec![Crash::Once, Crash::Half, Crash::Read]),
        undone in any::<bool>(),
    ) {
        let tree = MemoryTree::new(old.clone());
        let failing = CrashTree::new(&tree, crash, at);
        let (result, wanted) = if undone {
            kept(&tree, &old, &new, "1").unwrap();
            let result = if old == new { Ok(()) } else { undo(&failing).map(drop) };
            (result, &old)
        } else {
            (kept(&failing, &old, &new, "1"), &new)
        };
        recover(&tree).unwrap();
        let left = tree.nodes();
        prop_assert!(left == old || left == new);
        prop_assert!(result.is_err() || left == *wanted);
        kept(&tree, &left, &new, "2").unwrap();
        prop_assert_eq!(tree.nodes(), new);
    }
}

/// The work on a tree that fails; the second value is the side that must result.
type Work = fn(&dyn Tree, &Nodes, &Nodes) -> Result<(), ApplyError>;

/// Runs `work` with a failure at every operation of a kind, and looks at what is left each time.
fn fails_anywhere(
    crash: Crash,
    prepare: Work,
    work: Work,
    wanted: &dyn Fn(&Nodes, &Nodes) -> Nodes,
) {
    let (old, new) = every_kind();
    for at in 0.. {
        let tree = MemoryTree::new(old.clone());
        prepare(&tree, &old, &new).unwrap();
        let failing = CrashTree::new(&tree, crash, at);
        let result = work(&failing, &old, &new);
        if !failing.crashed() {
            result.unwrap();
            assert!(at > 10, "{at}");
            break;
        }
        let first = recover(&tree);
        assert!(first.is_ok(), "{crash:?} {at}: {first:?} after {result:?}");
        assert!(recover(&tree).unwrap().is_none(), "{crash:?} {at}");
        let left = tree.nodes();
        assert!(left == old || left == new, "{crash:?} {at}: {left:#?} after {result:?}");
        if result.is_ok() {
            assert_eq!(left, wanted(&old, &new), "{crash:?} {at}");
        }
        let ignore = path(".papa-yu/.gitignore");
        if left == old {
            let _ = undo(&tree);
            assert_eq!(tree.nodes(), old, "{crash:?} {at}: there was nothing to undo");
            kept(&tree, &old, &new, "2").unwrap();
        }
        assert_eq!(tree.nodes(), new, "{crash:?} {at}");
        undo(&tree).unwrap();
        assert_eq!(tree.nodes(), old, "{crash:?} {at}");
        let ignored = tree.read(&ignore, 1000).unwrap();
        assert!(ignored.ends_with(b"/biome.json\n"), "{crash:?} {at}: {ignored:?}");
    }
}

#[test]
fn reads_changes_and_half_changes_that_fail_anywhere_leave_the_old_tree_or_the_new_one() {
    let keep: Work = |tree, old, new| kept(tree, old, new, "1");
    let roll_back: Work =
        |tree, old, new| commit(tree, &Still, &preview(old, new), &run("1"))?.roll_back().map(drop);
    let interrupt: Work =
        |tree, old, new| commit(tree, &Still, &preview(old, new), &run("1")).map(drop);
    let nothing: Work = |_, _, _| Ok(());
    let undone: Work = |tree, _, _| undo(tree).map(drop);
    let redone: Work = |tree, _, _| redo(tree).map(drop);
    let kept_and_undone: Work = |tree, old, new| {
        kept(tree, old, new, "1")?;
        undo(tree).map(drop)
    };
    let recovered: Work = |tree, _, _| recover(tree).map(drop);
    let old = |old: &Nodes, _: &Nodes| old.clone();
    let new = |_: &Nodes, new: &Nodes| new.clone();
    for crash in [Crash::Once, Crash::Half, Crash::Read] {
        fails_anywhere(crash, nothing, keep, &new);
        fails_anywhere(crash, nothing, roll_back, &old);
        fails_anywhere(crash, interrupt, recovered, &old);
        fails_anywhere(crash, keep, undone, &old);
        fails_anywhere(crash, kept_and_undone, redone, &new);
    }
}
