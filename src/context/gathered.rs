//! The collected context: files with their wanted lines, and other texts.

use super::line_ranges::{LineRange, last_line};
use papayu_base::domain::{CulpritRecord, RepoPath, Sha256};
use papayu_base::text::encoding;
use papayu_system::Tree;

/// The reason for a file, strongest first. Files with weak reasons are cut first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRank {
    /// The failure or the goal names it.
    Named,
    /// The model asked for it.
    Requested,
    /// It is related to one of those.
    Related,
}

/// The reason why a file is added.
#[derive(Clone, Copy, Debug)]
pub struct Reason<'a> {
    /// The strength of the reason.
    pub rank: FileRank,
    /// The evidence in words.
    pub why: &'a str,
}

impl<'a> Reason<'a> {
    /// Creates a reason.
    pub fn new(rank: FileRank, why: &'a str) -> Self {
        Self { rank, why }
    }
}

/// The lines of a file that are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Nothing more than is shown; all if the file is new.
    Any,
    /// All.
    Whole,
    /// A range and nothing else.
    Lines(LineRange),
}

/// A file that can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextFile {
    /// Its path, with links resolved.
    pub path: RepoPath,
    /// The digest of the whole file.
    pub sha256: Sha256,
    /// The whole text, decoded.
    pub text: String,
    /// The lines to show, the most important first; none for as much as fits.
    pub wanted: Vec<LineRange>,
    /// The strength of the reason.
    pub rank: FileRank,
    /// The evidence in words.
    pub why: String,
    /// Maximum characters; `None` for the limit of the budget.
    pub share: Option<usize>,
}

/// The kind of a text that is not a file. Later kinds are cut first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Tool versions.
    Env,
    /// Log lines requested by the model.
    Logs,
    /// Background: the repository's description of its architecture, notes on earlier failures.
    Description,
    /// The imports around the files.
    Graph,
    /// Search hits.
    Search,
    /// Texts of the web.
    Online,
    /// The changes since the command last passed.
    Changes,
    /// The reason why something could not be shown.
    Note,
}

/// A text that is not a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextText {
    /// Its kind.
    pub kind: TextKind,
    /// Its heading.
    pub title: String,
    /// The text.
    pub text: String,
}

/// Everything collected in a run, in the order in which it was added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// A short list of files and folders.
    pub structure: String,
    /// Files.
    pub files: Vec<ContextFile>,
    /// Other texts.
    pub texts: Vec<ContextText>,
    /// The wanted lines of all files, the most important first; empty if no changes are known.
    pub order: Vec<(RepoPath, LineRange)>,
    /// The commits that may have made the command fail, the most likely first.
    pub suspects: Vec<CulpritRecord>,
    /// Lines that the model asked for and that were not rendered since.
    pub asked: Vec<(RepoPath, LineRange)>,
}

/// Files over this many bytes are not read.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

impl Context {
    /// Adds a file unless it is present. Lines that the model requested are remembered until they are
    /// rendered.
    ///
    /// # Errors
    ///
    /// The reason in words why the file cannot be shown.
    pub fn add_file(
        &mut self,
        tree: &dyn Tree,
        path: &RepoPath,
        want: Want,
        reason: Reason<'_>,
    ) -> Result<(), String> {
        let Reason { rank, why } = reason;
        let resolved = tree.resolve(path).map_err(|error| error.to_string())?;
        // The resolved path is checked, so that a link cannot reveal a protected file.
        if papayu_vet::is_hidden(&resolved) {
            return Err("it is protected: files with secrets are never shown".to_owned());
        }
        if let Some(at) = self.files.iter().position(|file| file.path == resolved) {
            if let Some(file) = self.files.get_mut(at) {
                file.rank = file.rank.min(rank);
            }
            if want != Want::Any {
                self.ask_for(at, want, rank);
            }
            return Ok(());
        }
        let bytes = tree.read(&resolved, MAX_FILE_BYTES).map_err(|error| error.to_string())?;
        let sha256 = Sha256::of(&bytes);
        let text = encoding::decode(&bytes).map_err(|fault| format!("it {fault}"))?.text;
        if papayu_vet::holds_credentials(&resolved, &text) {
            return Err("it has credentials: files with secrets are never shown".to_owned());
        }
        let (wanted, why) = (Vec::new(), why.to_owned());
        let file = ContextFile { path: resolved, sha256, text, wanted, rank, why, share: None };
        self.files.push(file);
        self.ask_for(self.files.len() - 1, want, rank);
        Ok(())
    }

    /// Remembers the lines that the model asked for.
    fn ask_for(&mut self, at: usize, want: Want, rank: FileRank) {
        let Some(file) = self.files.get(at).filter(|_| rank == FileRank::Requested) else { return };
        let last = last_line(&file.text);
        let range = match want {
            Want::Any | Want::Whole => (1, last),
            Want::Lines((start, end)) => (start.clamp(1, last), end.clamp(1, last)),
        };
        let asked = (file.path.clone(), range);
        if !self.asked.contains(&asked) {
            self.asked.push(asked);
        }
    }

    /// Sets the lines of a file to keep first, and its maximum of characters.
    pub fn want(&mut self, path: &RepoPath, lines: &[(u32, u32)], share: usize) {
        for file in self.files.iter_mut().filter(|file| file.path == *path) {
            file.wanted.extend(lines);
            file.share = Some(file.share.unwrap_or_default().max(share));
        }
    }

    /// Reads all files again after the tree changed. Deleted files are removed from the context.
    pub fn refresh(&mut self, tree: &dyn Tree) {
        let before = std::mem::take(&mut self.files);
        for file in before {
            let kept = self
                .add_file(tree, &file.path, Want::Any, Reason::new(file.rank, &file.why))
                .is_ok();
            if let Some(last) = self.files.last_mut().filter(|_| kept) {
                last.wanted = file.wanted;
                last.share = file.share;
            }
        }
    }

    /// Adds a text unless the same text is present.
    pub fn add_text(&mut self, kind: TextKind, title: impl Into<String>, text: impl Into<String>) {
        let text = ContextText { kind, title: title.into(), text: text.into() };
        if !self.texts.contains(&text) {
            self.texts.push(text);
        }
    }
}
