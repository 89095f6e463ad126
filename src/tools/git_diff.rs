//! `git_diff`: the changes since the last commit.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::TypedAnswer;
use super::get_structure::BelowParams;
use super::reading::{is_shown, parse_below};
use super::tool::{Tool, ToolResult};
use super::workspace::ToolSession;

/// Most characters of a diff in an answer.
const MAX_DIFF_CHARS: usize = 30_000;

/// The changes since the last commit.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Diff {
    /// A unified diff; empty if nothing changed.
    pub diff: String,
    /// Number of characters that are left out at the end.
    pub left_out: usize,
}

/// The tool `git_diff`.
pub(super) struct GitDiff;

impl Tool for GitDiff {
    type Params = BelowParams;
    type Output<'w> = Diff;
    const NAME: &'static str = "git_diff";
    const DESCRIPTION: &'static str =
        "Returns the changes of tracked files since the last commit as a unified diff.";
    const USES_INDEX: bool = false;

    fn run<'w>(params: BelowParams, workspace: &'w ToolSession<'w>) -> ToolResult<Diff> {
        let path = parse_below(params.path.as_deref())?;
        let whole = workspace.open_git()?.diff_worktree(path.as_ref())?;
        let (diff, left_out) = shorten_diff(&whole);
        let mut text = if diff.is_empty() { "nothing changed".to_owned() } else { diff.clone() };
        if left_out > 0 {
            let _ = write!(text, "\n({left_out} more characters; ask for one path)");
        }
        Ok(TypedAnswer::new(Diff { diff, left_out }, text, path.map(|path| path.to_string())))
    }
}

/// Returns a unified diff without protected files, shortened, and the number of characters left out.
pub fn shorten_diff(diff: &str) -> (String, usize) {
    let shown = remove_hidden(diff);
    let kept: String = shown.chars().take(MAX_DIFF_CHARS).collect();
    let left_out = shown.chars().count() - kept.chars().count();
    (kept, left_out)
}

/// Returns a unified diff without the files that are never shown.
fn remove_hidden(diff: &str) -> String {
    let mut kept = String::new();
    let mut hides = false;
    for line in diff.split_inclusive('\n') {
        // Quoted paths (`"a/\303\244.rs"`) are split at the quotes.
        if line.starts_with("diff --git ") {
            hides = line.split([' ', '"', '\n']).any(is_hidden_side);
        }
        if !hides {
            kept.push_str(line);
        }
    }
    kept
}

/// Returns true for `a/PATH` and `b/PATH` of a protected file.
fn is_hidden_side(word: &str) -> bool {
    let bare = word.strip_prefix("a/").or_else(|| word.strip_prefix("b/"));
    bare.is_some_and(|path| !is_shown(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diff_of_a_protected_file_is_left_out() {
        let diff = "diff --git a/.env b/.env\n+KEY=1\ndiff --git a/x.py b/x.py\n+ok\n";
        assert_eq!(remove_hidden(diff), "diff --git a/x.py b/x.py\n+ok\n");
        assert_eq!(remove_hidden(""), "");
    }
}
