//! The call graph: each call is resolved by name to the definitions it can mean.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::code::{FileId, Index, IndexedFile};
use super::facts::{Symbol, SymbolCall, SymbolKind};
use super::imports::ResolvedImports;
use super::queries::{self, Definition};

/// A definition: a file and a place in its `facts.symbols`.
pub type SymbolId = (FileId, u32);

/// A call in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallSite {
    /// The file.
    pub file: FileId,
    /// The innermost function, method or test around it; `None` at the top of the file.
    pub caller: Option<u32>,
    /// The first line of such a call there.
    pub line: u32,
    /// Certainty that the call means this definition.
    pub certainty: Certainty,
}

/// The rule that resolved a call to a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The name is defined in the file, or an import of the file resolves to it.
    Followed,
    /// Only one member of the imported files has this name.
    Member,
}

/// The calls of a repository, grouped by the called definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallGraph {
    /// By the called definition.
    callers: BTreeMap<SymbolId, Vec<CallSite>>,
    /// By the calling definition.
    callees: BTreeMap<SymbolId, Vec<SymbolId>>,
}

impl CallGraph {
    /// Resolves every call to its definitions. Calls to names that the repository does not define
    /// are omitted.
    pub fn of(links: &ResolvedImports<'_>, calls: &[(FileId, Vec<SymbolCall>)]) -> Self {
        let mut graph = Self::default();
        for (file, calls) in calls {
            // Once for each file: a call of a member only has its last name.
            let members = member_places(links, *file);
            // A name means the same in all of a file.
            let mut known: HashMap<&str, (Vec<SymbolId>, Certainty)> = HashMap::new();
            for call in calls {
                let (places, certainty) = known.entry(&call.callee).or_insert_with(|| {
                    let followed = follow_callable(links, *file, &call.callee);
                    if followed.is_empty() {
                        let member = members.get(&*call.callee).copied().flatten();
                        (member.into_iter().collect(), Certainty::Member)
                    } else {
                        (followed, Certainty::Followed)
                    }
                });
                for place in places.iter() {
                    let (caller, line) = (call.caller, call.line);
                    let site = CallSite { file: *file, caller, line, certainty: *certainty };
                    graph.callers.entry(*place).or_default().push(site);
                    if let Some(caller) = caller {
                        graph.callees.entry((*file, caller)).or_default().push(*place);
                    }
                }
            }
        }
        graph.callers.values_mut().for_each(|sites| sites.sort_unstable());
        for callees in graph.callees.values_mut() {
            // Sorted, so that the result does not depend on the order in which files were read.
            callees.sort_unstable();
            callees.dedup();
        }
        graph
    }

    /// Returns the calls of a definition, by file and line.
    pub fn callers(&self, place: SymbolId) -> &[CallSite] {
        self.callers.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Returns what a function calls, by file and place.
    pub fn callees(&self, place: SymbolId) -> &[SymbolId] {
        self.callees.get(&place).map_or(&[], Vec::as_slice)
    }
}

/// A function that calls another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallerRow<'i> {
    /// The file of the call.
    pub path: &'i str,
    /// The first line of such a call in that function.
    pub line: u32,
    /// The innermost function, method or test around it; `None` at the top of the file.
    pub caller: Option<&'i str>,
    /// Certainty that the call means this definition.
    pub certainty: Certainty,
}

/// A definition with its callers and callees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Called<'i> {
    /// The definition.
    pub definition: Definition<'i>,
    /// By path and line.
    pub callers: Vec<CallerRow<'i>>,
    /// By path and line.
    pub callees: Vec<Definition<'i>>,
}

/// Returns every callable definition of a name, with its callers and callees. The name has the form
/// that [`queries::find_definitions`] accepts.
pub fn called_definitions<'i>(index: &'i Index, graph: &CallGraph, name: &str) -> Vec<Called<'i>> {
    let named = |(file, at): SymbolId| Some(&*index.symbol(file, at)?.name);
    let row = |site: &CallSite| {
        Some(CallerRow {
            path: &index.file(site.file)?.path,
            line: site.line,
            caller: site.caller.and_then(|at| named((site.file, at))),
            certainty: site.certainty,
        })
    };
    let found = queries::find_places(index, name).into_iter().filter_map(|(place, definition)| {
        let inert = INERT.contains(&definition.kind);
        (!inert).then(|| Called {
            callers: graph.callers(place).iter().filter_map(row).collect(),
            callees: graph
                .callees(place)
                .iter()
                .filter_map(|(file, at)| queries::definition_at(index, *file, *at))
                .collect(),
            definition,
        })
    });
    found.collect()
}

/// Kinds of symbols that are not called.
const INERT: [SymbolKind; 3] = [SymbolKind::Module, SymbolKind::Property, SymbolKind::Test];

/// Returns, by name, the methods of all imported files, and the functions and classes of files
/// imported as a whole (`import shop.cart`, `import * as cart`).
///
/// The value is `None` for a name that several members share, because the call is ambiguous.
fn member_places<'l>(
    links: &'l ResolvedImports<'_>,
    file: FileId,
) -> HashMap<&'l str, Option<SymbolId>> {
    let mut near: BTreeMap<FileId, bool> = BTreeMap::new();
    for link in links.imports_of(file) {
        let whole = link.names.iter().any(|taken| taken.path.is_empty());
        let modules = link.names.iter().flat_map(|taken| &taken.module).map(|id| (*id, true));
        for (id, whole) in link.target.files().iter().map(|id| (*id, whole)).chain(modules) {
            *near.entry(id).or_default() |= whole;
        }
    }
    let mut members = HashMap::new();
    for (id, whole) in near {
        let facts = links.index().file(id).and_then(IndexedFile::facts);
        let symbols = facts.into_iter().flat_map(|facts| &facts.symbols).zip(0..);
        let is_member = |symbol: &Symbol| match symbol.kind {
            SymbolKind::Method => true,
            SymbolKind::Function | SymbolKind::Class => whole && symbol.parent.is_none(),
            _ => false,
        };
        for (symbol, at) in symbols.filter(|(symbol, _)| is_member(symbol)) {
            let only = members.entry(&*symbol.name).or_insert(Some((id, at)));
            if *only != Some((id, at)) {
                *only = None;
            }
        }
    }
    members
}

/// Returns the definitions of a name that can be called.
fn follow_callable(links: &ResolvedImports<'_>, file: FileId, name: &str) -> Vec<SymbolId> {
    let mut places = links.follow(file, name);
    places.retain(|(id, at)| {
        links.index().symbol(*id, *at).is_some_and(|symbol| !INERT.contains(&symbol.kind))
    });
    places
}
