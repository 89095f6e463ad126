//! The pieces gathered so far: files with the lines wanted of them, and other texts.

use crate::domain::{RepoPath, Sha256};
use crate::system::Tree;
use crate::text::encoding;
use crate::vet;

/// Why a file is there, strongest first; what is cut first is the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// The failure or the goal names it.
    Named,
    /// The model asked for it.
    Requested,
    /// It is related to one of those.
    Related,
}

/// A file that can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextFile {
    /// Links followed.
    pub path: RepoPath,
    /// Of the whole file.
    pub sha256: Sha256,
    /// The whole text, whatever encoding the file is in.
    pub text: String,
    /// 1-based line ranges that must be kept first.
    pub wanted: Vec<(u32, u32)>,
    /// How strong the reason is.
    pub rank: Rank,
    /// The evidence, in words.
    pub why: String,
    /// Characters it is worth; `None` for as many as the budget gives a file.
    pub share: Option<usize>,
}

/// What a text that is no file holds; the order is the order of cutting, last first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Tool versions.
    Env,
    /// Log lines the model asked for.
    Logs,
    /// Search hits.
    Search,
    /// Why something could not be shown.
    Note,
}

/// A text that is no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextText {
    /// What it holds.
    pub kind: TextKind,
    /// Its heading.
    pub title: String,
    /// The text.
    pub text: String,
}

/// Everything gathered in a run, in order of arrival.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The repository's files and folders, in brief.
    pub structure: String,
    /// Files.
    pub files: Vec<ContextFile>,
    /// Other texts.
    pub texts: Vec<ContextText>,
}

/// Files over this many bytes are not read.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

impl Context {
    /// Reads a file into the context, or adds lines wanted of one that is there. `Err` says in words
    /// why it cannot be shown.
    pub fn add_file(
        &mut self,
        tree: &dyn Tree,
        path: &RepoPath,
        range: Option<(u32, u32)>,
        (rank, why): (Rank, &str),
    ) -> Result<(), String> {
        let resolved = tree.resolve(path).map_err(|error| error.to_string())?;
        if vet::is_protected(&resolved) {
            return Err("it is protected: files with secrets are never shown".to_owned());
        }
        if let Some(file) = self.files.iter_mut().find(|file| file.path == resolved) {
            file.wanted.extend(range.filter(|range| !file.wanted.contains(range)));
            file.rank = file.rank.min(rank);
            return Ok(());
        }
        let bytes = tree.read(&resolved, MAX_FILE_BYTES).map_err(|error| error.to_string())?;
        let sha256 = Sha256::of(&bytes);
        let text = encoding::decode(&bytes).map_err(|fault| format!("it {fault}"))?.text;
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

    /// Says which lines of a file that is here are wanted first, and how many characters it is worth.
    pub fn want(&mut self, path: &RepoPath, lines: &[(u32, u32)], share: usize) {
        for file in self.files.iter_mut().filter(|file| file.path == *path) {
            file.wanted.extend(lines);
            file.share = Some(file.share.unwrap_or_default().max(share));
        }
    }

    /// Reads a file again after the tree changed underneath; one that is gone leaves the context.
    pub fn refresh(&mut self, tree: &dyn Tree) {
        let before = std::mem::take(&mut self.files);
        for file in before {
            let kept = self.add_file(tree, &file.path, None, (file.rank, &file.why)).is_ok();
            if let Some(last) = self.files.last_mut().filter(|_| kept) {
                last.wanted = file.wanted;
            }
        }
    }

    /// Adds a text unless the same one is there.
    pub fn add_text(&mut self, kind: TextKind, title: impl Into<String>, text: impl Into<String>) {
        let text = ContextText { kind, title: title.into(), text: text.into() };
        if !self.texts.contains(&text) {
            self.texts.push(text);
        }
    }
}
