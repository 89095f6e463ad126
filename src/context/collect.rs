//! Gathers the context before the first request: what the failure and the goal name, and what stands nearest to it.

use std::collections::BTreeMap;

use super::evidence::blocks::Block;
use super::evidence::words::{self, Scored};
use super::evidence::{self, Library, Origin, Piece, near};
use super::gathered::{Context, Rank, TextKind};
use super::outline::outline;
use super::ranking::{self, Ranked};
use super::windows;
use crate::domain::{FailureReport, RepoPath};
use crate::failure::paths;
use crate::index::words::Words;
use crate::index::{FileId, Graph, Index};
use crate::lang::FileRole;
use crate::project::Profile;
use crate::system::Tree;

/// Files whose blocks are compared, besides those found by words.
const MAX_CANDIDATES: usize = 24;

/// A definition of more lines than this is a whole class: its name says little of each of them.
const WIDE_LINES: u32 = 120;

/// Blocks whose own names are followed.
const STRONG_BLOCKS: usize = 8;

/// Paths listed in the structure before folders are counted instead.
const LISTED_PATHS: usize = 300;

/// Files gathered before the first request, besides manifests and those the goal names.
const MAX_FILES: usize = 8;

/// Characters a file is worth by its place in the order: most of what is shown is what ranks first.
const SHARES: [usize; 8] = [20_000, 16_000, 10_000, 8_000, 6_000, 5_000, 4_000, 4_000];

/// Characters of a test file: the failing tests in it, not the others.
const TEST_SHARE: usize = 5_000;

/// What is known of the repository before the failure is looked at.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// What its files define.
    pub index: &'a Index,
    /// Which words they hold.
    pub words: &'a Words,
}

/// Gathers the files and lines that matter by all evidence there is, ranked; on import errors the
/// manifests too.
pub fn collect(
    tree: &dyn Tree,
    known: Known<'_>,
    report: &FailureReport,
    goal: &str,
    profile: &Profile,
) -> Context {
    let paths: Vec<String> = known.index.files().iter().map(|file| file.path.clone()).collect();
    let context = Context { structure: structure(&paths), ..Context::default() };
    let mut gatherer = Gatherer { tree, files: &paths, context };
    gatherer.named_by_goal(goal);
    let library = Library::new(tree, known.index);
    let links = &library.links;
    let graph = Graph::of(links);
    let cycles = graph.cycles();
    let found = find(&library, known.words, report, goal);
    let ranked: Vec<FileId> = found.iter().map(|(found, _)| found.ranked.file).collect();
    gatherer.context.structure.push_str(&outline(&library, (&graph, &cycles), &ranked));
    for (found, share) in found {
        gatherer.add_ranked(&library, &found, share);
    }
    gatherer.note_hidden(report);
    if report.has_import_error() {
        let why = "a module is missing; manifests say what is installed";
        profile.manifests.iter().for_each(|path| gatherer.add(path, None, (Rank::Related, why)));
    }
    gatherer.context
}

/// A file with the lines of it that matter.
struct Chosen {
    ranked: Ranked,
    lines: Vec<(u32, u32)>,
}

/// Finds the files and lines that matter, best first, each with the characters it is worth.
fn find(
    library: &Library<'_>,
    known: &Words,
    report: &FailureReport,
    goal: &str,
) -> Vec<(Chosen, usize)> {
    let question = evidence::question::ask(library, report, goal);
    let mut pieces = evidence::frames::pieces(library, &question);
    pieces.extend(evidence::tests_of::pieces(library, &question));
    pieces.extend(evidence::namesake::pieces(library, &question));
    pieces.extend(evidence::imports::pieces(library, &question));
    pieces.extend(evidence::names::pieces(library, &question));
    let by_words = words::candidates(library, known, &question);
    let mut candidates: Vec<FileId> = by_words.clone();
    candidates.extend(ranking::by_worth(&pieces).iter().map(|held| held.file).take(MAX_CANDIDATES));
    candidates.retain(|id| library.role(*id) != FileRole::Test);
    candidates.sort_unstable();
    candidates.dedup();
    let mut scored = words::blocks(library, &candidates, &question.query);
    pieces.extend(words::pieces(library, &scored, &by_words));
    add_lines(&mut scored, &pieces);
    let strong = near::strongest(&scored, STRONG_BLOCKS);
    pieces.extend(near::pieces(library, &question, &strong));
    let picked = ranking::pick(library, ranking::by_worth(&pieces), MAX_FILES);
    let shares = picked.into_iter().zip(SHARES);
    shares
        .map(|(ranked, share)| {
            let is_test = library.role(ranked.file) == FileRole::Test;
            let share = if is_test { TEST_SHARE } else { share };
            let lines = lines_of(library, &ranked, &scored, share);
            (Chosen { ranked, lines }, share)
        })
        .collect()
}

