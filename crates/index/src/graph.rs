//! The dependency graph of files: dependents, hubs, entry points, cycles, and the impact of a
//! change.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::code::{FileId, Index};
use super::facts::SymbolKind;
use super::imports::ResolvedImports;
use papayu_lang::Language;

/// A file that more others than this take something from is a hub.
pub const HUB_DEPENDENTS: usize = 5;

/// The dependencies of an index's files; all lists are sorted by path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// By the number of the file.
    dependencies: Vec<Vec<FileId>>,
    /// The reversed edges of `dependencies`.
    dependents: Vec<Vec<FileId>>,
    /// Dependencies that code runs through: neither for types alone, nor a module's own declaration.
    at_run_time: Vec<Vec<FileId>>,
}

/// Files that depend on each other in a ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// All files that each of them reaches and is reached by, sorted.
    pub files: Vec<FileId>,
    /// A shortest ring through the first of them, each file once, in the order of imports.
    pub ring: Vec<FileId>,
}

/// The files that a change of one file can affect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impact {
    /// Files that take something from it, sorted.
    pub direct: Vec<FileId>,
    /// Those, and all that take something from them, and so on; sorted, the file itself left out.
    pub all: Vec<FileId>,
    /// The tests among all of them.
    pub tests: Vec<FileId>,
}

/// The files that start a program, a library or a test run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryPoints {
    /// Files that a manifest names.
    pub named: Vec<FileId>,
    /// Files with a `main`.
    pub mains: Vec<FileId>,
    /// Other source files that depend on some, and that no file but tests depends on.
    pub unused: Vec<FileId>,
    /// Tests.
    pub tests: Vec<FileId>,
}

impl EntryPoints {
    /// Returns the files that start a program or a library, by how certain that is, with the reason in words.
    pub fn by_reason(&self) -> [(&'static str, &[FileId]); 3] {
        [
            ("named by a manifest", &self.named),
            ("with a main", &self.mains),
            ("that no other file but tests imports", &self.unused),
        ]
    }
}

impl Graph {
    /// Returns the graph of the links; a file does not depend on itself.
    pub fn of(links: &ResolvedImports<'_>) -> Self {
        let edges = links.edges().into_iter().map(|edges| (edges.all, edges.at_run_time));
        let (dependencies, at_run_time) = edges.unzip();
        Self::from_edges(dependencies, at_run_time)
    }

    /// Builds the graph; dependents are the reversed edges.
    fn from_edges(dependencies: Vec<Vec<FileId>>, at_run_time: Vec<Vec<FileId>>) -> Self {
        let mut dependents = vec![Vec::new(); dependencies.len()];
        for (targets, id) in dependencies.iter().zip((0..).map(FileId)) {
            for target in targets {
                if let Some(list) = dependents.get_mut(target.0 as usize) {
                    list.push(id);
                }
            }
        }
        Self { dependencies, dependents, at_run_time }
    }

