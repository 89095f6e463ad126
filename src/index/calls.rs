//! Who calls whom, by name: each call led to the definitions its name can mean.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use super::code::FileId;
use super::facts::{Call, SymbolKind};
use super::links::Links;

/// A definition: a file and a place in its `facts.symbols`.
pub type Place = (FileId, u32);

/// A call that stands in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallSite {
    /// The file.
    pub file: FileId,
    /// The innermost function, method or test around it; `None` at the top of the file.
    pub caller: Option<u32>,
    /// The first line of such a call there.
    pub line: u32,
    /// How sure it is that the call means the definition.
    pub certainty: Certainty,
}

/// How a call was led to a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Its name is defined in the file, or the file's imports lead there.
    Followed,
    /// It bears the name of the one member, in the files that the calling file takes something from.
    Member,
}

/// The calls of a repository by what they call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallGraph {
    callers: BTreeMap<Place, Vec<CallSite>>,
    callees: BTreeMap<Place, Vec<Place>>,
}

impl CallGraph {
    /// Leads every call to its definitions; calls to what the repository does not define are left out.
    pub fn of(links: &Links<'_>, calls: &[(FileId, Vec<Call>)]) -> Self {
        let mut graph = Self::default();
        for (file, calls) in calls {
            let members = members(links, *file);
            // A name means the same in all of a file.
            let mut known: HashMap<&str, (Vec<Place>, Certainty)> = HashMap::new();
            for call in calls {
                let (places, certainty) = known.entry(&call.callee).or_insert_with(|| {
                    let followed = followed(links, *file, &call.callee);
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
            callees.sort_unstable();
            callees.dedup();
        }
        graph
    }

    /// Returns the calls of a definition, by file and line.
    pub fn callers(&self, place: Place) -> &[CallSite] {
        self.callers.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Returns what a function calls, by file and place.
    pub fn callees(&self, place: Place) -> &[Place] {
        self.callees.get(&place).map_or(&[], Vec::as_slice)
    }
}

/// Returns the methods of the files that a file takes something from, by name; those of a name that
/// several bear are left out, since it is open which one is meant.
fn members<'l>(links: &'l Links<'_>, file: FileId) -> HashMap<&'l str, Option<Place>> {
    let mut near: Vec<FileId> =
        links.imports_of(file).iter().flat_map(|link| link.target.files()).copied().collect();
    near.sort_unstable();
    near.dedup();
    let mut members = HashMap::new();
    for id in near {
        let facts = links.index().file(id).and_then(|file| file.facts.as_ref());
        let symbols = facts.into_iter().flat_map(|facts| &facts.symbols).zip(0..);
        for (symbol, at) in symbols.filter(|(symbol, _)| symbol.kind == SymbolKind::Method) {
            let only = members.entry(&*symbol.name).or_insert(Some((id, at)));
            if *only != Some((id, at)) {
                *only = None;
            }
        }
    }
    members
}

fn followed(links: &Links<'_>, file: FileId, name: &str) -> Vec<Place> {
    let kind = |(id, at): Place| {
        let facts = links.index().file(id)?.facts.as_ref()?;
        facts.symbols.get(at as usize).map(|symbol| symbol.kind)
    };
    let mut places = links.follow(file, name);
    places.retain(|place| {
        let inert = [SymbolKind::Module, SymbolKind::Property, SymbolKind::Test];
        kind(*place).is_some_and(|kind| !inert.contains(&kind))
    });
    places
}
