//! Gathers the context before the first request: what the failure and the goal name, and what stands nearest to it.

use std::collections::BTreeMap;

use super::gathered::{Context, Rank, TextKind};
use crate::domain::{FailureReport, RepoPath};
use crate::failure::paths;
use crate::project::Profile;
use crate::system::Tree;

/// Lines kept on each side of a line that the failure names (protocol section 6).
const AROUND: u32 = 80;

/// Paths listed in the structure before folders are counted instead.
const LISTED_PATHS: usize = 300;

/// Gathers files from locations, goal words, test names and, on import errors, manifests. `files` are
/// the repository's files as paths relative to its root, sorted.
pub fn collect(
    tree: &dyn Tree,
    files: &[String],
    report: &FailureReport,
    goal: &str,
    profile: &Profile,
) -> Context {
    let context = Context { structure: structure(files), ..Context::default() };
    let mut gatherer = Gatherer { tree, files, context };
    gatherer.named_by_failure(report);
    gatherer.named_by_goal(goal);
    gatherer.holding_tests(report);
    gatherer.namesakes();
    if report.has_import_error() {
        let why = "a module is missing; manifests say what is installed";
        profile.manifests.iter().for_each(|path| gatherer.add(path, None, (Rank::Related, why)));
    }
    gatherer.context
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

    fn named_by_failure(&mut self, report: &FailureReport) {
        let root = self.tree.root().to_string_lossy().into_owned();
        for place in report.locations() {
            let mapped = paths::map_to_repo(&place.path, &|path| self.exists(path), Some(&root));
            let found = mapped.or_else(|| paths::by_base_name(&place.path, self.files));
            let Some(path) = found.and_then(|path| RepoPath::parse(&path).ok()) else { continue };
            let around =
                |line: u32| (line.saturating_sub(AROUND).max(1), line.saturating_add(AROUND));
            let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
            let why = format!("the failure names {}{line}", place.path);
            self.add(&path, place.line.map(around), (Rank::Named, &why));
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

    fn holding_tests(&mut self, report: &FailureReport) {
        let tests = report.failures.iter().filter_map(|failure| failure.test.as_deref());
        for path in tests.flat_map(|test| files_of_test(test, self.files)).collect::<Vec<_>>() {
            self.add(&path, None, (Rank::Named, "it holds the failing test"));
        }
    }

    fn namesakes(&mut self) {
        for (test, source) in namesakes(&self.context, self.files) {
            let why = format!("{test} is named after it");
            self.add(&source, None, (Rank::Related, &why));
        }
    }
}

/// A dotted Python test name or a `::` path contains its file's name.
fn files_of_test(test: &str, files: &[String]) -> Vec<RepoPath> {
    let dotted = test.split("::").next().unwrap_or(test).replace('.', "/");
    let mut path = dotted.as_str();
    loop {
        let file = format!("{path}.py");
        if files.binary_search(&file).is_ok() {
            return RepoPath::parse(&file).into_iter().collect();
        }
        match path.rsplit_once('/') {
            Some((parent, _)) => path = parent,
            None => return Vec::new(),
        }
    }
}

/// Test affixes by which the file under test is found: `test_parser.py` tests `parser.py`.
const TEST_AFFIXES: [(&str, &str); 8] = [
    ("test_", ""),
    ("", "_test"),
    ("", "_tests"),
    ("", ".test"),
    ("", ".spec"),
    ("", "Test"),
    ("", "_spec"),
    ("tests_", ""),
];

/// Pairs every test file in the context with the only file of the repository it is named after.
fn namesakes(context: &Context, files: &[String]) -> Vec<(String, RepoPath)> {
    let mut by_stem: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for file in files {
        let name = file.rsplit('/').next().unwrap_or(file);
        by_stem.entry(name.split_once('.').map_or(name, |(stem, _)| stem)).or_default().push(file);
    }
    let mut pairs = Vec::new();
    for file in &context.files {
        let name = file.path.file_name();
        let Some((stem, extension)) = name.rsplit_once('.') else { continue };
        for (prefix, suffix) in TEST_AFFIXES {
            let Some(source) = stem.strip_prefix(prefix).and_then(|stem| stem.strip_suffix(suffix))
            else {
                continue;
            };
            let same_language = by_stem.get(source).into_iter().flatten().filter(|path| {
                path.rsplit('.').next() == Some(extension) && path.as_str() != file.path.as_str()
            });
            if let [only] = same_language.collect::<Vec<_>>().as_slice() {
                pairs.extend(RepoPath::parse(only).map(|path| (name.to_owned(), path)));
            }
        }
    }
    pairs
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
mod tests {
    use super::*;
    use crate::domain::{Failure, FailureKind, Location};
    use crate::system::memory::{MemoryTree, Node, Nodes};

    fn tree(paths: &[&str]) -> (MemoryTree, Vec<String>) {
        let mut nodes = Nodes::new();
        for path in paths {
            let mut parent = String::new();
            for segment in path.split('/').rev().skip(1).collect::<Vec<_>>().iter().rev() {
                parent = if parent.is_empty() {
                    (*segment).to_owned()
                } else {
                    format!("{parent}/{segment}")
                };
                nodes.insert(parent.clone(), Node::Dir);
            }
            nodes.insert((*path).to_owned(), Node::File(b"text\n".to_vec(), 0o644));
        }
        let mut files: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        files.sort();
        (MemoryTree::new(nodes), files)
    }

    fn failing(kind: FailureKind, test: Option<&str>, places: &[(&str, u32)]) -> FailureReport {
        let locations = places.iter().map(|(path, line)| Location {
            path: (*path).to_owned(),
            line: Some(*line),
            column: None,
        });
        let failure = Failure {
            kind,
            toolchain: "python".into(),
            test: test.map(str::to_owned),
            message: "it broke".into(),
            locations: locations.collect(),
            ..Failure::default()
        };
        FailureReport { failures: vec![failure], ..FailureReport::default() }
    }

    fn gathered(paths: &[&str], report: &FailureReport, goal: &str) -> Vec<(String, Rank)> {
        let (tree, files) = tree(paths);
        let profile = crate::project::detect(&tree);
        let context = collect(&tree, &files, report, goal, &profile);
        context.files.into_iter().map(|file| (file.path.to_string(), file.rank)).collect()
    }

    fn pairs(expected: &[(&str, Rank)]) -> Vec<(String, Rank)> {
        expected.iter().map(|(path, rank)| ((*path).to_owned(), *rank)).collect()
    }

    #[test]
    fn a_runners_path_finds_the_file_and_its_test_brings_the_module_it_is_named_after() {
        let place = "/home/runner/work/shop/shop/tests/test_cart.py";
        let report = failing(FailureKind::Test, Some("tests.test_cart.T.test_sum"), &[(place, 7)]);
        assert_eq!(
            gathered(&["src/cart.py", "tests/test_cart.py", "src/other.py"], &report, ""),
            pairs(&[("tests/test_cart.py", Rank::Named), ("src/cart.py", Rank::Related)])
        );
    }

    #[test]
    fn a_goal_names_files_in_its_words() {
        let none = FailureReport::default();
        assert_eq!(
            gathered(&["a/b.py", "c.py"], &none, "Исправь `a/b.py`, please."),
            pairs(&[("a/b.py", Rank::Named)])
        );
    }

    #[test]
    fn a_missing_module_brings_the_manifests() {
        let report = failing(FailureKind::Import, None, &[("app.py", 1)]);
        assert_eq!(
            gathered(&["app.py", "pyproject.toml"], &report, ""),
            pairs(&[("app.py", Rank::Named), ("pyproject.toml", Rank::Related)])
        );
    }

    #[test]
    fn nothing_outside_and_no_secret_is_gathered() {
        let places = [("/etc/passwd", 1), ("../x.py", 1), (".env", 1)];
        let report = failing(FailureKind::Test, None, &places);
        assert_eq!(gathered(&["a.py", ".env"], &report, "look at .env"), []);
    }
}
