//! Evidence from calls: definitions that the failing tests reach, a few calls deep.

use std::collections::{BTreeMap, BTreeSet};

use super::question::split_identifiers;
use super::{EvidenceOrigin, Library, Piece, Question};
use papayu_index::{FileId, Symbol, SymbolKind};
use papayu_lang::FileRole;

/// Maximum number of calls between a failing test and a definition.
const MAX_DEPTH: u32 = 4;

/// Maximum number of definitions from which calls are followed, strongest first.
const MAX_FOLLOWED: usize = 120;

/// Longer definitions are whole classes or modules; their calls are not followed.
const MAX_LINES: u32 = 250;

/// The share of a caller's weight that its callees get.
const CALLEE_SHARE: f32 = 0.75;

/// Names of methods with more definitions than this are ignored.
const MAX_HOLDERS: usize = 3;

/// The names of constructors.
const CONSTRUCTORS: [&str; 5] = ["__init__", "constructor", "new", "initialize", "__construct"];

/// Returns a piece for every definition that a failing test or a frame of the stack calls, directly or
/// through other definitions.
pub fn reach_pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    let mut walk = ReachWalk { library, nodes: BTreeMap::new(), sources: BTreeSet::new() };
    for test in &question.tests {
        walk.add(test.file, test.lines, ReachStep { weight: 1.0, depth: 0, followed: false });
    }
    for frame in question.frames.iter().filter(|frame| !frame.stray) {
        let around = frame.line.and_then(|line| function_around(library, frame.file, line));
        if let Some(symbol) = around {
            let weight = 0.8_f32.powi(i32::try_from(frame.depth).unwrap_or(i32::MAX));
            let lines = (symbol.start, symbol.end);
            walk.add(frame.file, lines, ReachStep { weight, depth: 0, followed: false });
        }
    }
    for _ in 0..MAX_FOLLOWED {
        if !walk.follow_strongest() || !library.work.spend(walk.nodes.len()) {
            break;
        }
    }
    walk.into_pieces()
}

/// A definition that was reached.
type ReachedSymbol = (FileId, (u32, u32));

/// The way to a definition.
#[derive(Clone, Copy)]
struct ReachStep {
    weight: f32,
    depth: u32,
    followed: bool,
}

struct ReachWalk<'l, 'a> {
    library: &'l Library<'a>,
    nodes: BTreeMap<ReachedSymbol, ReachStep>,
    /// The sources among the files of `nodes`.
    sources: BTreeSet<FileId>,
}

impl<'a> ReachWalk<'_, 'a> {
    /// Adds a definition, or raises its weight.
    fn add(&mut self, file: FileId, lines: (u32, u32), step: ReachStep) {
        if self.library.role(file) == FileRole::Source {
            self.sources.insert(file);
        }
        let known = self.nodes.entry((file, lines)).or_insert(step);
        if step.weight > known.weight {
            *known = ReachStep { followed: known.followed, ..step };
        }
    }

    /// Follows the calls of the strongest definition that was not followed yet; `false` if there is none.
    fn follow_strongest(&mut self) -> bool {
        let open = self.nodes.iter().filter(|(_, step)| !step.followed && step.depth < MAX_DEPTH);
        let strongest = open.max_by(|(_, one), (_, other)| one.weight.total_cmp(&other.weight));
        let Some((&(file, lines), &step)) = strongest else { return false };
        self.nodes.insert((file, lines), ReachStep { followed: true, ..step });
        if lines.1 - lines.0 > MAX_LINES {
            return true;
        }
        let Some(text) = self.library.lines(file) else { return true };
        let mut called: Vec<&str> = text.range(lines).flat_map(used_paths).collect();
        called.sort_unstable();
        called.dedup();
        let names: Vec<&str> = called.iter().map(|path| last_name(path)).collect();
        for path in &called {
            if !self.library.work.spend(1) {
                return false;
            }
            let targets = self.find_targets(file, lines, path);
            #[expect(clippy::cast_precision_loss, reason = "there are few targets")]
            let share = CALLEE_SHARE / (targets.len() as f32).max(1.0).sqrt();
            for (target, symbol) in targets {
                let next = ReachStep {
                    weight: step.weight * share,
                    depth: step.depth + 1,
                    followed: false,
                };
                self.add_definition(target, symbol, &names, next);
            }
        }
        true
    }

    /// Adds a function, or of a class its constructor and the methods that are called with it.
    fn add_definition(
        &mut self,
        file: FileId,
        symbol: &'a Symbol,
        called: &[&str],
        step: ReachStep,
    ) {
        if symbol.kind != SymbolKind::Class {
            return self.add(file, (symbol.start, symbol.end), step);
        }
        let symbols = self.library.facts(file).map(|facts| facts.symbols.as_slice());
        let symbols = symbols.unwrap_or_default();
        self.library.work.spend(symbols.len());
        for method in symbols.iter().filter(|method| method.kind == SymbolKind::Method) {
            let owner = method.parent.and_then(|parent| symbols.get(parent as usize));
            let is_own = owner.is_some_and(|owner| owner.name == symbol.name);
            let name = &*method.name;
            if is_own && (CONSTRUCTORS.contains(&name) || called.contains(&name)) {
                self.add(file, (method.start, method.end), step);
            }
        }
    }

    /// Returns the definitions that a called path means: by imports, else methods of that name in the
    /// same file, else in a file that was reached.
    fn find_targets(
        &self,
        file: FileId,
        lines: (u32, u32),
        path: &str,
    ) -> Vec<(FileId, &'a Symbol)> {
        let library = self.library;
        let is_shown = |id: FileId| id == file || library.role(id) == FileRole::Source;
        let followed = library.follow(file, path);
        let followed =
            followed.iter().filter_map(|(id, at)| Some((*id, symbol_at(library, *id, *at)?)));
        let found: Vec<_> = followed
            .filter(|(id, symbol)| is_shown(*id) && symbol.kind != SymbolKind::Property)
            .collect();
        if !found.is_empty() {
            return implementations(library, found);
        }
        let name = last_name(path);
        let is_other = |symbol: &Symbol| (symbol.start, symbol.end) != lines;
        let mut found = functions_named(library, file, name);
        found.retain(|(_, symbol)| is_other(symbol));
        if found.is_empty() && name.len() >= 3 {
            for id in self.sources.iter().filter(|id| **id != file) {
                found.extend(functions_named(library, *id, name));
            }
            library.work.spend(self.sources.len());
        }
        let found = implementations(library, found);
        if found.len() > MAX_HOLDERS { Vec::new() } else { found }
    }

    /// Returns the symbols that a failing test reaches, without the tests themselves.
    fn into_pieces(self) -> Vec<Piece> {
        let library = self.library;
        let called = self.nodes.into_iter().filter(|(_, step)| step.depth > 0);
        let piece = |((file, lines), step): (ReachedSymbol, ReachStep)| Piece {
            file,
            lines: Some(lines),
            origin: EvidenceOrigin::Reach,
            weight: step.weight,
            why: format!("the failing test reaches {}:{}", library.path(file), lines.0),
        };
        called.map(piece).collect()
    }
}

