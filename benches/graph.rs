//! How long the relations between files take, in process: `cargo bench --bench graph`.
//!
//! 10,000 files with 100,000 imports, in folders of a hundred, half of them through folders' index files.
#![expect(clippy::expect_used, reason = "a benchmark makes its own input")]

use std::collections::HashMap;

use divan::Bencher;
use papayu_index::lazy_facts::LazyFacts;
use papayu_index::{
    Complexity, FileFacts, FileId, Graph, Import, ImportKind, ImportedName, Index, IndexedFile,
    ResolvedImports,
};
use papayu_lang::Language;

fn main() {
    divan::main();
}

const FILES: u32 = 10_000;
const IMPORTS: u32 = 10;

fn path(file: u32) -> String {
    let name = if file.is_multiple_of(100) { "index".to_owned() } else { format!("f{file}") };
    format!("src/d{}/{name}.ts", file / 100)
}

/// Imports of a file: spread, always the same, now and then of a folder.
fn imports(file: u32) -> Vec<Import> {
    let target = |at: u32| (file.wrapping_mul(31).wrapping_add(at * at * 977 + 1)) % FILES;
    let import = |at: u32| {
        let target = target(at);
        let path = path(target);
        let module = if at.is_multiple_of(2) {
            format!("../d{}", target / 100)
        } else {
            path.replacen("src/", "../", 1).replace(".ts", "")
        };
        let name = ImportedName { name: "value".into(), alias: None };
        Import {
            module: module.into(),
            kind: ImportKind::Import,
            type_only: false,
            names: vec![name],
            alias: None,
            line: at + 1,
        }
    };
    (0..IMPORTS).map(import).collect()
}

fn index() -> Index {
    let file = |file: u32| {
        let facts = FileFacts {
            language: Language::TypeScript,
            parse_error: false,
            imports: imports(file),
            exports: Vec::new(),
            symbols: Vec::new(),
            complexity: Complexity::default(),
            todos: Vec::new(),
        };
        IndexedFile::new(path(file), LazyFacts::from_facts(Some(facts)))
    };
    Index::new((0..FILES).map(file).collect(), HashMap::new())
}

#[divan::bench(sample_count = 10)]
fn resolve(bencher: Bencher<'_, '_>) {
    let index = index();
    bencher.bench(|| {
        let links = ResolvedImports::of(divan::black_box(&index));
        (0..FILES).map(|file| links.imports_of(FileId(file)).len()).sum::<usize>()
    });
}

#[divan::bench(sample_count = 20)]
fn graph(bencher: Bencher<'_, '_>) {
    let index = index();
    let links = ResolvedImports::of(&index);
    bencher.bench(|| Graph::of(divan::black_box(&links)));
}

#[divan::bench(sample_count = 20)]
fn cycles_and_hubs(bencher: Bencher<'_, '_>) {
    let index = index();
    let graph = Graph::of(&ResolvedImports::of(&index));
    bencher.bench(|| divan::black_box((graph.cycles().len(), graph.hubs().len())));
}

#[divan::bench(sample_count = 20)]
fn impact(bencher: Bencher<'_, '_>) {
    let index = index();
    let graph = Graph::of(&ResolvedImports::of(&index));
    let file = index.find_path(&path(42)).expect("a file");
    bencher.bench(|| graph.impact(&index, divan::black_box(file)).all.len());
}
