//! The starting point of evidence: places, failing tests and words of the failure.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use rustc_hash::FxBuildHasher;

use super::library::{self, Library, MAX_SEARCHED};
use super::terms::WeightedQuery;
use papayu_base::domain::{Failure, FailureKind, FailureReport, Location};
use papayu_index::{FileId, SymbolKind};
use papayu_lang::FileRole;
use papayu_logs::failure::paths;

/// Maximum number of failures; later ones mostly repeat earlier ones.
const MAX_FAILURES: usize = 40;

/// Maximum number of places in one failure, innermost first.
const MAX_PLACES: usize = 24;

/// Maximum number of blocks of failing tests.
const MAX_TESTS: usize = 12;

/// A place in the log that is a file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFrame {
    /// The file.
    pub file: FileId,
    /// 1-based line, if the log has one.
    pub line: Option<u32>,
    /// Number of earlier frames of the same failure in source files.
    pub depth: usize,
    /// The kind of failure; `None` for a place outside failures.
    pub kind: Option<FailureKind>,
    /// True if it may be noise: it belongs to no test, while other failures belong to tests.
    pub stray: bool,
}

/// The lines of a failing test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingTest {
    /// The test file.
    pub file: FileId,
    /// The test within it.
    pub lines: (u32, u32),
    /// The line that failed, where it is known.
    pub line: Option<u32>,
    /// The test's name, as the log prints it.
    pub title: String,
}

/// Everything evidence starts from.
#[derive(Debug, Default)]
pub struct Question {
    /// In order of the log.
    pub frames: Vec<LogFrame>,
    /// In order of the log.
    pub tests: Vec<FailingTest>,
    /// Test files that fail, whether or not the test within is known.
    pub test_files: Vec<FileId>,
    /// Names of tests as printed.
    pub titles: Vec<String>,
    /// Messages with the kind of failure.
    pub messages: Vec<(FailureKind, String)>,
    /// Words with how much each counts.
    pub query: WeightedQuery,
    /// Identifiers as they are spelled, with how much each counts.
    pub names: BTreeMap<String, f32>,
}

/// Reads the question off a report and a goal.
pub fn build_question(library: &Library<'_>, report: &FailureReport, goal: &str) -> Question {
    let mut question = Question::default();
    let mapper = Mapper { library, root: library.root(), mapped: RefCell::default() };
    let tested = report.failures.iter().any(|failure| failure.test.is_some());
    for failure in report.failures.iter().take(MAX_FAILURES) {
        let stray = tested && failure.test.is_none() && failure.kind != FailureKind::Compile;
        question.take_frames(&mapper, failure, stray);
        question.take_words(failure);
    }
    for place in report.mentions.iter().take(MAX_PLACES) {
        if let Some(file) = mapper.map_place(place, None) {
            question.frames.push(LogFrame {
                file,
                line: place.line,
                depth: 0,
                kind: None,
                stray: tested,
            });
        }
    }
    for failure in report.failures.iter().take(MAX_FAILURES) {
        question.take_tests(&mapper, failure);
    }
    question.take_test_words(library);
    question.add_words(goal, 3.0);
    question.add_words(&report.excerpt, 0.5);
    question
}

/// Places that were mapped, by path and test: logs name the same ones over and over.
type Mapped = RefCell<HashMap<(String, Option<String>), Option<FileId>, FxBuildHasher>>;

struct Mapper<'m, 'a> {
    library: &'m Library<'a>,
    root: String,
    mapped: Mapped,
}

impl Mapper<'_, '_> {
    /// Returns the file of a printed path, which may come from another machine; results are
    /// remembered, as a log repeats its paths.
    fn map_place(&self, place: &Location, test: Option<&str>) -> Option<FileId> {
        let key = (place.path.clone(), test.map(str::to_owned));
        if let Some(known) = self.mapped.borrow().get(&key) {
            return *known;
        }
        let found = self.find_printed(&place.path, test);
        self.mapped.borrow_mut().insert(key, found);
        found
    }

    /// Finds the file that a printed path means, by the longest common end.
    fn find_printed(&self, printed: &str, test: Option<&str>) -> Option<FileId> {
        let index = self.library.index;
        let exists = |path: &str| index.find_path(path).is_some();
        // Whatever means one of several files ends in their name.
        let named = self.library.named(library::name(&printed.replace('\\', "/")));
        let files: Vec<String> = named.iter().map(|id| self.library.path(*id).to_owned()).collect();
        let mapped = paths::map_to_repo(printed, &exists, Some(&self.root))
            // A bare file name may exist several times; the test decides which one is meant.
            .filter(|path| path.contains('/') || self.library.named(path).len() < 2)
            .or_else(|| paths::by_base_name(printed, &files))
            .or_else(|| self.by_test(printed, test?, &files));
        index.find_path(&mapped.or_else(|| exists(printed).then(|| printed.to_owned()))?)
    }

