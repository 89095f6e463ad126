//! One refresh of a folder, timed from within: what `benches/index.py` runs and compares.
#![expect(clippy::disallowed_methods, reason = "a bench looks at the clock and at itself")]
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]
#![expect(clippy::expect_used, reason = "a bench that cannot run has nothing to say")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use papayu_base::domain::NoEvents;
use papayu_index::{IncrementalIndex, IndexSources, language, store, term_index};
use papayu_lang::Language;
use papayu_system::Tree as _;
use papayu_system::os::{OsCache, OsClock, OsTree};
use papayu_system::survey::FolderSurvey as _;

const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["refresh", root, cache, count] => refresh(Path::new(root), Path::new(cache), count),
        ["words", root, cache, query] => rank(Path::new(root), Path::new(cache), query),
        ["parse", root] => parse(Path::new(root)),
        // `cargo bench` runs every bench without saying what for.
        _ => {
            println!("usage: index refresh ROOT CACHE TIMES | words ROOT CACHE QUERY | parse ROOT");
        }
    }
}

fn with_sources(root: &Path, cache: &Path, job: impl FnOnce(&IndexSources<'_>)) {
    let tree = OsTree::open(root).expect("a folder");
    let cache: PathBuf = store::cache_file(cache, tree.root());
    let cache = OsCache::new(&cache, &store::cache_version());
    let clock = OsClock::new(std::sync::Arc::default());
    let (clock, events) = (&clock, &NoEvents);
    job(&IndexSources {
        survey: &tree,
        cache: &cache,
        shared: None,
        clock,
        events,
        max_file_bytes: MAX_FILE_BYTES,
        later: None,
    });
}

/// Prints a line of milliseconds, files, parsed files, bytes read and peak memory for each refresh.
fn refresh(root: &Path, cache: &Path, times: &str) {
    with_sources(root, cache, |sources| {
        let mut keeper = IncrementalIndex::default();
        for _ in 0..times.parse().unwrap_or(1) {
            let begun = Instant::now();
            let summary = keeper.refresh(sources).expect("a readable folder");
            let time = begun.elapsed().as_secs_f64() * 1e3;
            println!("{time:.1} {} {} {} {}", summary.files, summary.parsed, summary.bytes, peak());
        }
    });
}

fn rank(root: &Path, cache: &Path, query: &str) {
    with_sources(root, cache, |sources| {
        let mut keeper = IncrementalIndex::default();
        keeper.refresh(sources).expect("a readable folder");
        let begun = Instant::now();
        let words = keeper.load_terms(sources);
        let loaded = begun.elapsed().as_secs_f64() * 1e3;
        let ranked = words.rank_files(&[query], 20).len();
        let all = begun.elapsed().as_secs_f64() * 1e3;
        println!("{loaded:.1} {:.1} {ranked} {}", all - loaded, words.bytes());
        let begun = Instant::now();
        let calls: usize = keeper.load_calls(sources).iter().map(|(_, calls)| calls.len()).sum();
        println!("{:.1} {calls} {}", begun.elapsed().as_secs_f64() * 1e3, peak());
    });
}

/// Prints what reading the TypeScript files of a folder comes to on one core, step by step: bytes, then the
/// milliseconds of the processor for the parser alone, for all that is read off its trees with it, and for the
/// bags of words.
fn parse(root: &Path) {
    let tree = OsTree::open(root).expect("a folder");
    let found = tree.survey(&|| false).expect("a readable folder").found;
    let mut texts = Vec::new();
    for found in found
        .iter()
        .filter(|found| Path::new(&found.path).extension().is_some_and(|kind| kind == "ts"))
    {
        let mut bytes = Vec::new();
        tree.fetch(&found.path, MAX_FILE_BYTES, &|_| true, &mut bytes).expect("a readable file");
        texts.extend(String::from_utf8(bytes));
    }
    let mut parser = tree_sitter::Parser::new();
    let language = tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into();
    parser.set_language(&language).expect("a grammar of this version");
    let alone = timed(|| {
        let nodes = texts.iter().filter_map(|text| parser.parse(text, None));
        nodes.map(|tree| tree.root_node().descendant_count()).sum()
    });
    let whole = timed(|| {
        let read = texts.iter().map(|text| language::parse(Language::TypeScript, text));
        read.map(|read| read.facts.symbols.len()).sum()
    });
    let bags = timed(|| texts.iter().map(|text| term_index::encode_bag(text).len()).sum());
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("{bytes} {alone:.0} {whole:.0} {bags:.0}");
}

/// Returns the milliseconds that all of this process's threads computed for in a job.
fn timed(job: impl FnOnce() -> usize) -> f64 {
    let begun = processor();
    std::hint::black_box(job());
    processor() - begun
}

/// The milliseconds that all of this process's threads computed for, in steps of ten; 0 where the system
/// does not say.
fn processor() -> f64 {
    let state = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = state.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * 10.0
}

/// The process's peak memory in kilobytes, 0 where the system does not say.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