    /// Returns the files that a file takes something from.
    pub fn dependencies(&self, file: FileId) -> &[FileId] {
        self.dependencies.get(file.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns the files that take something from a file.
    pub fn dependents(&self, file: FileId) -> &[FileId] {
        self.dependents.get(file.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns the number of edges.
    pub fn edges(&self) -> usize {
        self.dependencies.iter().map(Vec::len).sum()
    }

    /// Returns all files that a file depends on, directly or indirectly, sorted and without
    /// itself.
    pub fn all_dependencies(&self, file: FileId) -> Vec<FileId> {
        reached(file, &self.dependencies)
    }

    /// Returns all files that depend on a file, directly or indirectly, sorted and without
    /// itself.
    pub fn all_dependents(&self, file: FileId) -> Vec<FileId> {
        reached(file, &self.dependents)
    }

    /// Returns the files with more than [`HUB_DEPENDENTS`] dependents, those with most first.
    pub fn hubs(&self) -> Vec<FileId> {
        let ids = (0..).map(FileId).take(self.dependents.len());
        let mut hubs: Vec<FileId> =
            ids.filter(|id| self.dependents(*id).len() > HUB_DEPENDENTS).collect();
        // Equal counts in the order of files, so that the output is stable.
        hubs.sort_by_key(|id| (std::cmp::Reverse(self.dependents(*id).len()), *id));
        hubs
    }

    /// Returns the groups of files that need each other to run, sorted by their first file.
    /// An import of types only makes no cycle, and neither does a Rust file that declares
    /// another as its module.
    pub fn cycles(&self) -> Vec<Cycle> {
        let pairs = self.at_run_time.iter().zip(0..).flat_map(|(targets, from)| {
            targets
                .iter()
                .map(move |target| (NodeIndex::new(from), NodeIndex::new(target.0 as usize)))
        });
        let count = self.at_run_time.len();
        let mut graph: DiGraph<(), (), usize> = DiGraph::with_capacity(count, 0);
        for _ in 0..count {
            graph.add_node(());
        }
        graph.extend_with_edges(pairs);
        // Kosaraju's does not recurse, so that a chain of 100,000 files is no danger.
        let groups = kosaraju_scc(&graph).into_iter().filter(|group| group.len() > 1);
        let mut cycles: Vec<Cycle> = groups
            .map(|group| {
                let ids = group.iter().filter_map(|node| u32::try_from(node.index()).ok());
                let mut files: Vec<FileId> = ids.map(FileId).collect();
                files.sort_unstable();
                let ring = self.ring(&files);
                Cycle { files, ring }
            })
            .collect();
        cycles.sort_by(|one, other| one.files.cmp(&other.files));
        cycles
    }

    /// Returns a shortest ring through the first file of a group.
    fn ring(&self, group: &[FileId]) -> Vec<FileId> {
        let Some(start) = group.first() else { return Vec::new() };
        // The file from which each file of the group was reached first.
        let mut before: Vec<Option<FileId>> = vec![None; group.len()];
        let mut queue = VecDeque::from([*start]);
        while let Some(at) = queue.pop_front() {
            for next in self.at_run_time.get(at.0 as usize).into_iter().flatten() {
                // A breadth-first search within the group finds a shortest way back.
                let Ok(place) = group.binary_search(next) else { continue };
                let Some(slot) = before.get_mut(place).filter(|slot| slot.is_none()) else {
                    continue;
                };
                *slot = Some(at);
                if next == start {
                    return backwards(*start, at, group, &before);
                }
                queue.push_back(*next);
            }
        }
        // Not reached: a group with more than one file has a way back to each of them.
        vec![*start]
    }

    /// Returns the files that a change of a file can affect.
    pub fn impact(&self, index: &Index, file: FileId) -> Impact {
        let all = self.all_dependents(file);
        let tests = all.iter().copied().filter(|id| is_test_file(index, *id)).collect();
        Impact { direct: self.dependents(file).to_vec(), all, tests }
    }

    /// Returns the files with which programs, libraries and test runs begin.
    pub fn entry_points(&self, links: &ResolvedImports<'_>) -> EntryPoints {
        let index = links.index();
        let named = links.entry_files();
        let mut entries = EntryPoints::default();
        for (file, id) in index.files().iter().zip((0..).map(FileId)) {
            let Some(facts) = file.facts() else { continue };
            // Data files start nothing.
            if matches!(facts.language, Language::Json | Language::Yaml) {
                continue;
            }
            if is_test_file(index, id) {
                // Tests that others import are helpers.
                if self.dependents(id).is_empty() {
                    entries.tests.push(id);
                }
            } else if named.binary_search(&id).is_ok() {
                entries.named.push(id);
            } else if has_main(index, id) {
                entries.mains.push(id);
            // A file without any edges is more likely a script or data than an entry point.
            } else if !self.dependencies(id).is_empty()
                && self.dependents(id).iter().all(|other| is_test_file(index, *other))
            {
                entries.unused.push(id);
            }
        }
        entries
    }
}

/// Returns the ring from the marks of the search: from the last file back to the first.
fn backwards(
    start: FileId,
    last: FileId,
    group: &[FileId],
    before: &[Option<FileId>],
) -> Vec<FileId> {
    let mut ring = vec![last];
    let mut at = last;
    while at != start {
        let place = group.binary_search(&at).ok();
        let Some(earlier) = place.and_then(|place| before.get(place).copied().flatten()) else {
            break;
        };
        ring.push(earlier);
        at = earlier;
    }
    ring.reverse();
    ring
}

/// Returns all files that are reached from a file along the edges, sorted and without itself.
fn reached(file: FileId, edges: &[Vec<FileId>]) -> Vec<FileId> {
    let mut seen = vec![false; edges.len()];
    let mut waiting = vec![file];
    let mut found = Vec::new();
    while let Some(at) = waiting.pop() {
        for next in edges.get(at.0 as usize).into_iter().flatten() {
            if let Some(mark) = seen.get_mut(next.0 as usize).filter(|mark| !**mark) {
                *mark = true;
                waiting.push(*next);
                found.push(*next);
            }
        }
    }
    found.retain(|found| *found != file);
    found.sort_unstable();
    found
}

/// Returns `true` if the path of a file is that of a test.
fn is_test_file(index: &Index, id: FileId) -> bool {
    index.file(id).is_some_and(|file| papayu_lang::is_test(&file.path))
}

/// Returns `true` if programs of a language start at a function with the name `main` or `Main`.
fn starts_at_main(language: Language) -> bool {
    match language {
        Language::Rust
        | Language::Go
        | Language::Java
        | Language::C
        | Language::Cpp
        | Language::CSharp => true,
        Language::TypeScript
        | Language::Tsx
        | Language::JavaScript
        | Language::Jsx
        | Language::Json
        | Language::Yaml
        | Language::Python
        | Language::Ruby
        | Language::Php => false,
    }
}

/// Returns `true` if a file has a `main` function, or is `__main__.py`.
fn has_main(index: &Index, id: FileId) -> bool {
    let Some(file) = index.file(id) else { return false };
    let Some(facts) = file.facts() else { return false };
    let by_name = file.path == "__main__.py" || file.path.ends_with("/__main__.py");
    by_name
        || starts_at_main(facts.language)
            && facts.symbols.iter().any(|symbol| {
                matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method)
                    && matches!(&*symbol.name, "main" | "Main")
            })
}