    /// Returns the only file of this ending that defines the test.
    fn by_test(&self, printed: &str, test: &str, files: &[String]) -> Option<String> {
        let printed = printed.replace('\\', "/");
        let wanted = printed.trim_start_matches("./");
        let ends = |path: &str| {
            path.strip_suffix(wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let names = split_title(test);
        let defines = |id: FileId| {
            let symbols =
                self.library.facts(id).map(|facts| facts.symbols.as_slice()).unwrap_or_default();
            symbols.iter().any(|symbol| names.iter().any(|name| **name == *symbol.name))
        };
        let mut fitting = files.iter().filter(|path| ends(path));
        fitting.find(|path| self.library.index.find_path(path).is_some_and(defines)).cloned()
    }
}

impl Question {
    /// Adds the places of a failure as frames; the depth counts the frames in sources, from 0.
    fn take_frames(&mut self, mapper: &Mapper<'_, '_>, failure: &Failure, stray: bool) {
        let mut depth = 0;
        for place in failure.locations.iter().take(MAX_PLACES) {
            let Some(file) = mapper.map_place(place, failure.test.as_deref()) else { continue };
            let frame = LogFrame { file, line: place.line, depth, kind: Some(failure.kind), stray };
            if mapper.library.role(file) == FileRole::Source {
                depth += 1;
            }
            let same = |held: &LogFrame| held.file == frame.file && held.line == frame.line;
            if !self.frames.iter().any(same) {
                self.frames.push(frame);
            }
        }
    }

    /// Adds the words of a failure. The test's name has the highest weight, expected and actual values have the
    /// lowest.
    fn take_words(&mut self, failure: &Failure) {
        if let Some(test) = &failure.test {
            self.add_words(test, 2.0);
            if !self.titles.contains(test) {
                self.titles.push(test.clone());
            }
        }
        self.add_words(&failure.message, 1.5);
        self.messages.push((failure.kind, failure.message.clone()));
        self.add_words(&failure.quoted, 1.5);
        for text in failure.expected.iter().chain(&failure.actual) {
            self.add_words(text, 1.0);
        }
    }

    /// Adds the tests of a failure: at its places, by the test's name, and in the frames so far.
    fn take_tests(&mut self, mapper: &Mapper<'_, '_>, failure: &Failure) {
        let library = mapper.library;
        let title = failure.test.clone().unwrap_or_default();
        let mut files = Vec::new();
        let mut found = false;
        for place in failure.locations.iter().take(MAX_PLACES) {
            let Some(file) = mapper.map_place(place, failure.test.as_deref()) else { continue };
            if library.role(file) != FileRole::Test {
                continue;
            }
            files.push(file);
            if let Some(lines) = place.line.and_then(|line| block_around(library, file, line)) {
                found = true;
                self.add_test(FailingTest { file, lines, line: place.line, title: title.clone() });
            }
        }
        files.extend(files_of_title(library, &title));
        files.extend(
            self.frames
                .iter()
                .map(|frame| frame.file)
                .filter(|id| library.role(*id) == FileRole::Test),
        );
        let mut seen = BTreeSet::new();
        files.retain(|file| seen.insert(*file));
        for file in &files {
            if !self.test_files.contains(file) {
                self.test_files.push(*file);
            }
        }
        if !found && !title.is_empty() {
            for (file, lines) in named_blocks(library, &title, &files) {
                self.add_test(FailingTest { file, lines, line: None, title: title.clone() });
                if !self.test_files.contains(&file) {
                    self.test_files.push(file);
                }
            }
        }
    }

    /// Adds a failing test once.
    fn add_test(&mut self, test: FailingTest) {
        let same = |held: &FailingTest| held.file == test.file && held.lines == test.lines;
        if self.tests.len() < MAX_TESTS && !self.tests.iter().any(same) {
            self.tests.push(test);
        }
    }

    /// Adds the words of failing tests. Words near the failed line weigh more.
    fn take_test_words(&mut self, library: &Library<'_>) {
        for test in std::mem::take(&mut self.tests) {
            if let Some(lines) = library.lines(test.file) {
                for (line, number) in lines.range(test.lines).zip(test.lines.0..) {
                    let distance = test.line.map_or(8, |failed| failed.abs_diff(number));
                    self.add_words(
                        line,
                        if distance <= 2 {
                            2.0
                        } else if distance <= 12 {
                            1.2
                        } else {
                            0.8
                        },
                    );
                }
            }
            self.tests.push(test);
        }
    }

    /// Adds the terms of a text to the query.
    fn add_words(&mut self, text: &str, weight: f32) {
        self.query.add(text, weight);
        for name in split_identifiers(text) {
            if !self.query.is_noise(super::terms::hash_term(name)) {
                let held = self.names.entry(name.to_owned()).or_default();
                *held = held.max(weight);
            }
        }
    }
}

/// Returns the identifiers of a text, in order.
pub fn split_identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .filter(|word| word.len() >= 2 && word.len() <= 64)
        .filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the innermost definition or test around a line, with its enclosing one where it is short.
fn block_around(library: &Library<'_>, file: FileId, line: u32) -> Option<(u32, u32)> {
    let symbols = library.facts(file).map(|facts| facts.symbols.as_slice()).unwrap_or_default();
    library.work.spend(symbols.len());
    let wanted = [SymbolKind::Function, SymbolKind::Method, SymbolKind::Test];
    let around = symbols.iter().filter(|symbol| wanted.contains(&symbol.kind));
    let inner = around
        .filter(|symbol| symbol.start <= line && line <= symbol.end)
        .min_by_key(|symbol| symbol.end - symbol.start);
    if let Some(symbol) = inner.filter(|symbol| symbol.end - symbol.start <= 250) {
        return Some((symbol.start.max(1), symbol.end));
    }
    let blocks = library.blocks(file);
    let block = blocks.get(blocks.partition_point(|block| block.end < line))?;
    if block.start > line {
        return None;
    }
    Some((block.start, block.end))
}

/// Returns the parts of a test's name, parameters off, the last first.
pub fn split_title(title: &str) -> Vec<&str> {
    let bare = title.split_once('[').map_or(title, |(before, _)| before);
    let mut pieces: Vec<&str> = [title, bare].into_iter().map(str::trim).collect();
    for separator in ["::", " > ", " › ", "/", " - ", "#", "."] {
        pieces.extend(bare.rsplit(separator).map(str::trim));
    }
    pieces.retain(|piece| piece.len() >= 3);
    let mut seen = std::collections::HashSet::new();
    pieces.retain(|piece| seen.insert(*piece));
    pieces
}

/// Returns the test files a test's name spells: `tests/test_a.py::T`, `tests.test_a.T`, `src/a.test.ts > x`.
fn files_of_title(library: &Library<'_>, title: &str) -> Vec<FileId> {
    let path =
        title.split("::").next().unwrap_or(title).split(" > ").next().unwrap_or(title).trim();
    if let Some(id) = library.index.find_path(path) {
        return vec![id];
    }
    let mut dotted = path.replace('.', "/");
    while !dotted.is_empty() {
        if let Some(id) = library.index.find_path(&format!("{dotted}.py")) {
            return vec![id];
        }
        let parent = library::folder(&dotted).to_owned();
        dotted = parent;
    }
    Vec::new()
}

/// Returns the definitions and tests that bear a part of the name, in the files given or else in the
/// only test file that has one.
fn named_blocks(library: &Library<'_>, title: &str, files: &[FileId]) -> Vec<(FileId, (u32, u32))> {
    let names = split_title(title);
    let named_block = |id: FileId| find_named_block(library, &names, id).map(|lines| (id, lines));
    let found: Vec<_> = files.iter().filter_map(|id| named_block(*id)).collect();
    if !found.is_empty() {
        return found;
    }
    let named = library.index.find_named(&names, MAX_SEARCHED).files.into_iter();
    let tests = named.filter(|id| library.role(*id) == FileRole::Test);
    let found: Vec<_> = tests.filter_map(named_block).take(4).collect();
    if found.len() <= 3 { found } else { Vec::new() }
}

/// Returns the lines of the shortest definition or test with one of the names: the others are the suites around it.
fn find_named_block(library: &Library<'_>, names: &[&str], file: FileId) -> Option<(u32, u32)> {
    let kinds = [SymbolKind::Function, SymbolKind::Method, SymbolKind::Test];
    let symbols = library.facts(file)?.symbols.as_slice();
    if !library.work.spend(symbols.len()) {
        return None;
    }
    let named = symbols
        .iter()
        .filter(|symbol| kinds.contains(&symbol.kind) && names.contains(&symbol.name.as_ref()));
    let best = named.min_by_key(|symbol| symbol.end.saturating_sub(symbol.start))?;
    Some((best.start.max(1), best.end))
}
