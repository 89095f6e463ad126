//! Real processes killed at random instants while they commit, undo and redo on a real disk.
#![expect(clippy::disallowed_methods, reason = "the test starts, times and kills processes")]
#![expect(
    clippy::print_stdout,
    reason = "the child speaks to its parent, and the parent says what it saw"
)]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::*;
use papayu_system::os::OsTree;

const FOLDER: &str = "PAPAYU_TEST_KILLED_FOLDER";
const TASK: &str = "PAPAYU_TEST_KILLED_TASK";
const ROUNDS: u32 = 300;

fn large() -> (Nodes, Nodes) {
    let (mut old, mut new) = every_kind();
    for index in 0..8 {
        let text = |word: &str| file(&format!("{word} {index}\n").repeat(500));
        old.insert(format!("a b/w{index}"), text("old"));
        new.insert(format!("a b/w{index}"), text("new"));
        old.insert(format!("gone/d{index}"), text("gone"));
        new.insert(format!("made/c{index}"), text("made"));
    }
    (old, new)
}

fn put(root: &Path, nodes: &Nodes) {
    use std::os::unix::fs::PermissionsExt as _;
    for (name, node) in nodes {
        match node {
            MemoryNode::Dir => fs::create_dir(root.join(name)).unwrap(),
            MemoryNode::File(bytes, mode) => {
                fs::write(root.join(name), bytes).unwrap();
                let mode = fs::Permissions::from_mode(*mode);
                fs::set_permissions(root.join(name), mode).unwrap();
            }
        }
    }
}

fn detect_drift(tree: &OsTree, folder: Option<&RepoPath>, found: &mut Nodes) {
    for name in tree.list(folder).unwrap() {
        let path = folder.map_or_else(|| path(&name), |folder| folder.join(&name).unwrap());
        match tree.entry(&path).unwrap() {
            _ if path.as_str() == ".papa-yu" => {}
            Entry::Dir => {
                found.insert(path.to_string(), MemoryNode::Dir);
                detect_drift(tree, Some(&path), found);
            }
            Entry::File { mode, .. } => {
                let bytes = tree.read(&path, 1 << 20).unwrap();
                found.insert(path.to_string(), MemoryNode::File(bytes, mode));
            }
            other => panic!("{path:?}: {other:?}"),
        }
    }
}

fn seen(tree: &OsTree) -> Nodes {
    let mut found = Nodes::new();
    detect_drift(tree, None, &mut found);
    found
}

/// The killed process: does nothing unless the test below started it.
#[test]
fn child_works_until_it_is_killed() {
    let (Ok(folder), Ok(task)) = (std::env::var(FOLDER), std::env::var(TASK)) else { return };
    let tree = OsTree::open(Path::new(&folder)).unwrap();
    let (old, new) = large();
    let change = preview(&old, &new);
    println!("\nready");
    match task.as_str() {
        "commit" => drop(commit(&tree, &Still, &change, &run("1")).unwrap().keep().unwrap()),
        "undo" => drop(undo(&tree).unwrap()),
        "redo" => drop(redo(&tree).unwrap()),
        _ => drop(recover(&tree).unwrap()),
    }
    println!("\ndone");
}

/// Starts the child on a task, kills it `after` it reports that it is ready, or waits for its end; returns
/// how long it worked.
fn child(root: &Path, task: &str, after: Option<Duration>) -> Duration {
    let name = "apply::tests::killed::child_works_until_it_is_killed";
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(FOLDER, root)
        .env(TASK, task)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "ready"), "{task} did not begin");
    let start = Instant::now();
    if let Some(after) = after {
        std::thread::sleep(after);
        child.kill().unwrap();
    } else {
        assert!(lines.any(|line| line == "done"), "{task} failed");
    }
    let worked = start.elapsed();
    child.wait().unwrap();
    worked
}

#[test]
fn a_process_killed_at_a_random_instant_leaves_the_old_tree_or_the_new_one() {
    // Where syncing costs nothing: a kill, unlike a power cut, does not ask what was synced.
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = tempfile::Builder::new().prefix("убит и жив ").tempdir_in(place).unwrap();
    let (old, new) = large();
    put(folder.path(), &old);
    let tree = OsTree::open(folder.path()).unwrap();
    let whole = child(folder.path(), "commit", None);
    assert_eq!(seen(&tree), new);
    undo(&tree).unwrap();
    let (mut olds, mut news, mut recovered) = (0, 0, 0);
    let mut is_new = false;
    for round in 0..ROUNDS {
        let task = match (is_new, round % 3) {
            (true, _) => "undo",
            (false, 0) => "redo",
            (false, _) => "commit",
        };
        // A golden-ratio walk over the time the whole work takes, and a little more.
        let share = (u64::from(round) * 0x9e37_79b9 % 1000) as u32;
        // On a loaded machine the first measure may be far off, so some kills come much earlier and
        // some much later than it reports.
        let scale = 1 << (round % 5);
        child(folder.path(), task, Some(whole * share * scale / 2000));
        if round % 4 == 0 {
            child(folder.path(), "recover", Some(whole * (share % 7) / 30));
        }
        recovered += u32::from(recover(&tree).unwrap().is_some());
        let left = seen(&tree);
        assert!(left == old || left == new, "round {round}, {task}: {left:#?}");
        is_new = left == new;
        if is_new {
            news += 1;
        } else {
            olds += 1;
        }
        if !is_new && redo(&tree).is_err() {
            // The kill came before the first journal, or the change was never kept.
            kept(&tree, &old, &new, "again").unwrap();
        } else if is_new {
            continue;
        }
        undo(&tree).unwrap();
        assert_eq!(seen(&tree), old);
    }
    println!("{olds} old, {news} new, {recovered} recovered of {ROUNDS}, {whole:?} each");
    assert!(olds > 0 && news > 0 && recovered > 0);
}
