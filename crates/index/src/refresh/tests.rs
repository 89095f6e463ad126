//! Refreshes of real folders, with caches good and bad.
#![expect(clippy::disallowed_methods, reason = "the tests change the disk themselves")]

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use super::*;
use papayu_base::domain::NoEvents;
use papayu_system::Clock;
use papayu_system::os::{OsCache, OsTree};
use papayu_system::survey::{FolderSurvey, Stamp};

/// A clock that says only whether to stop.
struct Stop(AtomicBool);

impl Clock for Stop {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn timestamp(&self) -> String {
        String::new()
    }

    fn fresh_id(&self) -> String {
        String::new()
    }

    fn sleep(&self, _: Duration) -> bool {
        true
    }

    fn interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A repository and a place for its cache.
struct Rig {
    root: tempfile::TempDir,
    tree: OsTree,
    place: PathBuf,
}

impl Rig {
    fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::Builder::new().prefix("индекс ").tempdir().unwrap();
        fs::create_dir(root.path().join("repo")).unwrap();
        let tree = OsTree::open(&root.path().join("repo")).unwrap();
        let place = root.path().join("cache/index.db");
        let rig = Self { root, tree, place };
        for (path, text) in files {
            rig.write(path, text);
        }
        Rig::age();
        rig
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join("repo").join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Waits until every file counts as left alone.
    fn age() {
        std::thread::sleep(Duration::from_millis(2050));
    }

    fn cache(&self) -> OsCache {
        OsCache::new(&self.place, &store::cache_version())
    }

