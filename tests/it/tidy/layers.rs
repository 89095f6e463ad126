//! The layers: which crate and which module of the root package uses which, and that no files use each other.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{Edges, find_cycles, import_graph};
use super::{source_folders, sources};
use crate::support::project_path;

/// The modules of the root package from the bottom up, each with the modules that it uses.
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
    let uses = module_uses(&import_graph("src", &sources("src")));
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

/// Returns the folder of the sources of a crate, `crates/base/src` for `papayu_base`.
pub(super) fn crate_folder(name: &str) -> String {
    format!("crates/{}/src", name.trim_start_matches("papayu_"))
}

/// Returns the names of each row in a table of layers of `src/lib.rs`, from the bottom up.
pub(super) fn documented_rows(head: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(project_path("src/lib.rs")).unwrap();
    let rows = text.lines().skip_while(|line| *line != head).skip(2);
    rows.take_while(|line| line.starts_with("//! |"))
        .map(|line| {
            let modules = line.rsplit('|').nth(1).unwrap().split(", ");
            let names = modules.filter_map(|cell| cell.split('`').nth(1));
            names.map(|name| name.trim_start_matches("mod@").to_owned()).collect()
        })
        .collect()
}

#[test]
fn the_layers_of_the_documentation_are_those_of_the_code() {
    let layers = documented_rows("//! | layer | modules |");
    let mut documented: Vec<&str> = layers.iter().flatten().map(String::as_str).collect();
    let mut known: Vec<&str> = LAYERS.lines().filter_map(|row| row.split(':').next()).collect();
    documented.sort_unstable();
    known.sort_unstable();
    assert_eq!(documented, known);
    let rank = |name: &str| layers.iter().position(|layer| layer.iter().any(|it| it == name));
    for row in LAYERS.lines() {
        let (name, uses) = row.split_once(':').unwrap();
        for used in uses.split_whitespace() {
            assert!(rank(used) <= rank(name), "`{name}` uses `{used}`, which is in a row below it");
        }
    }
}

#[test]
fn every_crate_is_in_the_table_and_uses_only_crates_above_it() {
    let rows = documented_rows("//! | layer | crates |");
    let mut documented: Vec<String> =
        rows.iter().flatten().map(|name| crate_folder(name)).collect();
    documented.push("src".to_owned());
    documented.sort_unstable();
    assert_eq!(documented, source_folders());
    let rank = |name: &str| rows.iter().position(|row| row.iter().any(|it| it == name));
    for name in rows.iter().flatten() {
        let manifest = crate_folder(name).replace("/src", "/Cargo.toml");
        let manifest = std::fs::read_to_string(project_path(&manifest)).unwrap();
        let (shipped, _) = manifest.split_once("[dev-dependencies]").unwrap_or((&manifest, ""));
        for line in shipped.lines().filter(|line| line.starts_with("papayu-")) {
            let used: String =
                line.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
            let used = used.replace('-', "_");
            assert!(
                rank(&used) <= rank(name),
                "`{name}` uses `{used}`, which is in a row below it"
            );
        }
    }
}

#[test]
fn no_files_use_each_other() {
    let mut cycles = Vec::new();
    for folder in source_folders() {
        cycles.extend(find_cycles(&import_graph(&folder, &sources(&folder))));
    }
    assert!(cycles.is_empty(), "{} cycles:\n{}", cycles.len(), cycles.join("\n"));
}
