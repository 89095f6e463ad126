//! Searches by words find what an index of all facts finds.
#![expect(clippy::disallowed_methods, reason = "the tests write the files that are searched")]

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::lazy_facts::Coverage;
use crate::{FactsParser, IncrementalIndex, IndexSources};
use papayu_base::domain::NoEvents;
use papayu_system::cache::{BlobCache, MemoryCache};
use papayu_system::os::{OsClock, OsTree};

/// A repository of `count` files that all use `common`, the first of which define a name each.
struct Rig {
    _root: tempfile::TempDir,
    tree: Arc<OsTree>,
    cache: MemoryCache,
    clock: OsClock,
}

impl Rig {
    fn new(count: usize) -> Self {
        let root = tempfile::tempdir().unwrap();
        for number in 0..count {
            let text = format!("export function rare{number}() {{ return common({number}); }}\n");
            fs::write(root.path().join(format!("f{number:03}.ts")), text).unwrap();
        }
        let common = "export function common(n: number) { return n; }\nit('common', () => {});\n";
        fs::write(root.path().join("common.ts"), common).unwrap();
        fs::write(root.path().join("lib.rs"), "mod common;\n").unwrap();
        let tree = Arc::new(OsTree::open(root.path()).unwrap());
        let clock = OsClock::new(Arc::new(AtomicBool::new(false)));
        Self { _root: root, tree, cache: MemoryCache::default(), clock }
    }

    fn read_index(&self, on_demand: bool) -> IncrementalIndex {
        let parser = Arc::new(FactsParser::new(self.tree.clone(), 1 << 20));
        let sources = IndexSources {
            survey: self.tree.as_ref(),
            cache: &self.cache,
            shared: None,
            clock: &self.clock,
            events: &NoEvents,
            max_file_bytes: 1 << 20,
            later: on_demand.then_some(&parser),
        };
        let mut keeper = IncrementalIndex::default();
        keeper.refresh(&sources).unwrap();
        keeper.search_by_words(&sources);
        keeper
    }
}

fn parsed(index: &Index) -> usize {
    let files = index.files().iter();
    files.filter(|file| file.lazy_facts().coverage() != Coverage::Words).count()
}

#[test]
fn only_files_with_the_name_are_parsed_and_every_definition_is_found() {
    let rig = Rig::new(50);
    let (lazy, whole) = (rig.read_index(true), Rig::new(50).read_index(false));
    let (lazy, whole) = (lazy.index(), whole.index());
    // A module of Rust may be declared in any file.
    assert_eq!(parsed(lazy), 1);
    assert_eq!(lazy.definitions("rare7"), whole.definitions("rare7"));
    assert_eq!((lazy.definitions("rare7").len(), parsed(lazy)), (1, 2));
    assert_eq!(lazy.definition_places("common"), whole.definition_places("common"));
    assert_eq!(lazy.definitions("common").len(), 1);
    assert!(lazy.definitions("absent").is_empty());
}

#[test]
fn the_rarest_names_are_searched_up_to_the_limit() {
    let rig = Rig::new(50);
    let keeper = rig.read_index(true);
    let found = keeper.index().definitions_of(&["common", "rare1", "rare2"], 10);
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), ["rare1", "rare2"]);
    assert_eq!(parsed(keeper.index()), 3);
    let found = keeper.index().definitions_of(&["common", "rare1"], 1_000);
    let count = |name| found.get(name).map(Vec::len);
    assert_eq!((count("common"), count("rare1")), (Some(1), Some(1)));
}

#[test]
fn a_limit_does_not_depend_on_the_cache() {
    let rig = Rig::new(50);
    let names = ["common", "rare1"];
    let cold = rig.read_index(true).index().definitions_of(&names, 10).len();
    assert_eq!(rig.read_index(false).index().definitions_of(&names, 10).len(), 2);
    assert_eq!(rig.read_index(true).index().definitions_of(&names, 10).len(), cold);
}

#[test]
fn parsed_files_are_kept_and_the_others_are_parsed_when_the_whole_index_is_needed() {
    let rig = Rig::new(50);
    let first = rig.read_index(true);
    first.index().definitions("rare7");
    first.keep_parsed(&rig.cache);
    let second = rig.read_index(true);
    assert_eq!(parsed(second.index()), 2);
    assert_eq!(second.index().definitions("rare7").len(), 1);
    let whole = rig.read_index(false);
    assert_eq!(parsed(whole.index()), whole.index().files().len());
    let mut calls = 0;
    rig.cache.load(papayu_system::cache::Shelf::Calls, &mut |_, _| calls += 1).unwrap();
    assert_eq!(calls, whole.index().files().len());
}

#[test]
fn facts_of_a_file_that_changed_after_the_refresh_are_not_kept() {
    let rig = Rig::new(3);
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let path = papayu_system::Tree::root(rig.tree.as_ref()).join("f001.ts");
    let set_old =
        || fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
    set_old();
    let text = fs::read(&path).unwrap();
    let keeper = rig.read_index(true);
    fs::write(&path, "export function rare1other() {} // rare1\n").unwrap();
    assert!(keeper.index().definitions("rare1").is_empty());
    keeper.keep_parsed(&rig.cache);
    fs::write(&path, text).unwrap();
    set_old();
    assert_eq!(rig.read_index(true).index().definitions("rare1").len(), 1);
}
