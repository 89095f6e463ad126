//! An index that follows a folder.
#![expect(clippy::disallowed_methods, reason = "the tests change the disk and look at the clock")]

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::{IncrementalIndex, IndexSources, PAUSE, watch_files};
use papayu_base::domain::NoEvents;
use papayu_system::cache::MemoryCache;
use papayu_system::os::{OsClock, OsTree};

/// Follows a folder while `story` changes it; `story` gets the paths of the index after each change.
fn follow(story: impl FnOnce(&std::path::Path, &mpsc::Receiver<Vec<String>>)) {
    let root = tempfile::tempdir().unwrap();
    let tree = OsTree::open(root.path()).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let clock = OsClock::new(Arc::clone(&stop));
    let cache = MemoryCache::default();
    let sources = IndexSources {
        survey: &tree,
        cache: &cache,
        shared: None,
        clock: &clock,
        events: &NoEvents,
        max_file_bytes: 1 << 20,
        later: None,
    };
    let (to, shown) = mpsc::channel();
    std::thread::scope(|scope| {
        let watching = scope.spawn(move || {
            watch_files(&mut IncrementalIndex::default(), &sources, &mut |indexer, _| {
                let files = indexer.index().files();
                to.send(files.iter().map(|file| file.path.clone()).collect()).is_ok()
            })
        });
        let root = papayu_system::Tree::root(&tree);
        let reported =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| story(root, &shown)));
        stop.store(true, Ordering::Relaxed);
        assert!(watching.join().unwrap().is_ok());
        reported.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

/// Waits until the index shows these paths; a busy machine may take its time.
fn await_paths(shown: &mpsc::Receiver<Vec<String>>, expected: &[&str]) {
    let begun = Instant::now();
    let mut last = Vec::new();
    while let Ok(paths) =
        shown.recv_timeout(Duration::from_secs(20).saturating_sub(begun.elapsed()))
    {
        if paths == expected {
            return;
        }
        last = paths;
    }
    panic!("{last:?} is all that came, not {expected:?}");
}

#[test]
fn folders_that_come_move_and_go_and_rules_that_change_are_followed() {
    follow(|root, shown| {
        await_paths(shown, &[]);
        fs::create_dir_all(root.join("new/deep")).unwrap();
        fs::write(root.join("new/deep/a.ts"), "let a").unwrap();
        await_paths(shown, &["new/deep/a.ts"]);
        fs::write(root.join("new/deep/b.ts"), "let b").unwrap();
        await_paths(shown, &["new/deep/a.ts", "new/deep/b.ts"]);
        fs::rename(root.join("new"), root.join("old")).unwrap();
        await_paths(shown, &["old/deep/a.ts", "old/deep/b.ts"]);
        fs::write(root.join("old/deep/c.ts"), "let c").unwrap();
        await_paths(shown, &["old/deep/a.ts", "old/deep/b.ts", "old/deep/c.ts"]);
        fs::write(root.join(".gitignore"), "b.ts\n").unwrap();
        await_paths(shown, &[".gitignore", "old/deep/a.ts", "old/deep/c.ts"]);
        // The same name again is another folder.
        fs::remove_dir_all(root.join("old")).unwrap();
        fs::create_dir_all(root.join("old/deep")).unwrap();
        fs::write(root.join("old/deep/d.ts"), "let d").unwrap();
        await_paths(shown, &[".gitignore", "old/deep/d.ts"]);
        fs::write(root.join("old/deep/e.ts"), "let e").unwrap();
        await_paths(shown, &[".gitignore", "old/deep/d.ts", "old/deep/e.ts"]);
    });
}

#[test]
fn a_change_is_shown_once_and_reading_is_no_change() {
    follow(|root, shown| {
        await_paths(shown, &[]);
        fs::write(root.join("a.ts"), "let a = 1").unwrap();
        await_paths(shown, &["a.ts"]);
        fs::read(root.join("a.ts")).unwrap();
        assert!(shown.recv_timeout(Duration::from_millis(2500)).is_err());
    });
}

#[test]
fn a_series_of_changes_is_few_updates_and_the_last_one_is_seen_within_a_second() {
    follow(|root, shown| {
        await_paths(shown, &[]);
        let started = Instant::now();
        for number in 0..12 {
            fs::write(root.join("a.ts"), format!("let a = {number}")).unwrap();
            std::thread::sleep(Duration::from_millis(100));
        }
        // On a slow machine the series takes longer than 1.2 s.
        let most = started.elapsed().as_millis() / PAUSE.as_millis() + 1;
        let mut updates = 0;
        while shown.recv_timeout(Duration::from_millis(1_500)).is_ok() {
            updates += 1;
        }
        assert!((1..=most).contains(&updates), "{updates} updates, at most {most}");
    });
}