    /// Refreshes as a new process would.
    fn start(&self) -> (IncrementalIndex, RefreshSummary) {
        let mut indexer = IncrementalIndex::default();
        let summary = indexer.refresh(&sources(&self.tree, &self.cache())).unwrap();
        (indexer, summary)
    }
}

static GO_ON: Stop = Stop(AtomicBool::new(false));

fn sources<'a>(survey: &'a dyn FolderSurvey, cache: &'a dyn BlobCache) -> IndexSources<'a> {
    IndexSources {
        survey,
        cache,
        shared: None,
        clock: &GO_ON,
        events: &NoEvents,
        max_file_bytes: 1 << 20,
        later: None,
    }
}

/// Returns how many were parsed, reused and removed.
fn counts(summary: RefreshSummary) -> (usize, usize, usize) {
    (summary.parsed, summary.reused, summary.removed)
}

fn paths(indexer: &IncrementalIndex) -> Vec<&str> {
    indexer.index().files().iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn a_damaged_cache_of_any_sort_is_begun_anew_and_says_nothing_wrong() {
    let rig = Rig::new(&[("a.ts", "export const a = 1;"), ("package.json", "{}")]);
    let (whole, first) = rig.start();
    assert_eq!((counts(first), first.kept), ((2, 0, 0), true));
    let good = fs::read(&rig.place).unwrap();
    let page = 16 * 1024;
    let mut turned = good.clone();
    turned.iter_mut().skip(page).for_each(|byte| *byte ^= 0x55);
    let damages: [(&str, Vec<u8>); 6] = [
        ("empty", Vec::new()),
        ("no database", b"not a database, and longer than a header of one hundred bytes".repeat(9)),
        ("a header alone", good[..100].to_vec()),
        ("cut in a page", good[..good.len() - page / 2].to_vec()),
        ("half", good[..good.len() / 2].to_vec()),
        ("all pages but the first garbled", turned),
    ];
    for (what, bytes) in damages {
        fs::write(&rig.place, bytes).unwrap();
        let (indexer, summary) = rig.start();
        assert_eq!(paths(&indexer), paths(&whole), "{what}");
        assert_eq!(indexer.index().files(), whole.index().files(), "{what}");
        assert_eq!(indexer.index().manifest("package.json"), Some("{}"), "{what}");
        // Either at once, or by the start after the one that found the damage.
        let again = if summary.kept { rig.start().1 } else { (rig.start(), rig.start().1).1 };
        assert_eq!(counts(again), (0, 2, 0), "{what}");
    }
}

#[test]
fn a_byte_turned_anywhere_in_the_cache_changes_nothing_of_the_index() {
    let rig = Rig::new(&[("a.ts", "export const a = 1;"), ("b.ts", "import { a } from './a';")]);
    let (whole, _) = rig.start();
    let good = fs::read(&rig.place).unwrap();
    for at in (0..good.len()).step_by(good.len() / 97) {
        let mut turned = good.clone();
        turned[at] ^= 0xff;
        fs::write(&rig.place, turned).unwrap();
        let (indexer, _) = rig.start();
        assert_eq!(indexer.index().files(), whole.index().files(), "byte {at}");
    }
}

#[test]
fn without_a_cache_that_can_be_written_the_index_is_the_same() {
    let rig = Rig::new(&[("a.ts", "export const a = 1;")]);
    fs::write(rig.root.path().join("file"), "").unwrap();
    fs::create_dir(rig.root.path().join("folder.db")).unwrap();
    symlink("folder.db", rig.root.path().join("link.db")).unwrap();
    let pipe = rig.root.path().join("pipe.db");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let foreign = rig.root.path().join("foreign.db");
    let other = rusqlite::Connection::open(&foreign).unwrap();
    other
        .execute_batch("CREATE TABLE accounts(name TEXT); INSERT INTO accounts VALUES ('x')")
        .unwrap();
    let below_file = rig.root.path().join("file/cache.db");
    let names = ["folder.db", "link.db", "pipe.db", "foreign.db"];
    let mut places: Vec<_> = names.iter().map(|name| rig.root.path().join(name)).collect();
    places.extend([below_file, PathBuf::from("/proc/none/cache.db"), PathBuf::from("/dev/full")]);
    for place in places {
        let cache = OsCache::new(&place, "1");
        let mut indexer = IncrementalIndex::default();
        let sources = sources(&rig.tree, &cache);
        let summary = indexer.refresh(&sources).unwrap();
        assert_eq!((counts(summary), summary.kept), ((1, 0, 0), false), "{}", place.display());
        let found = indexer.load_terms(&sources).rank_files(&["a"], 9).len();
        assert_eq!(found, 0, "one letter is no word");
        assert_eq!(
            indexer.load_terms(&sources).rank_files(&["export"], 9).len(),
            1,
            "{}",
            place.display()
        );
    }
    let left: i64 = other.query_row("SELECT count(*) FROM accounts", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 1, "another program's data stays");
}

#[test]
fn a_cache_of_another_version_is_begun_anew() {
    let rig = Rig::new(&[("a.ts", "export const a = 1;")]);
    let mut indexer = IncrementalIndex::default();
    indexer.refresh(&sources(&rig.tree, &OsCache::new(&rig.place, "older"))).unwrap();
    assert_eq!(counts(rig.start().1), (1, 0, 0));
    assert_eq!(counts(rig.start().1), (0, 1, 0));
}

#[test]
fn a_cache_that_another_process_holds_is_done_without_in_half_a_second() {
    let rig = Rig::new(&[("a.ts", "export const a = 1;")]);
    rig.start();
    let other = rusqlite::Connection::open(&rig.place).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let begun = SystemTime::now();
    let (_, summary) = rig.start();
    assert_eq!((counts(summary), summary.kept), ((1, 0, 0), false));
    assert!(begun.elapsed().unwrap() < Duration::from_secs(5));
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(counts(rig.start().1), (0, 1, 0));
}

#[test]
fn two_that_fill_one_cache_at_once_both_have_the_whole_index() {
    let texts: Vec<_> =
        (0..300).map(|n| (format!("f{n}.ts"), format!("export const v{n} = {n};"))).collect();
    let files: Vec<_> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let rig = Rig::new(&files);
    let kept: Vec<_> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| rig.start())).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let expected = rig.start();
    assert_eq!(counts(expected.1), (0, 300, 0));
    for (indexer, summary) in &kept {
        assert_eq!(summary.files, 300);
        assert_eq!(indexer.index().files(), expected.0.index().files());
    }
}

