//! Caches good and bad on the real disk.
#![expect(clippy::print_stdout, reason = "the child speaks to its parent")]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::*;

const PLACE: &str = "PAPAYU_TEST_CACHE_PLACE";
const ROUNDS: u32 = 30;
const KEYS: usize = 40;

fn loaded(cache: &OsCache, shelf: Shelf) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    cache.load(shelf, &mut |key, blob| assert_eq!(found.insert(key, blob), None)).unwrap();
    found
}

fn put(shelf: Shelf, key: &str, blob: &[u8]) -> CacheChange {
    CacheChange::Put(shelf, key.to_owned(), blob.to_owned())
}

/// Every key with the same large blob.
fn generation(number: u8) -> Vec<CacheChange> {
    let blob = vec![number; 100_000];
    (0..KEYS).map(|key| put(Shelf::Facts, &format!("{key:03}"), &blob)).collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a child of the test reads its place")]
fn a_kill_at_any_instant_leaves_one_generation_whole() {
    if let Some(place) = std::env::var_os(PLACE) {
        let cache = OsCache::new(Path::new(&place), "1");
        for number in (1..=u8::MAX).cycle() {
            cache.change(&generation(number)).unwrap();
            println!("written");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("index.db");
    let name = "os::cache::tests::a_kill_at_any_instant_leaves_one_generation_whole";
    for round in 0..ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact", "--nocapture"])
            .env(PLACE, &place)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("written")));
        // Anywhere within the next one or two generations.
        std::thread::sleep(Duration::from_millis(u64::from(round * 7 % 60)));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = loaded(&OsCache::new(&place, "1"), Shelf::Facts);
        let first = found.values().next().cloned().unwrap_or_default();
        assert_eq!((found.len(), first.len()), (KEYS, 100_000), "round {round}");
        assert!(found.values().all(|blob| *blob == first), "round {round}: two generations");
    }
}

#[test]
fn what_is_put_is_loaded_and_what_is_forgotten_is_gone_from_every_shelf() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("new/folders/index.db");
    let cache = OsCache::new(&place, "1");
    assert_eq!(loaded(&cache, Shelf::Facts), BTreeMap::new());
    let changes = vec![
        put(Shelf::Facts, "a", b"1"),
        put(Shelf::Facts, "ключ с 'кавычкой'", b""),
        put(Shelf::Calls, "a", b"2"),
        put(Shelf::Facts, "a", b"3"),
        CacheChange::Forget("never there".to_owned()),
    ];
    cache.change(&changes).unwrap();
    let other = OsCache::new(&place, "1");
    let expected = [("a".to_owned(), b"3".to_vec()), ("ключ с 'кавычкой'".to_owned(), Vec::new())];
    assert_eq!(loaded(&other, Shelf::Facts), BTreeMap::from(expected));
    other.change(&[CacheChange::Forget("a".to_owned())]).unwrap();
    assert_eq!(loaded(&cache, Shelf::Calls), BTreeMap::new());
    assert_eq!(loaded(&cache, Shelf::Facts).len(), 1);
}

#[test]
fn another_process_that_writes_is_waited_for_but_not_long() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("index.db");
    let cache = OsCache::new(&place, "1");
    cache.change(&generation(1)).unwrap();
    let other = Connection::open(&place).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let begun = Instant::now();
    let error = cache.load(Shelf::Facts, &mut |_, _| {}).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    assert_eq!(cache.change(&generation(2)).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    assert!(begun.elapsed() < Duration::from_secs(5));
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(loaded(&cache, Shelf::Facts).len(), KEYS);
}

#[test]
fn a_file_that_is_taken_away_or_garbled_under_an_open_cache_is_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("index.db");
    for damage in ["garbled", "cut", "emptied"] {
        let cache = OsCache::new(&place, "1");
        cache.change(&generation(1)).unwrap();
        let good = fs::read(&place).unwrap();
        match damage {
            "garbled" => fs::write(&place, vec![0xa5; good.len()]).unwrap(),
            "cut" => fs::write(&place, &good[..good.len() / 3]).unwrap(),
            _ => fs::write(&place, "").unwrap(),
        }
        let mut count = 0;
        let result = cache.load(Shelf::Facts, &mut |_, _| count += 1);
        // The pages in memory may still be whole; what matters is what comes after.
        assert!(result.is_ok_and(|()| count <= KEYS) || count < KEYS, "{damage}");
        drop(cache);
        let next = OsCache::new(&place, "1");
        let _ = next.load(Shelf::Facts, &mut |_, _| {});
        next.change(&generation(2)).or_else(|_| next.change(&generation(2))).unwrap();
        let found = loaded(&OsCache::new(&place, "1"), Shelf::Facts);
        assert!(found.len() == KEYS && found.values().all(|blob| blob[0] == 2), "{damage}");
    }
}
