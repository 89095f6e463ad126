//! The files, lines and texts that the messages of a run show.

use std::collections::BTreeMap;

use super::gathered::ContextFile;
use super::line_ranges::{LineRange, join_ranges, last_line};
use papayu_base::domain::{RepoPath, Sha256};

/// The files and texts that a conversation shows so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownTexts {
    files: BTreeMap<RepoPath, ShownFile>,
    /// The number of texts, of those in the context, that were rendered or left out.
    texts: usize,
    chars: usize,
}

/// The lines of a file that are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ShownFile {
    sha256: Sha256,
    lines: Vec<LineRange>,
}

impl ShownTexts {
    /// Returns the digests of the files as they are shown.
    pub fn digests(&self) -> impl Iterator<Item = (&RepoPath, Sha256)> {
        self.files.iter().map(|(path, file)| (path, file.sha256))
    }

    /// Returns the lines of a file in the state of this digest.
    pub fn lines(&self, path: &RepoPath, sha256: Sha256) -> &[LineRange] {
        let file = self.files.get(path).filter(|file| file.sha256 == sha256);
        file.map_or(&[], |file| file.lines.as_slice())
    }

    /// Returns the lines of a file that are shown in another state than that of this digest.
    pub(super) fn outdated_lines(&self, path: &RepoPath, sha256: Sha256) -> &[LineRange] {
        let file = self.files.get(path).filter(|file| file.sha256 != sha256);
        file.map_or(&[], |file| file.lines.as_slice())
    }

    /// Returns the number of texts that need not be rendered.
    pub(super) fn texts(&self) -> usize {
        self.texts
    }

    /// Returns the number of characters of all messages.
    pub fn chars(&self) -> usize {
        self.chars
    }

    /// Adds lines of a file.
    pub(super) fn add_lines(&mut self, file: &ContextFile, lines: &[LineRange]) {
        let known = self.lines(&file.path, file.sha256).to_vec();
        let all: Vec<LineRange> = known.into_iter().chain(lines.iter().copied()).collect();
        let lines = join_ranges(all, last_line(&file.text));
        self.files.insert(file.path.clone(), ShownFile { sha256: file.sha256, lines });
    }

    /// Counts the texts and characters of a message.
    pub(super) fn count_message(&mut self, texts: usize, chars: usize) {
        self.texts = texts;
        self.chars += chars;
    }
}
