//! Collects the context of the first request: files named by the failure and the goal, and related
//! code.

use std::collections::BTreeMap;

use super::evidence::blocks::Block;
use super::evidence::words::{self, ScoredBlock};
use super::evidence::{self, Library, Origin, Piece, near};
use super::gathered::{Context, Rank, Reason, TextKind, Want};
use super::outline::outline_repository;
use super::ranking::{self, Ranked};
use super::windows;
use crate::domain::{FailureReport, RepoPath};
use crate::failure::paths;
use crate::index::term_index::TermIndex;
use crate::index::{FileId, Index};
use crate::lang::FileRole;
use crate::project::Profile;
use crate::system::Tree;

/// Files whose blocks are scored, in addition to those found by words.
const MAX_CANDIDATES: usize = 24;

/// Lines above which a definition is a whole class, whose name is weak evidence for a single line.
const WIDE_LINES: u32 = 120;

/// Blocks whose identifiers are followed to their definitions.
const STRONG_BLOCKS: usize = 8;

/// Maximum number of paths in the structure; above it, folders are listed with counts.
const LISTED_PATHS: usize = 300;

/// Files collected by evidence, in addition to manifests and files named by the goal.
const MAX_FILES: usize = 8;

/// Maximum characters of a file by its rank: the first files get most of the space.
const SHARES: [usize; 8] = [20_000, 16_000, 10_000, 8_000, 6_000, 5_000, 4_000, 4_000];

/// Maximum characters of a test file: enough for its failing tests.
const TEST_SHARE: usize = 5_000;

/// The index and terms of the repository.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The index of the files.
    pub index: &'a Index,
    /// The terms of the files.
    pub words: &'a TermIndex,
}

/// Collects files and lines by all evidence, best first. On import errors the manifests are added.
pub fn collect_context(
    tree: &dyn Tree,
    known: Known<'_>,
    report: &FailureReport,
    goal: &str,
    profile: &Profile,
) -> Context {
    let paths: Vec<String> = known.index.files().iter().map(|file| file.path.clone()).collect();
    let context = Context { structure: list_structure(&paths), ..Context::default() };
    let mut gatherer = Gatherer { tree, files: &paths, context };
    gatherer.named_by_goal(goal);
    let library = Library::new(tree, known.index);
    let found = find_chosen(&library, known.words, report, goal);
    let ranked: Vec<FileId> = found.iter().map(|(found, _)| found.ranked.file).collect();
    gatherer.context.structure.push_str(&outline_repository(&library, &ranked));
    for (found, share) in found {
        gatherer.add_ranked(&library, &found, share);
    }
    gatherer.note_hidden(report);
    if report.has_import_error() {
        let why = "a module is missing; manifests say what is installed";
        profile
            .manifests
            .iter()
            .for_each(|path| gatherer.add_file(path, Reason::new(Rank::Related, why)));
    }
    gatherer.context
}

/// A file with its relevant lines.
struct Chosen {
    ranked: Ranked,
    lines: Vec<(u32, u32)>,
}

/// Returns the relevant files and lines, best first, each with its maximum of characters.
fn find_chosen(
    library: &Library<'_>,
    known: &TermIndex,
    report: &FailureReport,
    goal: &str,
) -> Vec<(Chosen, usize)> {
    let question = evidence::question::build_question(library, report, goal);
    let mut pieces = evidence::frames::frame_pieces(library, &question);
    pieces.extend(evidence::tests_of::test_pieces(library, &question));
    pieces.extend(evidence::namesake::namesake_pieces(library, &question));
    pieces.extend(evidence::imports::import_pieces(library, &question));
    pieces.extend(evidence::names::name_pieces(library, &question));
    let by_words = words::rank_candidates(library, known, &question);
    let mut candidates: Vec<FileId> = by_words.clone();
    candidates.extend(ranking::by_worth(&pieces).iter().map(|held| held.file).take(MAX_CANDIDATES));
    candidates.retain(|id| library.role(*id) != FileRole::Test);
    candidates.sort_unstable();
    candidates.dedup();
    let mut scored = words::score_blocks(library, &candidates, &question.query);
    pieces.extend(words::word_pieces(library, &scored, &by_words));
    add_lines(&mut scored, &pieces);
    let strong = near::strongest_blocks(&scored, STRONG_BLOCKS);
    pieces.extend(near::near_pieces(library, &question, &strong));
    let picked = ranking::pick_files(library, ranking::by_worth(&pieces), MAX_FILES);
    let shares = picked.into_iter().zip(SHARES);
    shares
        .map(|(ranked, share)| {
            // A test file can be long, and only its failing tests are relevant.
            let is_test = library.role(ranked.file) == FileRole::Test;
            let share = if is_test { TEST_SHARE } else { share };
            let lines = lines_of(library, &ranked, &scored, share);
            (Chosen { ranked, lines }, share)
        })
        .collect()
}

