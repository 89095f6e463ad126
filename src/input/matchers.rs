//! Loads problem matchers of the repository: files below `.github`, and files that a log names.
//!
//! A log can name any path. Only files of the repository are read, never protected ones, and each at most once.

use std::collections::HashSet;

use papayu_base::domain::{Event, EventName, EventSink, RepoPath};
use papayu_logs::failure::{Matchers, map_to_repo};
use papayu_system::{Entry, Tree};

/// The folder in which matcher files are searched.
const FOLDER: &str = ".github";
/// A part of the names of matcher files, and their extension.
/// Such as `eslint-matcher.json`.
const NAME: (&str, &str) = ("matcher", ".json");
/// Names that are looked at below the folder.
// Both limits bound the work for a hostile repository.
const MAX_ENTRIES: usize = 1_000;
/// Most different paths that logs print and that are looked for.
const MAX_NAMED: usize = 256;
/// Files that are read, found or named.
const MAX_FILES: usize = 32;
/// The longest file, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Reads matcher files; invalid ones are skipped with a `MATCHER_SKIPPED` event.
pub struct MatcherLoader<'a> {
    tree: &'a dyn Tree,
    events: &'a dyn EventSink,
    /// Paths that were asked for, so that each is read, and complained of, once.
    asked: HashSet<String>,
    /// Paths as logs print them: each is looked for in the repository once.
    named: HashSet<String>,
}

impl<'a> MatcherLoader<'a> {
    /// Returns a reader of a repository's files that has read none.
    pub fn new(tree: &'a dyn Tree, events: &'a dyn EventSink) -> Self {
        Self { tree, events, asked: HashSet::new(), named: HashSet::new() }
    }

    /// Returns the matchers below `.github`, in the order of paths; later ones replace earlier ones of the
    /// same owner.
    /// Later files are those with the greater path.
    pub fn load_all(&mut self) -> Matchers {
        let mut matchers = Matchers::default();
        for path in find_matcher_files(self.tree) {
            if let Some(more) = self.load_file(&path) {
                matchers.join(more);
            }
        }
        matchers
    }

    /// Returns the matchers of a file as a log prints its path, here or on another machine; `None` for one
    /// that is not in the repository, was asked for before, or cannot be used.
    pub fn load_named(&mut self, printed: &str) -> Option<Matchers> {
        if self.named.len() >= MAX_NAMED || !self.named.insert(printed.to_owned()) {
            return None;
        }
        // Only files of the repository: the log may name any path of its machine.
        let is_file = |path: &str| {
            let path = RepoPath::parse(path).map(|path| self.tree.entry(&path));
            // An error of the disk counts as absent.
            matches!(path, Ok(Ok(Entry::File { .. })))
        };
        let root = self.tree.root().to_string_lossy();
        let path = map_to_repo(printed, &is_file, Some(&root))?;
        self.load_file(&RepoPath::parse(&path).ok()?)
    }

    /// Returns the matchers of a file; `None` after an event if it is invalid, or if it was loaded before.
    fn load_file(&mut self, path: &RepoPath) -> Option<Matchers> {
        // A log can name the same file in every job.
        // A path counts even if the file is invalid, so that it is reported once.
        if self.asked.len() >= MAX_FILES || !self.asked.insert(path.to_string()) {
            return None;
        }
        let read = self.read_text(path).and_then(|text| {
            let mut matchers = Matchers::default();
            matchers.add(&text).map_err(|error| error.to_string())?;
            Ok(matchers)
        });
        // A matcher that cannot be used is no reason to end the run.
        read.inspect_err(|why| {
            let event = Event::new(EventName::MatcherSkipped).with("path", path.to_string());
            self.events.emit(event.with("error", why.as_str()));
        })
        .ok()
    }

    /// Returns the text of a file, or the reason why it is not read.
    fn read_text(&self, path: &RepoPath) -> Result<String, String> {
        // Links are followed before the path is judged.
        let resolved = self.tree.resolve(path).map_err(|error| error.to_string())?;
        if papayu_vet::is_hidden(&resolved) {
            return Err("it is protected".to_owned());
        }
        let bytes = self.tree.read(&resolved, MAX_BYTES).map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidData => format!("it is longer than {MAX_BYTES} bytes"),
            _ => error.to_string(),
        })?;
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
    }
}

/// Returns the files below the folder that are named as matchers are.
fn find_matcher_files(tree: &dyn Tree) -> Vec<RepoPath> {
    let (holds, ends) = NAME;
    let mut found = Vec::new();
    let mut seen = 0;
    let mut open: Vec<RepoPath> = RepoPath::parse(FOLDER).into_iter().collect();
    while let Some(folder) = open.pop() {
        for name in tree.list(Some(&folder)).unwrap_or_default() {
            seen += 1;
            // Names that are no portable path are skipped.
            let (true, Ok(path)) = (seen <= MAX_ENTRIES, folder.join(&name)) else { continue };
            match tree.entry(&path) {
                Ok(Entry::Dir) => open.push(path),
                Ok(Entry::File { .. }) if name.contains(holds) && name.ends_with(ends) => {
                    found.push(path);
                }
                _ => {}
            }
        }
    }
    // The order of a listing differs between file systems.
    found.sort_unstable_by_key(ToString::to_string);
    found
}
