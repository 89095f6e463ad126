//! Collects the context of the first request: files named by the failure and the goal, and related
//! code.

use super::change_text::{TITLE, describe_changes};
use super::context_task::{ContextTask, RepositoryIndex};
use super::diet::DietConfig;
use super::evidence::{EvidenceOrigin, Library};
use super::gathered::{Context, FileRank, Reason, TextKind, Want};
use super::mixing::{mix_changes, shown_lines};
use super::outline::outline_files;
use super::select::{self, Chosen};
use super::structure::list_structure;
use papayu_base::domain::{FailureReport, RepoPath};
use papayu_base::text::fence_text;
use papayu_logs::failure::paths;
use papayu_system::Tree;

/// Most characters of a manifest, in percent of the limit for one file.
const MANIFEST_SHARE: usize = 15;

/// Collects files and lines by all kinds of evidence, the best first. If an import fails, the
/// manifests are added.
///
/// The order of calls: `select` asks each kind of evidence and ranks the files, then the chosen pieces are added, then the
/// files that the goal names, then notes about protected files that the failure names.
pub fn collect_context(
    tree: &dyn Tree,
    known: RepositoryIndex<'_>,
    problem: ContextTask<'_>,
) -> Context {
    let ContextTask { report, profile, limits, .. } = problem;
    let paths: Vec<String> = known.index.files().iter().map(|file| file.path.clone()).collect();
    let mut gatherer = Gatherer { tree, files: &paths, context: Context::default() };
    let library = Library::new(tree, known.index);
    let mut found = select::select_files(&library, known.words, &problem);
    if let Some(changes) = problem.changes {
        let suspects = changes.suspects(&shown_lines(&library, &found));
        let (mixed, order) = mix_changes(&library, changes, found);
        found = mixed;
        gatherer.context.suspects = suspects;
        let named = |(file, lines)| Some((RepoPath::parse(library.path(file)).ok()?, lines));
        gatherer.context.order = order.into_iter().filter_map(named).collect();
    }
    let near: Vec<&str> = found.iter().map(|chosen| library.path(chosen.ranked.file)).collect();
    gatherer.context.structure = list_structure(&paths, &near);
    gatherer.context.structure.push_str(&outline_files(&library, &found));
    for chosen in &found {
        gatherer.add_ranked(&library, chosen);
    }
    let described = problem.changes.and_then(|it| describe_changes(it, &gatherer.context));
    if let Some(text) = described {
        gatherer.context.add_text(TextKind::Changes, TITLE, fence_text(&text));
    }
    gatherer.add_named_by_goal(problem.goal, &limits);
    gatherer.note_hidden(report);
    if report.has_import_error() {
        let why = "a module is missing; manifests say what is installed";
        for path in &profile.manifests {
            gatherer.add_file(path, Reason::new(FileRank::Related, why));
            gatherer.context.want(path, &[], limits.max_file_chars * MANIFEST_SHARE / 100);
        }
    }
    gatherer.context
}

/// Collects a context while the evidence is read.
struct Gatherer<'a> {
    tree: &'a dyn Tree,
    /// Paths of all files, sorted.
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
    fn add_ranked(&mut self, library: &Library<'_>, found: &Chosen) {
        let Ok(path) = RepoPath::parse(library.path(found.ranked.file)) else { return };
        let named = found
            .ranked
            .pieces
            .iter()
            .any(|piece| matches!(piece.origin, EvidenceOrigin::Frame | EvidenceOrigin::Test));
        let rank = if named { FileRank::Named } else { FileRank::Related };
        let mut why: Vec<&str> = Vec::new();
        for piece in &found.ranked.pieces {
            if !why.contains(&piece.why.as_str()) && why.len() < 3 {
                why.push(&piece.why);
            }
        }
        let why = why.join("; ");
        self.add_file(&path, Reason::new(rank, &why));
        self.context.want(&path, &found.lines, found.share);
    }

    /// Adds a note for each protected file that the failure names.
    fn note_hidden(&mut self, report: &FailureReport) {
        let root = self.tree.root().to_string_lossy().into_owned();
        // A failure rarely names more places that matter.
        for place in report.locations().into_iter().take(40) {
            let mapped = paths::map_to_repo(&place.path, &|path| self.has_file(path), Some(&root));
            let Some(path) = mapped.and_then(|path| RepoPath::parse(&path).ok()) else { continue };
            if papayu_vet::is_hidden(&path) {
                self.add_file(&path, Reason::new(FileRank::Named, "the failure names it"));
            }
        }
    }

    /// Adds the files that the goal names as paths, after the lines that the failure needs: as much of each as fits, in half
    /// of the files and half of the characters.
    fn add_named_by_goal(&mut self, goal: &str, limits: &DietConfig) {
        let words = goal.split(|c: char| c.is_whitespace() || "`'\"(),;".contains(c));
        let words = words.map(|word| word.trim_end_matches(['.', ':', '!', '?']));
        let mut named: Vec<RepoPath> = Vec::new();
        for path in
            words.filter(|word| self.has_file(word)).filter_map(|it| RepoPath::parse(it).ok())
        {
            if !named.contains(&path) {
                named.push(path);
            }
        }
        let share = limits.max_total_chars / 2 / named.len().max(1);
        for (index, path) in named.iter().enumerate() {
            let is_of_first = index < limits.max_files.div_ceil(2);
            let rank = if is_of_first { FileRank::Named } else { FileRank::Related };
            self.add_file(path, Reason::new(rank, "the goal names it"));
            self.context.want(path, &[(1, u32::MAX)], share.min(limits.max_file_chars));
        }
    }
}

#[cfg(test)]
mod tests;
