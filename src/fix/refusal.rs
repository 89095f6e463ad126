//! Recognises failures of a command that the sandbox may have caused.

use std::io;
use std::path::Path;

use papayu_base::domain::outcome::Outcome;
use papayu_base::domain::{OutcomeKind, RepoPath, SandboxLevel};
use papayu_system::Tree;

/// The words for the error of a refused path, in small letters.
const MARKS: [&str; 2] = ["eacces", "permission denied"];

/// Characters that end a path in a message.
const ENDS: [char; 11] = ['\'', '"', '`', '(', ')', '<', '>', ',', '[', ']', '='];

/// Most lines of the log that are looked at, from its end.
const MAX_LINES: usize = 2_000;

/// Longest path that is shown, in characters.
const MAX_PATH: usize = 200;

/// Returns a notice with the path outside the working tree that was refused and the setting that allows it; `None` for a run
/// without a failure or without a sandbox.
pub(super) fn describe_refusal(outcome: &Outcome, log: &str, tree: &dyn Tree) -> Option<String> {
    let is_confined =
        outcome.sandbox.as_ref().is_some_and(|record| record.level > SandboxLevel::None);
    let is_green = matches!(outcome.outcome, OutcomeKind::Fixed | OutcomeKind::NothingToFix);
    if !is_confined || is_green {
        return None;
    }
    let path = log.lines().rev().take(MAX_LINES).find_map(|line| find_refused(line, tree))?;
    let path: String = path.chars().take(MAX_PATH).collect();
    Some(format!(
        "the sandbox may have refused `{path}`, which is outside the working tree or behind a link that leads out of it: \
         `run.writable` (`PAPAYU_WRITABLE`) names folders that commands may change"
    ))
}

/// Returns the path of a message about missing permission, if it is outside the working tree.
fn find_refused<'l>(line: &'l str, tree: &dyn Tree) -> Option<&'l str> {
    let small = line.to_ascii_lowercase();
    if !MARKS.iter().any(|mark| small.contains(mark)) {
        return None;
    }
    let words = line.split(|c: char| c.is_whitespace() || c.is_control() || ENDS.contains(&c));
    let words = words.map(|word| word.trim_end_matches([':', ';', '.']));
    words
        .filter(|word| word.contains('/') && !word.contains("://"))
        .find(|word| leads_out(word, tree))
}

/// Returns `true` for a path outside the working tree, and for one inside that a link leads out of it.
fn leads_out(word: &str, tree: &dyn Tree) -> bool {
    let path = Path::new(word);
    let inside = match path.strip_prefix(tree.root()) {
        Ok(inside) => inside,
        Err(_) if path.is_absolute() => return true,
        Err(_) => path,
    };
    let inside = inside.to_str().and_then(|inside| RepoPath::parse(inside).ok());
    let resolved = inside.map(|inside| tree.resolve(&inside));
    matches!(resolved, Some(Err(error)) if error.kind() == io::ErrorKind::PermissionDenied)
}
