//! Graphs of small trees, and one of many files.

use super::*;

fn graph(edges: &[(u32, u32)], count: usize) -> Graph {
    let mut lists = vec![Vec::new(); count];
    for (from, to) in edges {
        lists[*from as usize].push(FileId(*to));
    }
    Graph::from_edges(lists.clone(), lists)
}

fn ids(ids: &[u32]) -> Vec<FileId> {
    ids.iter().map(|id| FileId(*id)).collect()
}

#[test]
fn cycles_are_told_apart_and_each_shows_a_shortest_ring() {
    let graph = graph(&[(0, 1), (1, 2), (2, 0), (1, 0), (2, 3), (3, 4), (4, 3), (5, 0)], 6);
    let expected = [
        Cycle { files: ids(&[0, 1, 2]), ring: ids(&[0, 1]) },
        Cycle { files: ids(&[3, 4]), ring: ids(&[3, 4]) },
    ];
    assert_eq!(graph.cycles(), expected);
}

#[test]
fn a_chain_of_a_hundred_thousand_files_is_no_danger() {
    let count = 100_000;
    let mut edges: Vec<(u32, u32)> = (0..count - 1).map(|at| (at, at + 1)).collect();
    let chain = graph(&edges, count as usize);
    assert_eq!(chain.cycles(), []);
    assert_eq!(chain.all_dependencies(FileId(0)).len(), 99_999);
    edges.push((count - 1, 0));
    let ring = graph(&edges, count as usize);
    assert_eq!(ring.cycles().iter().map(|cycle| cycle.ring.len()).collect::<Vec<_>>(), [100_000]);
    assert_eq!(ring.all_dependents(FileId(7)).len(), 99_999);
}

#[test]
fn hubs_have_more_than_five_dependents_and_stand_by_their_number() {
    let five = (10..15).map(|from| (from, 0));
    let six = (10..16).map(|from| (from, 1));
    let seven = (10..17).map(|from| (from, 2));
    let edges: Vec<(u32, u32)> = five.chain(six).chain(seven).collect();
    assert_eq!(graph(&edges, 17).hubs(), ids(&[2, 1]));
}

#[test]
fn a_change_reaches_dependents_of_dependents_and_their_tests() {
    let texts = [
        ("a.ts", "export const a = 1;\n"),
        ("b.ts", "import { a } from './a';\nexport const b = a;\n"),
        ("c.ts", "import type { b } from './b';\n"),
        ("c.test.ts", "import './c';\n"),
        ("d.ts", ""),
    ];
    let index = Index::of_texts(&texts);
    let links = ResolvedImports::of(&index);
    let graph = Graph::of(&links);
    let path = |id: &FileId| index.file(*id).unwrap().path.as_str();
    let impact = graph.impact(&index, index.find_path("a.ts").unwrap());
    assert_eq!(impact.direct.iter().map(path).collect::<Vec<_>>(), ["b.ts"]);
    assert_eq!(impact.all.iter().map(path).collect::<Vec<_>>(), ["b.ts", "c.test.ts", "c.ts"]);
    assert_eq!(impact.tests.iter().map(path).collect::<Vec<_>>(), ["c.test.ts"]);
}

#[test]
fn types_alone_and_mod_lines_make_no_cycle() {
    let texts = [
        ("a.ts", "import type { B } from './b';\nexport type A = B;\n"),
        ("b.ts", "import { A } from './a';\nexport type B = A;\n"),
        ("src/lib.rs", "mod one;\npub struct Top;\n"),
        ("src/one.rs", "use super::Top;\n"),
        ("Cargo.toml", "[package]\nname = 'x'\n"),
    ];
    let index = Index::of_texts(&texts);
    let graph = Graph::of(&ResolvedImports::of(&index));
    assert_eq!(graph.cycles(), []);
    assert_eq!(graph.edges(), 4);
}

#[test]
fn programs_begin_where_manifests_and_mains_say_and_tests_stand_apart() {
    let texts = [
        ("package.json", r#"{"name": "p", "main": "./dist/index.js", "bin": {"p": "bin/p.js"}}"#),
        ("bin/p.js", "require('../src/index');\n"),
        ("src/index.ts", "import './used';\n"),
        ("src/used.ts", ""),
        ("src/left.ts", "import './used';\n"),
        ("src/tested.ts", "import './used';\n"),
        ("src/used.test.ts", "import './used';\nimport './tested';\n"),
        ("cmd/main.go", "package main\n\nfunc main() {}\n"),
    ];
    let index = Index::of_texts(&texts);
    let links = ResolvedImports::of(&index);
    let entries = Graph::of(&links).entry_points(&links);
    let paths = |list: &[FileId]| crate::queries::file_paths(&index, list).join(" ");
    assert_eq!(paths(&entries.named), "bin/p.js src/index.ts");
    assert_eq!(paths(&entries.mains), "cmd/main.go");
    assert_eq!(paths(&entries.unused), "src/left.ts src/tested.ts");
    assert_eq!(paths(&entries.tests), "src/used.test.ts");
}
