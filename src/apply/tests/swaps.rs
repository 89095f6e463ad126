//! Folders that somebody trades for links while a change is written: nothing else is touched.
#![expect(clippy::disallowed_methods, reason = "the tests look at the disk itself")]

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;
use papayu_base::domain::Sha256;
use papayu_system::os::OsTree;
use papayu_system::{Entry, Lock, Owner};

/// A tree on disk that calls `hook` with the number of each operation before it is done.
struct Hooked<'a> {
    inner: &'a OsTree,
    hook: &'a (dyn Fn(usize) + Send + Sync),
    done: AtomicUsize,
}

impl Hooked<'_> {
    fn inner(&self) -> &OsTree {
        (self.hook)(self.done.fetch_add(1, Ordering::Relaxed));
        self.inner
    }
}

impl Tree for Hooked<'_> {
    fn root(&self) -> &Path {
        self.inner.root()
    }

    fn seal(&self, bytes: &[u8]) -> io::Result<Sha256> {
        self.inner.seal(bytes)
    }

    fn entry(&self, path: &RepoPath) -> io::Result<Entry> {
        self.inner().entry(path)
    }

    fn resolve(&self, path: &RepoPath) -> io::Result<RepoPath> {
        self.inner().resolve(path)
    }

    fn read(&self, path: &RepoPath, limit: u64) -> io::Result<Vec<u8>> {
        self.inner().read(path, limit)
    }

    fn list(&self, folder: Option<&RepoPath>) -> io::Result<Vec<String>> {
        self.inner().list(folder)
    }

    fn create_for(
        &self,
        path: &RepoPath,
        bytes: &[u8],
        mode: u32,
        owner: Option<Owner>,
    ) -> io::Result<()> {
        self.inner().create_for(path, bytes, mode, owner)
    }

    fn rename(&self, from: &RepoPath, to: &RepoPath) -> io::Result<()> {
        self.inner().rename(from, to)
    }

    fn remove_file(&self, path: &RepoPath) -> io::Result<()> {
        self.inner().remove_file(path)
    }

    fn create_dir(&self, path: &RepoPath) -> io::Result<()> {
        self.inner().create_dir(path)
    }

    fn remove_dir(&self, path: &RepoPath) -> io::Result<()> {
        self.inner().remove_dir(path)
    }

    fn sync_dir(&self, folder: Option<&RepoPath>) -> io::Result<()> {
        self.inner().sync_dir(folder)
    }

    fn lock(&self, path: &RepoPath) -> io::Result<Box<dyn Lock>> {
        self.inner().lock(path)
    }

    fn lock_root(&self) -> io::Result<Box<dyn Lock>> {
        self.inner().lock_root()
    }
}

/// A repository whose folder `d` is to change, and two folders that must not: one inside, one outside.
struct Place {
    folder: tempfile::TempDir,
    outside: tempfile::TempDir,
}

const FILES: [&str; 4] = ["one", "two", "gone", "sub/deep"];

fn fill(folder: &Path, text: &str) {
    fs::create_dir_all(folder.join("sub")).unwrap();
    for name in FILES {
        fs::write(folder.join(name), text).unwrap();
    }
}

/// Returns the names below a folder with their texts.
fn held(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            let below = held(&entry.path()).into_iter();
            found.extend(below.map(|(below, text)| (format!("{name}/{below}"), text)));
        } else {
            found.push((name, fs::read_to_string(entry.path()).unwrap()));
        }
    }
    found.sort();
    found
}

impl Place {
    fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let fast = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let fresh = || tempfile::tempdir_in(&fast).unwrap();
        let place = Self { folder: fresh(), outside: fresh() };
        fill(&place.at("d"), "old");
        // The same text as in `d`, so that a look at it finds nothing wrong.
        fill(&place.at("other"), "old");
        fill(place.outside.path(), "old");
        fs::write(place.at("top"), "old").unwrap();
        symlink("other", place.at("inward")).unwrap();
        symlink(place.outside.path(), place.at("outward")).unwrap();
        place
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Trades the folder `d` and a link, in one instant.
    fn trade(&self, link: &str) {
        renameat_with(CWD, self.at("d"), CWD, self.at(link), RenameFlags::EXCHANGE).unwrap();
    }

    fn others_are_untouched(&self) {
        let untouched: Vec<_> = {
            let mut files = FILES.map(|name| (name.to_owned(), "old".to_owned())).to_vec();
            files.sort();
            files
        };
        assert_eq!(held(&self.at("other")), untouched);
        assert_eq!(held(self.outside.path()), untouched);
    }
}

fn change() -> VettedChange {
    let write = |name: &str| Change::WriteFile {
        path: path(name),
        before: "old".into(),
        after: "new".into(),
    };
    VettedChange::for_test(vec![
        Change::CreateDir { path: path("d/made") },
        Change::CreateFile { path: path("d/made/new"), after: "new".into() },
        write("top"),
        write("d/one"),
        write("d/two"),
        write("d/sub/deep"),
        Change::CreateFile { path: path("d/new"), after: "new".into() },
        Change::RemoveFile { path: path("d/gone"), before: "old".into() },
    ])
}

#[test]
fn a_folder_traded_for_a_link_before_any_operation_leads_nothing_astray() {
    for link in ["inward", "outward"] {
        for keep in [true, false] {
            let (mut refused, mut at) = (0, 0);
            loop {
                let place = Place::new();
                let real = OsTree::open(place.folder.path()).unwrap();
                let hook = |number: usize| {
                    if number == at {
                        place.trade(link);
                    }
                };
                let tree = Hooked { inner: &real, hook: &hook, done: AtomicUsize::new(0) };
                let applied = commit(&tree, &Still, &change(), &run("1"));
                let done = applied.and_then(|applied| {
                    if keep { applied.keep().map(drop) } else { applied.roll_back().map(drop) }
                });
                place.others_are_untouched();
                if tree.done.into_inner() <= at {
                    done.unwrap();
                    break;
                }
                refused += u32::from(done.is_err());
                at += 1;
            }
            assert!(refused > 20, "{link}: {refused} of {at}");
        }
    }
}

#[test]
fn a_folder_traded_for_a_link_again_and_again_leads_nothing_astray() {
    for round in 0..60 {
        let place = Place::new();
        let tree = OsTree::open(place.folder.path()).unwrap();
        let link = if round % 2 == 0 { "inward" } else { "outward" };
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    place.trade(link);
                    std::thread::yield_now();
                }
            });
            for _ in 0..5 {
                if let Ok(applied) = commit(&tree, &Still, &change(), &run("1")) {
                    let _ = applied.roll_back();
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        let is_traded = fs::symlink_metadata(place.at("d")).unwrap().is_symlink();
        if is_traded {
            place.trade(link);
        }
        place.others_are_untouched();
    }
}