/// Replaces declarations of overloads by the definition with the body, which has the same name in the file.
fn implementations<'a>(
    library: &Library<'a>,
    found: Vec<(FileId, &'a Symbol)>,
) -> Vec<(FileId, &'a Symbol)> {
    let mut real: Vec<(FileId, &'a Symbol)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (id, symbol) in found {
        let target = if is_overload(library, id, symbol) {
            find_body(library, id, symbol).unwrap_or(symbol)
        } else {
            symbol
        };
        if seen.insert((id, target.start)) {
            real.push((id, target));
        }
    }
    real
}

/// Returns the definition of an overloaded name that is no overload itself.
fn find_body<'a>(library: &Library<'a>, id: FileId, overload: &Symbol) -> Option<&'a Symbol> {
    let places = library.links.symbols_named(id, &overload.name);
    let mut named = places.iter().filter_map(|at| symbol_at(library, id, *at));
    named.find(|other| other.parent == overload.parent && !is_overload(library, id, other))
}

/// Returns the functions and methods of a file with a name.
fn functions_named<'a>(library: &Library<'a>, id: FileId, name: &str) -> Vec<(FileId, &'a Symbol)> {
    let kinds = [SymbolKind::Method, SymbolKind::Function];
    let places = library.links.symbols_named(id, name);
    library.work.spend(places.len());
    let named = places.iter().filter_map(|at| symbol_at(library, id, *at));
    named.filter(|symbol| kinds.contains(&symbol.kind)).map(|symbol| (id, symbol)).collect()
}

/// Returns the symbol at a position in the facts of a file.
fn symbol_at<'a>(library: &Library<'a>, id: FileId, at: u32) -> Option<&'a Symbol> {
    library.facts(id)?.symbols.get(at as usize)
}

/// Returns `true` for a declaration that a decorator marks as an overload.
fn is_overload(library: &Library<'_>, id: FileId, symbol: &Symbol) -> bool {
    // Only lines above the one with the name can mark it.
    if symbol.start >= symbol.line {
        return false;
    }
    let Some(lines) = library.lines(id) else { return false };
    library.work.spend((symbol.line - symbol.start) as usize);
    lines
        .range((symbol.start, symbol.line))
        .any(|line| line.trim_start().starts_with('@') && line.trim_end().ends_with("overload"))
}

/// Returns the innermost function around a line.
fn function_around<'a>(library: &Library<'a>, file: FileId, line: u32) -> Option<&'a Symbol> {
    let kinds = [SymbolKind::Function, SymbolKind::Method];
    let symbols = library.facts(file)?.symbols.iter();
    let around = symbols.filter(|symbol| kinds.contains(&symbol.kind));
    let around = around.filter(|symbol| symbol.start <= line && line <= symbol.end);
    around.min_by_key(|symbol| symbol.end - symbol.start)
}

/// Returns the paths that a line calls, and the names of its types, which may be called later.
fn used_paths(line: &str) -> impl Iterator<Item = &str> {
    let types = split_identifiers(line).filter(|name| name.starts_with(char::is_uppercase));
    called_paths(line).chain(types)
}

/// Returns the paths that a line calls: `a.b.c` in `a.b.c(x)`.
fn called_paths(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "_$.:".contains(c);
    line.match_indices(['(', '<', '!']).filter_map(move |(at, _)| {
        let before = line.get(..at)?.trim_end_matches("::");
        let start = before.rfind(|c| !is_part(c)).map_or(0, |before_name| {
            before_name
                + before
                    .get(before_name..)
                    .and_then(|rest| rest.chars().next())
                    .map_or(1, char::len_utf8)
        });
        let path = before.get(start..)?.trim_start_matches(['.', ':']);
        (last_name(path).len() >= 2 && !path.starts_with(|c: char| c.is_ascii_digit()))
            .then_some(path)
    })
}

/// Returns the last name of a path.
fn last_name(path: &str) -> &str {
    path.rsplit(['.', ':']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_calls_are_found_with_their_qualifiers() {
        let paths = |line| called_paths(line).collect::<Vec<_>>();
        assert_eq!(paths("x = self.store.save(a, wrap(b))"), ["self.store.save", "wrap"]);
        assert_eq!(paths("let v = Vec::<u8>::new();"), ["Vec", "new"]);
        assert_eq!(paths("if (a < 2) {}"), Vec::<&str>::new());
    }
}
