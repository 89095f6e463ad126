//! Gathers the context before the first request: what the failure and the goal name, and what stands nearest to it.

use std::collections::BTreeMap;

use super::gathered::{Context, Rank};
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
    let mut context = Context { structure: structure(files), ..Context::default() };
    let root = tree.root().to_string_lossy().into_owned();
    let exists = |path: &str| files.binary_search_by(|file| file.as_str().cmp(path)).is_ok();
    let find = |printed: &str| {
        paths::map_to_repo(printed, &exists, Some(&root))
            .or_else(|| paths::by_base_name(printed, files))
            .and_then(|path| RepoPath::parse(&path).ok())
    };
    for place in report.locations() {
        let Some(path) = find(&place.path) else { continue };
        let range = place
            .line
            .map(|line| (line.saturating_sub(AROUND).max(1), line.saturating_add(AROUND)));
        let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
        add(
            &mut context,
            tree,
            &path,
            range,
            (Rank::Named, &format!("the failure names {}{line}", place.path)),
        );
    }
    for word in goal.split(|c: char| c.is_whitespace() || "`'\"(),;".contains(c)) {
        let word = word.trim_end_matches(['.', ':', '!', '?']);
        if let Some(path) =
            Some(word).filter(|word| exists(word)).and_then(|word| RepoPath::parse(word).ok())
        {
            add(&mut context, tree, &path, None, (Rank::Named, "the goal names it"));
        }
    }
    for failure in &report.failures {
        for path in failure.test.iter().flat_map(|test| files_of_test(test, files)) {
            add(&mut context, tree, &path, None, (Rank::Named, "it holds the failing test"));
        }
    }
    for (test, source) in namesakes(&context, files) {
        add(
            &mut context,
            tree,
            &source,
            None,
            (Rank::Related, &format!("{test} is named after it")),
        );
    }
    if report.has_import_error() {
        for manifest in &profile.manifests {
            add(
                &mut context,
                tree,
                manifest,
                None,
                (Rank::Related, "a module is missing; manifests say what is installed"),
            );
        }
    }
    context
}

/// Adds a file; one that cannot be shown before anybody asked for it is simply not there.
fn add(
    context: &mut Context,
    tree: &dyn Tree,
    path: &RepoPath,
    range: Option<(u32, u32)>,
    reason: (Rank, &str),
) {
    if let Err(reason) = context.add_file(tree, path, range, reason) {
        let title = format!("FILE[{path}] cannot be shown");
        context.add_text(super::TextKind::Note, title, reason);
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
