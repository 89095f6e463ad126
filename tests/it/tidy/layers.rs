//! The layers of the crate: which module uses which, and that no files use each other.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{Edges, find_cycles, import_graph};
use super::sources;

/// The modules from the bottom up, each with the modules that it uses.
///
/// If the code changes, the test prints the new rows. A new use should have a reason.
const LAYERS: &str = include_str!("layers.txt");

fn module_uses(edges: &Edges) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, targets) in edges {
        let row = uses.entry(top_module(from)).or_default();
        row.extend(targets.iter().map(|to| top_module(to)));
    }
    for (module, row) in &mut uses {
        row.remove(module);
    }
    uses
}

fn top_module(file: &str) -> String {
    file.split('/').nth(1).unwrap_or_default().trim_end_matches(".rs").to_owned()
}

#[test]
fn each_module_uses_exactly_the_modules_of_its_row() {
    let uses = module_uses(&import_graph(&sources("src")));
    let known: Vec<&str> = LAYERS.lines().filter_map(|row| row.split(':').next()).collect();
    let new =
        uses.keys().map(String::as_str).filter(|name| *name != "lib" && !known.contains(name));
    let names: Vec<&str> = known.iter().copied().chain(new).collect();
    let mut rows = String::new();
    for name in names {
        let row: Vec<&str> = uses.get(name).into_iter().flatten().map(String::as_str).collect();
        rows.push_str(format!("{name}: {}", row.join(" ")).trim_end());
        rows.push('\n');
    }
    assert_eq!(rows, LAYERS, "the rows as they should be:\n{rows}");
}

#[test]
fn a_module_uses_only_modules_above_it_in_the_table() {
    let mut above: BTreeSet<&str> = BTreeSet::new();
    for row in LAYERS.lines() {
        let (name, uses) = row.split_once(':').unwrap();
        for used in uses.split_whitespace() {
            assert!(above.contains(used), "`{name}` uses `{used}`, which is below it");
        }
        above.insert(name);
    }
}

#[test]
fn no_files_use_each_other() {
    let cycles = find_cycles(&import_graph(&sources("src")));
    assert!(cycles.is_empty(), "{} cycles:\n{}", cycles.len(), cycles.join("\n"));
}