/// Returns the lines of a file to show, by the scores of its blocks and the lines that evidence
/// names.
fn lines_of(
    library: &Library<'_>,
    ranked: &Ranked,
    scored: &BTreeMap<FileId, Vec<ScoredBlock>>,
    share: usize,
) -> Vec<(u32, u32)> {
    let Some(text) = library.text(ranked.file) else { return Vec::new() };
    let mut blocks = scored.get(&ranked.file).cloned().unwrap_or_else(|| {
        let blocks = evidence::blocks::split_blocks(library.facts(ranked.file), &text);
        blocks.into_iter().map(|block| ScoredBlock { block, score: 0.0 }).collect()
    });
    for held in &mut blocks {
        held.score += worth_of_lines(&held.block, &ranked.pieces);
    }
    windows::choose_windows(&text, &blocks, share)
}

/// Returns the score of a block by evidence other than words.
///
/// Of each origin only the strongest piece counts, and evidence for many lines counts less for
/// each.
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

/// Adds the weights of frames to the scores of their blocks.
fn add_lines(scored: &mut BTreeMap<FileId, Vec<ScoredBlock>>, pieces: &[Piece]) {
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
    /// Returns `true` if the repository has the file.
    fn has_file(&self, path: &str) -> bool {
        self.files.binary_search_by(|file| file.as_str().cmp(path)).is_ok()
    }

    /// Adds a file, or a note with the reason why it cannot be shown.
    fn add_file(&mut self, path: &RepoPath, reason: Reason<'_>) {
        if let Err(fault) = self.context.add_file(self.tree, path, Want::Any, reason) {
            let title = format!("FILE[{path}] cannot be shown");
            self.context.add_text(TextKind::Note, title, fault);
        }
    }

    /// Adds the pieces of a file that the evidence found.
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
        self.add_file(&path, Reason::new(rank, &why));
        self.context.want(&path, &found.lines, share);
    }

    /// Adds a note for each protected file that the failure names.
    fn note_hidden(&mut self, report: &FailureReport) {
        let root = self.tree.root().to_string_lossy().into_owned();
        for place in report.locations().into_iter().take(40) {
            let mapped = paths::map_to_repo(&place.path, &|path| self.has_file(path), Some(&root));
            let Some(path) = mapped.and_then(|path| RepoPath::parse(&path).ok()) else { continue };
            if crate::vet::is_hidden(&path) {
                self.add_file(&path, Reason::new(Rank::Named, "the failure names it"));
            }
        }
    }

    /// Adds the files that the goal names as paths.
    fn named_by_goal(&mut self, goal: &str) {
        for word in goal.split(|c: char| c.is_whitespace() || "`'\"(),;".contains(c)) {
            let word = word.trim_end_matches(['.', ':', '!', '?']);
            if let Some(path) = self.has_file(word).then(|| RepoPath::parse(word).ok()).flatten() {
                self.add_file(&path, Reason::new(Rank::Named, "the goal names it"));
            }
        }
    }
}

/// Lists the files, or the folders with their number of files if there are too many.
fn list_structure(files: &[String]) -> String {
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
