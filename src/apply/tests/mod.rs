//! Tests of the whole module, in memory and on a real disk.

mod change;
mod crashes;
mod disk;
mod history;
mod killed;
mod real;
mod stuck;
mod swaps;

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use papayu_base::domain::{RepoPath, RunId};
use papayu_patch::preview::Change;
use papayu_system::in_memory::{MemoryNode, MemoryTree, Nodes};
use papayu_system::{Clock, Entry, Tree};
use papayu_vet::VettedChange;

/// A clock that does not move.
struct Still;

impl Clock for Still {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn timestamp(&self) -> String {
        "2026-08-07T09:00:00.000Z".into()
    }

    fn fresh_id(&self) -> String {
        "run".into()
    }

    fn sleep(&self, _: Duration) -> bool {
        true
    }

    fn interrupted(&self) -> bool {
        false
    }
}

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text).unwrap()
}

fn run(name: &str) -> RunId {
    RunId::new(name.into())
}

fn file(text: &str) -> MemoryNode {
    MemoryNode::File(text.into(), 0o644)
}

fn nodes<const N: usize>(nodes: [(&str, MemoryNode); N]) -> Nodes {
    nodes.into_iter().map(|(path, node)| (path.to_owned(), node)).collect()
}

/// The changes that make `new` of `old`, in the protocol's order of application.
fn preview(old: &Nodes, new: &Nodes) -> VettedChange {
    let mut changes: [Vec<Change>; 4] = Default::default();
    for (name, node) in new {
        let path = path(name);
        match (old.get(name), node) {
            (Some(MemoryNode::Dir), MemoryNode::Dir) => {}
            (None, MemoryNode::Dir) => changes[0].push(Change::CreateDir { path }),
            (None, MemoryNode::File(after, _)) => {
                changes[1].push(Change::CreateFile { path, after: after.clone() });
            }
            (Some(MemoryNode::File(before, _)), MemoryNode::File(after, _)) => {
                let (before, after) = (before.clone(), after.clone());
                changes[1].push(Change::WriteFile { path, before, after });
            }
            _ => panic!("`{name}` trades places"),
        }
    }
    for (name, node) in old.iter().rev().filter(|(name, _)| !new.contains_key(*name)) {
        let path = path(name);
        match node {
            MemoryNode::Dir => changes[3].push(Change::RemoveDir { path }),
            MemoryNode::File(before, _) => {
                changes[2].push(Change::RemoveFile { path, before: before.clone() });
            }
        }
    }
    VettedChange::for_test(changes.concat())
}

fn kept(tree: &dyn Tree, old: &Nodes, new: &Nodes, name: &str) -> Result<(), ApplyError> {
    commit(tree, &Still, &preview(old, new), &run(name))?.keep().map(drop)
}

/// Every kind of change at once, with names and bytes that are not plain ASCII.
fn every_kind() -> (Nodes, Nodes) {
    let old = nodes([
        ("a b", MemoryNode::Dir),
        ("a b/файл", MemoryNode::File(b"\xff\xfe old".into(), 0o755)),
        ("gone", MemoryNode::Dir),
        ("gone/deep", MemoryNode::Dir),
        ("gone/deep/x", file("x")),
        ("gone/y", MemoryNode::File(b"y".into(), 0o400)),
        ("same", file("same")),
        ("top", file("one\n")),
    ]);
    let new = nodes([
        ("a b", MemoryNode::Dir),
        ("a b/файл", MemoryNode::File(b"new".into(), 0o755)),
        ("a b/new", file("")),
        ("made", MemoryNode::Dir),
        ("made/deep", MemoryNode::Dir),
        ("made/deep/z", file("zzz")),
        ("same", file("same")),
        ("top", file("two\n")),
    ]);
    (old, new)
}

const FOLDERS: [&str; 5] = ["d1", "d1/d2", "d1/d2/d3", "d 4", "папка"];

/// Two trees over the same few names; a file that stays keeps its mode.
fn two_trees() -> impl Strategy<Value = (Nodes, Nodes)> {
    let tree = || {
        let folders = proptest::collection::vec(any::<bool>(), FOLDERS.len());
        let files = proptest::collection::btree_map((0..=FOLDERS.len(), 0..3_u8), 0..5_u8, 0..9);
        (folders, files).prop_map(|(folders, files)| {
            let mut nodes = Nodes::new();
            for (name, there) in FOLDERS.iter().zip(folders) {
                let above = name.rsplit_once('/').map(|(above, _)| above);
                if there && above.is_none_or(|above| nodes.contains_key(above)) {
                    nodes.insert((*name).to_owned(), MemoryNode::Dir);
                }
            }
            for ((folder, name), text) in files {
                let bytes = vec![text; usize::from(text) * 3];
                match FOLDERS.get(folder) {
                    None => nodes.insert(format!("f{name}"), MemoryNode::File(bytes, 0o644)),
                    Some(above) if nodes.contains_key(*above) => {
                        nodes.insert(format!("{above}/f{name}"), MemoryNode::File(bytes, 0o644))
                    }
                    Some(_) => None,
                };
            }
            nodes
        })
    };
    (tree(), tree())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_change_is_made_whole_and_rolled_back_whole((old, new) in two_trees()) {
        let tree = MemoryTree::new(old.clone());
        let applied = commit(&tree, &Still, &preview(&old, &new), &run("1")).unwrap();
        prop_assert_eq!(tree.nodes(), new.clone());
        prop_assert_eq!(applied.roll_back().unwrap(), Vec::<RepoPath>::new());
        prop_assert_eq!(tree.nodes(), old.clone());
        prop_assert!(recover(&tree).unwrap().is_none());

        drop(commit(&tree, &Still, &preview(&old, &new), &run("2")).unwrap());
        prop_assert_eq!(recover(&tree).unwrap(), Some(run("2")));
        prop_assert_eq!(tree.nodes(), old.clone());

        kept(&tree, &old, &new, "3").unwrap();
        if old != new {
            undo(&tree).unwrap();
            prop_assert_eq!(tree.nodes(), old);
            redo(&tree).unwrap();
        }
        prop_assert_eq!(tree.nodes(), new);
    }
}