/// Chooses a file's lines by the worth of its blocks and the lines that evidence names.
fn lines_of(
    library: &Library<'_>,
    ranked: &Ranked,
    scored: &BTreeMap<FileId, Vec<Scored>>,
    share: usize,
) -> Vec<(u32, u32)> {
    let Some(text) = library.text(ranked.file) else { return Vec::new() };
    let mut blocks = scored.get(&ranked.file).cloned().unwrap_or_else(|| {
        let blocks = evidence::blocks::of(library.facts(ranked.file), &text);
        blocks.into_iter().map(|block| Scored { block, score: 0.0 }).collect()
    });
    for held in &mut blocks {
        held.score += worth_of_lines(&held.block, &ranked.pieces);
    }
    windows::choose(&text, &blocks, share)
}

/// Returns what evidence says of a block's lines, beside the best block's words: the strongest piece of
/// each origin counts once, and one that speaks for very many lines says little of each.
fn worth_of_lines(block: &Block, pieces: &[Piece]) -> f32 {
    let worth = |origin: Origin, share: f32| {
        let of = pieces.iter().filter(|piece| piece.origin == origin);
        let here = of.filter_map(|piece| {
            let (start, end) = piece.lines?;
            let share = if end - start > WIDE_LINES { 0.3 } else { 1.0 };
            (block.start <= end && start <= block.end).then_some(piece.weight.min(1.0) * share)
        });
        here.fold(0.0, f32::max) * share
    };
    worth(Origin::Frame, 2.0)
        + worth(Origin::Test, 2.0)
        + worth(Origin::Import, 0.6)
        + worth(Origin::Name, 0.5)
        + worth(Origin::Near, 0.4)
}

/// Adds what evidence says of lines to the worth of their blocks.
fn add_lines(scored: &mut BTreeMap<FileId, Vec<Scored>>, pieces: &[Piece]) {
    for piece in pieces.iter().filter(|piece| matches!(piece.origin, Origin::Frame)) {
        let Some((start, end)) = piece.lines else { continue };
        for held in scored.get_mut(&piece.file).into_iter().flatten() {
            if held.block.start <= end && start <= held.block.end {
                held.score += piece.weight;
            }
        }
    }
}

struct Gatherer<'a> {
    tree: &'a dyn Tree,
    files: &'a [String],
    context: Context,
}

impl Gatherer<'_> {
    fn exists(&self, path: &str) -> bool {
        self.files.binary_search_by(|file| file.as_str().cmp(path)).is_ok()
    }

    /// Adds a file, or a note that says why it cannot be shown.
    fn add(&mut self, path: &RepoPath, range: Option<(u32, u32)>, reason: (Rank, &str)) {
        if let Err(fault) = self.context.add_file(self.tree, path, range, reason) {
            let title = format!("FILE[{path}] cannot be shown");
            self.context.add_text(TextKind::Note, title, fault);
        }
    }

    fn add_ranked(&mut self, library: &Library<'_>, found: &Chosen, share: usize) {
        let Ok(path) = RepoPath::parse(library.path(found.ranked.file)) else { return };
        let named = found
            .ranked
            .pieces
            .iter()
            .any(|piece| matches!(piece.origin, Origin::Frame | Origin::Test));
        let rank = if named { Rank::Named } else { Rank::Related };
        let mut why: Vec<&str> = Vec::new();
        for piece in &found.ranked.pieces {
            if !why.contains(&piece.why.as_str()) && why.len() < 3 {
                why.push(&piece.why);
            }
        }
        let why = why.join("; ");
        self.add(&path, None, (rank, &why));
        self.context.want(&path, &found.lines, share);
    }

    /// Says of what the failure names and may not be shown that it is not shown.
    fn note_hidden(&mut self, report: &FailureReport) {
        let root = self.tree.root().to_string_lossy().into_owned();
        for place in report.locations().into_iter().take(40) {
            let mapped = paths::map_to_repo(&place.path, &|path| self.exists(path), Some(&root));
            let Some(path) = mapped.and_then(|path| RepoPath::parse(&path).ok()) else { continue };
            if crate::vet::is_protected(&path) {
                self.add(&path, None, (Rank::Named, "the failure names it"));
            }
        }
    }

    fn named_by_goal(&mut self, goal: &str) {
        for word in goal.split(|c: char| c.is_whitespace() || "`'\"(),;".contains(c)) {
            let word = word.trim_end_matches(['.', ':', '!', '?']);
            if let Some(path) = self.exists(word).then(|| RepoPath::parse(word).ok()).flatten() {
                self.add(&path, None, (Rank::Named, "the goal names it"));
            }
        }
    }
}

/// Lists the files, or the folders with their counts where there are too many.
fn structure(files: &[String]) -> String {
    if files.len() <= LISTED_PATHS {
        return files.join("\n") + "\n";
    }
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
        *folders.entry(folder).or_default() += 1;
    }
    let listed = folders.iter().take(LISTED_PATHS);
    let mut lines: Vec<String> =
        listed.map(|(folder, count)| format!("{folder}/ ({count} files)\n")).collect();
    if folders.len() > LISTED_PATHS {
        lines.push(format!("and {} more folders\n", folders.len() - LISTED_PATHS));
    }
    lines.concat()
}

#[cfg(test)]
mod tests;
