//! The findings of the tools: fixes, each for one failure, and failures without one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use papayu_base::domain::RepoPath;

/// The result of asking the tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolFindings {
    /// Every file that a fix edits, as it was on disk when the tool ran.
    pub(super) texts: BTreeMap<RepoPath, String>,
    /// In the order of the tools' own reports.
    pub(super) fixes: Vec<ToolFix>,
    /// Failures without a fix, and suggestions that were left out, one line each.
    pub(super) unfixed: Vec<String>,
    /// Files with a fix that a person has to make.
    pub(super) left: BTreeSet<RepoPath>,
    /// The tools that were asked and their results, in one sentence without a final period.
    pub(super) account: String,
}

/// The change that a tool proposes for one failure; it is applied whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ToolFix {
    /// Place, tool, code, message and what the tool suggests, in one line.
    pub(super) note: String,
    /// Edits of one file or several; none overlaps another.
    pub(super) edits: Vec<TextEdit>,
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TextEdit {
    /// The file.
    pub(super) path: RepoPath,
    /// Bytes of its text.
    pub(super) range: Range<usize>,
    /// The text that replaces them.
    pub(super) text: String,
}

impl ToolFindings {
    /// Adds the findings of another tool.
    pub(super) fn join(&mut self, other: Self) {
        self.texts.extend(other.texts);
        self.fixes.extend(other.fixes);
        self.unfixed.extend(other.unfixed);
        self.left.extend(other.left);
        if !self.account.is_empty() && !other.account.is_empty() {
            self.account.push_str("; ");
        }
        self.account.push_str(&other.account);
    }
}