#[test]
fn what_is_no_text_is_known_by_name_and_what_has_no_name_is_counted() {
    let rig =
        Rig::new(&[("a.ts", "export const a = 1;"), ("ignored.log", ""), (".gitignore", "*.log")]);
    rig.write("image.png", b"\x89PNG\r\n\0\0");
    rig.write("unsure.txt", b"\x81\x8d\x01\x90\x9d\xff");
    rig.write("long.ts", vec![b' '; (1 << 20) + 1]);
    rig.write(
        "русский.py",
        "имя = 1".encode_utf16().fold(vec![0xff, 0xfe], |mut bytes, unit| {
            bytes.extend(unit.to_le_bytes());
            bytes
        }),
    );
    rig.write("line\nbreak.ts", "");
    let odd = std::ffi::OsStr::from_bytes(b"\xff.ts");
    fs::write(rig.at("").join(odd), "").unwrap();
    symlink("loop", rig.at("loop")).unwrap();
    symlink(".", rig.at("self")).unwrap();
    symlink("/etc/passwd", rig.at("outside.ts")).unwrap();
    let (indexer, summary) = rig.start();
    let expected = [
        ".gitignore", "a.ts", "image.png", "long.ts", "loop", "outside.ts", "self", "unsure.txt",
        "русский.py",
    ];
    assert_eq!(paths(&indexer), expected);
    let message = RefreshSummary {
        files: 9,
        parsed: 3,
        binaries: 1,
        large: 1,
        symlinks: 3,
        skipped_non_utf8: 1,
        unnamed: 2,
        bytes: summary.bytes,
        kept: true,
        ..RefreshSummary::default()
    };
    assert_eq!(summary, message);
    assert_eq!(counts(rig.start().1), (0, 3, 0));
}

#[test]
fn a_file_written_twice_within_one_tick_of_the_clock_is_read_again() {
    let rig = Rig::new(&[]);
    let time = SystemTime::now();
    let set = || fs::File::open(rig.at("a.py")).unwrap().set_modified(time).unwrap();
    rig.write("a.py", "import one");
    set();
    let before = rig.start().0;
    // The same length, the same time, the same inode.
    rig.write("a.py", "import two");
    set();
    let (after, summary) = rig.start();
    assert_eq!(summary.parsed, 1);
    let content = |indexer: &IncrementalIndex| indexer.file_mark(FileId(0)).unwrap().content;
    assert_ne!(content(&before), content(&after));
}

#[test]
fn an_unchanged_file_with_a_new_stamp_is_read_but_not_parsed() {
    let rig = Rig::new(&[("a.ts", "export const a = 1;"), ("go.mod", "module x")]);
    rig.start();
    rig.write("a.ts", "export const a = 1;");
    fs::remove_file(rig.at("go.mod")).unwrap();
    rig.write("go.mod", "module x");
    Rig::age();
    let (indexer, summary) = rig.start();
    assert_eq!((counts(summary), summary.bytes), ((0, 2, 0), 27));
    assert_eq!(indexer.index().manifest("go.mod"), Some("module x"));
    assert_eq!(rig.start().1.bytes, 0, "the new stamps were kept");
}

