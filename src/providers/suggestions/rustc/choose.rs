//! Decides which of an error's suggestions, if any, is applied.

use std::ops::Range;
use std::path::PathBuf;

use rustfix::diagnostics::Applicability;

use super::message::{CompilerError, Diagnostic, Span};

/// A suggestion that qualifies: edits of one file that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proposal {
    /// Absolute path of the package's `Cargo.toml`.
    pub(super) manifest_path: PathBuf,
    /// The file as rustc names it: absolute, or relative to the workspace.
    pub(super) file_name: String,
    /// The error and what is suggested for it, without the place.
    pub(super) note: String,
    /// 1-based line and column of the error.
    pub(super) at: (usize, usize),
    /// In the order suggested; none overlaps another.
    pub(super) edits: Vec<Edit>,
    /// Lines of the file as the compiler saw them, by 1-based number: those of the error and those
    /// of the suggestion.
    pub(super) seen: Vec<(usize, String)>,
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    /// Bytes of the file.
    pub(super) range: Range<usize>,
    /// What takes their place.
    pub(super) replacement: String,
}

/// Returns the one suggestion of an error that may be applied. Machine-applicable ones go first;
/// where there is none, [`is_provable`] ones count. Two that qualify are a tie, and a tie is refused.
pub(super) fn choose(error: &CompilerError) -> Option<Proposal> {
    let children = &error.diagnostic.children;
    let sure: Vec<_> = children
        .iter()
        .filter(|child| has_applicability(child, Applicability::MachineApplicable))
        .collect();
    let chosen = if sure.is_empty() {
        children
            .iter()
            .filter(|child| has_applicability(child, Applicability::MaybeIncorrect))
            .filter(|child| is_provable(&child.message))
            .collect()
    } else {
        sure
    };
    let [child] = chosen.as_slice() else { return None };
    propose(error, child)
}

/// Suggestions that rustc is not sure of, and that the user's command proves or refutes: each
/// replaces one name, or adds the one import, that the compiler's own search found.
///
/// - `a local variable with a similar name exists`, `there is a method `x` with a similar name`,
///   the same for functions, structs, fields, modules …
/// - `consider importing this struct`, `… this trait`: the singular is used when there is one
///   candidate; several are `consider importing one of these …`.
fn is_provable(help: &str) -> bool {
    help.contains("with a similar name") || help.starts_with("consider importing this ")
}

/// A suggestion may have parts; all of them must be of that applicability.
fn has_applicability(child: &Diagnostic, wanted: Applicability) -> bool {
    let mut parts =
        child.spans.iter().filter(|span| span.suggested_replacement.is_some()).peekable();
    parts.peek().is_some() && parts.all(|span| span.suggestion_applicability == Some(wanted))
}

fn propose(error: &CompilerError, child: &Diagnostic) -> Option<Proposal> {
    let first = child.spans.first()?;
    // Text that a macro wrote is not text of the file, and a suggestion over two files is rare
    // enough to leave to a person.
    if child.spans.iter().any(|span| span.in_macro || span.file_name != first.file_name) {
        return None;
    }
    let edits: Vec<Edit> = child.spans.iter().filter_map(edit).collect();
    // Alternatives come as parts of one suggestion that replace the same place.
    let is_apart = |(at, edit): (usize, &Edit)| {
        edits.iter().skip(at + 1).all(|other| !overlap(&edit.range, &other.range))
    };
    if edits.is_empty() || !edits.iter().enumerate().all(is_apart) {
        return None;
    }
    let in_file = error.diagnostic.spans.iter().chain(&child.spans);
    let seen = in_file.filter(|span| span.file_name == first.file_name).flat_map(lines).collect();
    let place = primary(&error.diagnostic)
        .filter(|span| span.file_name == first.file_name)
        .unwrap_or(first);
    Some(Proposal {
        manifest_path: error.manifest_path.clone(),
        file_name: first.file_name.clone(),
        note: format!("{}: {}", title(&error.diagnostic), help(child, &edits)),
        at: (place.line_start, place.column_start),
        edits,
        seen,
    })
}

fn lines(span: &Span) -> impl Iterator<Item = (usize, String)> {
    span.text.iter().enumerate().map(|(at, line)| (span.line_start + at, line.text.clone()))
}

fn edit(span: &Span) -> Option<Edit> {
    Some(Edit {
        range: span.byte_start..span.byte_end,
        replacement: span.suggested_replacement.clone()?,
    })
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a == b || (a.start < b.end && b.start < a.end)
}

fn primary(diagnostic: &Diagnostic) -> Option<&Span> {
    diagnostic.spans.iter().find(|span| span.is_primary)
}

/// Returns the error without a suggestion in one line, its place first.
pub(super) fn describe(error: &CompilerError) -> String {
    let title = title(&error.diagnostic);
    match primary(&error.diagnostic) {
        Some(span) => {
            format!("{}:{}:{} {title}", span.file_name, span.line_start, span.column_start)
        }
        None => title,
    }
}

fn title(diagnostic: &Diagnostic) -> String {
    let message = diagnostic.message.lines().next().unwrap_or_default();
    match &diagnostic.code {
        Some(code) if code.code.starts_with("clippy::") => format!("{}: {message}", code.code),
        Some(code) => format!("rustc {}: {message}", code.code),
        None => format!("rustc: {message}"),
    }
}

/// Repeats the tool's words and, where it is short, what it wants written.
fn help(child: &Diagnostic, edits: &[Edit]) -> String {
    let words = child.message.lines().next().unwrap_or_default();
    match edits {
        [edit] if !edit.replacement.trim().is_empty() && edit.replacement.len() <= 80 => {
            format!("{words}: `{}`", edit.replacement.trim())
        }
        _ => words.to_owned(),
    }
}

#[cfg(test)]
mod tests;
