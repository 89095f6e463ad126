//! The collected context: files with their wanted lines, and other texts.

use crate::domain::{RepoPath, Sha256};
use crate::system::Tree;
use crate::text::encoding;
use crate::vet;

/// The reason for a file, strongest first. Files with weak reasons are cut first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
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
    pub rank: Rank,
    /// The evidence in words.
    pub why: &'a str,
}

impl<'a> Reason<'a> {
    /// Creates a reason.
    pub fn new(rank: Rank, why: &'a str) -> Self {
        Self { rank, why }
    }
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
    /// 1-based line ranges that must be kept first.
    pub wanted: Vec<(u32, u32)>,
    /// The strength of the reason.
    pub rank: Rank,
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
    /// Search hits.
    Search,
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
}

/// Files over this many bytes are not read.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

impl Context {
    /// Adds a file, or adds wanted lines to a file already present.
    ///
    /// # Errors
    ///
    /// The reason in words why the file cannot be shown.
    pub fn add_file(
        &mut self,
        tree: &dyn Tree,
        path: &RepoPath,
        range: Option<(u32, u32)>,
        reason: Reason<'_>,
    ) -> Result<(), String> {
        let Reason { rank, why } = reason;
        let resolved = tree.resolve(path).map_err(|error| error.to_string())?;
        // The resolved path is checked, so that a link cannot reveal a protected file.
        if vet::is_hidden(&resolved) {
            return Err("it is protected: files with secrets are never shown".to_owned());
        }
        // A file is shown once; several requests for it add to its wanted lines.
        if let Some(file) = self.files.iter_mut().find(|file| file.path == resolved) {
            file.wanted.extend(range.filter(|range| !file.wanted.contains(range)));
            file.rank = file.rank.min(rank);
            return Ok(());
        }
        let bytes = tree.read(&resolved, MAX_FILE_BYTES).map_err(|error| error.to_string())?;
        let sha256 = Sha256::of(&bytes);
        let text = encoding::decode(&bytes).map_err(|fault| format!("it {fault}"))?.text;
        if vet::holds_credentials(&resolved, &text) {
            return Err("it has credentials: files with secrets are never shown".to_owned());
        }
        let wanted = range.into_iter().collect();
        let why = why.to_owned();
        self.files.push(ContextFile {
            path: resolved,
            sha256,
            text,
            wanted,
            rank,
            why,
            share: None,
        });
        Ok(())
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
            let kept =
                self.add_file(tree, &file.path, None, Reason::new(file.rank, &file.why)).is_ok();
            if let Some(last) = self.files.last_mut().filter(|_| kept) {
                last.wanted = file.wanted;
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