#[test]
fn files_that_go_come_move_and_turn_into_folders_are_followed_in_one_process_and_in_two() {
    let rig =
        Rig::new(&[("a.ts", "let a"), ("b.ts", "let b"), ("c.ts", "let c"), ("package.json", "1")]);
    let cache = rig.cache();
    let sources = sources(&rig.tree, &cache);
    let mut indexer = IncrementalIndex::default();
    indexer.refresh(&sources).unwrap();
    fs::remove_file(rig.at("a.ts")).unwrap();
    rig.write("a.ts/inside.ts", "let inside");
    fs::rename(rig.at("b.ts"), rig.at("d.ts")).unwrap();
    fs::remove_file(rig.at("c.ts")).unwrap();
    symlink("d.ts", rig.at("c.ts")).unwrap();
    rig.write("package.json", "2");
    Rig::age();
    let summary = indexer.refresh(&sources).unwrap();
    assert_eq!(paths(&indexer), ["a.ts/inside.ts", "c.ts", "d.ts", "package.json"]);
    assert_eq!((counts(summary), summary.symlinks), ((3, 0, 2), 1));
    let (fresh, summary) = rig.start();
    assert_eq!((counts(summary), summary.symlinks), ((0, 3, 0), 1));
    assert_eq!(fresh.index().files(), indexer.index().files());
    assert_eq!(fresh.index().manifest("package.json"), Some("2"));
    assert_eq!(indexer.index().manifest("package.json"), Some("2"));
    // The same bytes under another name are another file.
    let (fresh, _) = rig.start();
    let id = fresh.index().find_path("d.ts").unwrap();
    assert_eq!(fresh.index().file(id).unwrap().path, "d.ts");
    let left = Mutex::new(Vec::new());
    cache.load(Shelf::Facts, &mut |path, _| left.lock().unwrap().push(path)).unwrap();
    let mut left = left.into_inner().unwrap();
    left.sort();
    assert_eq!(left, ["a.ts/inside.ts", "d.ts", "package.json"]);
}

#[test]
fn facts_of_one_file_are_never_anothers_even_when_the_cache_says_so() {
    let rig = Rig::new(&[("a.ts", "export const a = 1;"), ("b.ts", "export const b = 2;")]);
    let (whole, _) = rig.start();
    let cache = rusqlite::Connection::open(&rig.place).unwrap();
    cache
        .execute_batch(
            "UPDATE facts SET value = (SELECT value FROM facts WHERE key = 'a.ts') WHERE key = 'b.ts'",
        )
        .unwrap();
    drop(cache);
    let (indexer, summary) = rig.start();
    assert_eq!(counts(summary), (1, 1, 0));
    assert_eq!(indexer.index().files(), whole.index().files());
}

#[test]
fn an_interrupted_refresh_says_so_and_the_next_one_is_whole() {
    let rig = Rig::new(&[("a.ts", "let a")]);
    let cache = rig.cache();
    let stop = Stop(AtomicBool::new(true));
    let mut indexer = IncrementalIndex::default();
    let error =
        indexer.refresh(&IndexSources { clock: &stop, ..sources(&rig.tree, &cache) }).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    indexer.refresh(&sources(&rig.tree, &cache)).unwrap();
    assert_eq!(paths(&indexer), ["a.ts"]);
}

#[test]
fn a_root_that_went_away_is_an_error_and_the_index_stays() {
    let rig = Rig::new(&[("a.ts", "let a")]);
    let cache = rig.cache();
    let mut indexer = IncrementalIndex::default();
    indexer.refresh(&sources(&rig.tree, &cache)).unwrap();
    fs::remove_dir_all(rig.at("")).unwrap();
    let error = indexer.refresh(&sources(&rig.tree, &cache)).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert_eq!(paths(&indexer), ["a.ts"]);
}

#[test]
fn a_folder_of_very_many_files_is_read_in_the_order_of_their_names() {
    let rig = Rig::new(&[]);
    fs::create_dir(rig.at("many")).unwrap();
    for n in 0..20_000 {
        fs::File::create(rig.at("many").join(format!("{n:06}.txt"))).unwrap();
    }
    let (indexer, summary) = rig.start();
    assert_eq!((summary.files, indexer.index().files().len()), (20_000, 20_000));
    assert!(indexer.index().files().is_sorted_by(|one, other| one.path < other.path));
}

#[test]
fn a_stamp_is_all_of_the_files_state() {
    let rig = Rig::new(&[("a.ts", "let a")]);
    let found = rig.tree.survey(&|| false).unwrap().found;
    let mut bytes = Vec::new();
    let read: Stamp = rig.tree.fetch("a.ts", 99, &|_| true, &mut bytes).unwrap();
    assert_eq!(found.iter().map(|found| found.stamp).collect::<Vec<_>>(), [read]);
    assert_eq!((bytes.as_slice(), read.len), (b"let a".as_slice(), 5));
    assert!(rig.tree.fetch("../cache", 99, &|_| true, &mut bytes).is_err());
    assert!(Path::new(&rig.at("a.ts")).is_file());
}
