//! Evidence from calls: definitions that the failing tests reach, a few calls deep.

use std::collections::{BTreeMap, BTreeSet};

use super::file_lines::FileLines;
use super::library::MAX_SEARCHED;
use super::owners::{line_terms, owner_likeness};
use super::uses::{last_name, operator_methods, used_paths};
use super::{EvidenceOrigin, Library, Piece, Question};
use papayu_index::{FileId, Symbol, SymbolKind};
use papayu_lang::{FileRole, Language};

/// Maximum number of calls between a failing test and a definition.
const MAX_DEPTH: u32 = 4;

/// Maximum number of definitions from which calls are followed, strongest first.
const MAX_FOLLOWED: usize = 120;

/// Longer definitions are whole classes or modules; their calls are not followed.
const MAX_LINES: u32 = 250;

/// The share of a caller's weight that its callees get.
const CALLEE_SHARE: f32 = 0.75;

/// Of a method with more definitions than this, those of the classes that are most like the using line are followed.
const MAX_HOLDERS: usize = 3;

/// The likeness that a class needs if nothing else leads to its file.
const LEAST_LIKENESS: f32 = 0.3;

/// The names of constructors.
const CONSTRUCTORS: [&str; 5] = ["__init__", "constructor", "new", "initialize", "__construct"];

/// Returns a piece for every definition that a failing test or a frame of the stack calls, directly or
/// through other definitions.
pub fn reach_pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    let mut walk =
        ReachWalk { library, question, nodes: BTreeMap::new(), sources: BTreeSet::new() };
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

/// A use of a name in a definition.
struct NameUse<'t> {
    path: &'t str,
    /// The first line that has it.
    line: &'t str,
    /// True for the method of an operator, which many classes have.
    is_operator: bool,
}

struct ReachWalk<'l, 'a> {
    library: &'l Library<'a>,
    question: &'l Question,
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
        let uses = list_uses(&text, self.library.path(file), lines);
        let names: Vec<&str> = uses.iter().map(|it| last_name(it.path)).collect();
        let mut unknown: Vec<&NameUse<'_>> = Vec::new();
        for used in &uses {
            if !self.library.work.spend(1) {
                return false;
            }
            let targets = self.find_targets(file, lines, used);
            if targets.is_empty() && step.depth == 0 {
                unknown.push(used);
            }
            self.add_targets(targets, &names, step);
        }
        let searched: Vec<&str> = unknown.iter().map(|used| last_name(used.path)).collect();
        let defined = self.library.index.definitions_of(&searched, MAX_SEARCHED);
        for used in unknown {
            let found = defined.get(last_name(used.path)).cloned().unwrap_or_default();
            let found = found.into_iter().filter(|(id, symbol)| {
                symbol.kind == SymbolKind::Method && self.library.role(*id) == FileRole::Source
            });
            let targets = self.most_alike(found.collect(), used, LEAST_LIKENESS);
            self.add_targets(targets, &names, step);
        }
        true
    }

    /// Adds what a definition uses by one name.
    fn add_targets(
        &mut self,
        targets: Vec<(FileId, &'a Symbol)>,
        called: &[&str],
        step: ReachStep,
    ) {
        #[expect(clippy::cast_precision_loss, reason = "there are few targets")]
        let share = CALLEE_SHARE / (targets.len() as f32).max(1.0).sqrt();
        for (target, symbol) in targets {
            let next =
                ReachStep { weight: step.weight * share, depth: step.depth + 1, followed: false };
            self.add_definition(target, symbol, called, next);
        }
    }

    /// Returns the methods of the classes that are most like the line of a use, at most as many as are followed.
    fn most_alike(
        &self,
        found: Vec<(FileId, &'a Symbol)>,
        used: &NameUse<'_>,
        least: f32,
    ) -> Vec<(FileId, &'a Symbol)> {
        let terms = line_terms(used.line);
        let query = &self.question.query;
        let alike = |(id, symbol): (FileId, &'a Symbol)| {
            let owner = symbol_at(self.library, id, symbol.parent?)?;
            let likeness = owner_likeness(&owner.name, &terms, query);
            (likeness >= least && likeness > 0.0).then_some((likeness, (id, symbol)))
        };
        let mut alike: Vec<(f32, (FileId, &'a Symbol))> =
            found.into_iter().filter_map(alike).collect();
        alike.sort_by(|one, other| other.0.total_cmp(&one.0));
        alike.truncate(MAX_HOLDERS);
        alike.into_iter().map(|(_, target)| target).collect()
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
        used: &NameUse<'_>,
    ) -> Vec<(FileId, &'a Symbol)> {
        let library = self.library;
        let is_shown = |id: FileId| id == file || library.role(id) == FileRole::Source;
        let followed = library.follow(file, used.path);
        let followed =
            followed.iter().filter_map(|(id, at)| Some((*id, symbol_at(library, *id, *at)?)));
        let found: Vec<_> = followed
            .filter(|(id, symbol)| is_shown(*id) && symbol.kind != SymbolKind::Property)
            .collect();
        if !found.is_empty() {
            return implementations(library, found);
        }
        let name = last_name(used.path);
        let is_other = |symbol: &Symbol| (symbol.start, symbol.end) != lines;
        let mut found = functions_named(library, file, name);
        found.retain(|(_, symbol)| is_other(symbol));
        if (found.is_empty() || used.is_operator) && name.len() >= 3 {
            for id in self.sources.iter().filter(|id| **id != file) {
                found.extend(functions_named(library, *id, name));
            }
            library.work.spend(self.sources.len());
        }
        let found = implementations(library, found);
        if found.len() > MAX_HOLDERS || used.is_operator {
            self.most_alike(found, used, 0.0)
        } else {
            found
        }
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
pub fn functions_named<'a>(
    library: &Library<'a>,
    id: FileId,
    name: &str,
) -> Vec<(FileId, &'a Symbol)> {
    let kinds = [SymbolKind::Method, SymbolKind::Function];
    let places = library.links.symbols_named(id, name);
    library.work.spend(places.len());
    let named = places.iter().filter_map(|at| symbol_at(library, id, *at));
    named.filter(|symbol| kinds.contains(&symbol.kind)).map(|symbol| (id, symbol)).collect()
}

/// Returns `true` for the name of a constructor.
pub fn is_constructor(name: &str) -> bool {
    CONSTRUCTORS.contains(&name)
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

/// Returns the names that the lines of a definition use, each once.
fn list_uses<'t>(text: &'t FileLines, path: &str, lines: (u32, u32)) -> Vec<NameUse<'t>> {
    let language = Language::of_path(path);
    let mut uses: Vec<NameUse<'t>> = Vec::new();
    for line in text.range(lines) {
        let called = used_paths(line).map(|path| NameUse { path, line, is_operator: false });
        let operators = operator_methods(language, line).into_iter();
        let operators = operators.map(|path| NameUse { path, line, is_operator: true });
        uses.extend(called.chain(operators));
    }
    // The sort keeps the order of equal paths, so that the first line of each remains.
    uses.sort_by_key(|it| it.path);
    uses.dedup_by_key(|it| it.path);
    uses
}
