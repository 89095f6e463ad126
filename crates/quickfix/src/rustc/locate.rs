//! Finds the files that proposals name and makes fixes of them; what does not fit is left out with the reason.

use std::path::Path;

use super::super::diagnostic_context::DiagnosticContext;
use super::super::findings::{TextEdit, ToolFix};
use super::choose::{self, RustcProposal};
use super::imports;
use papayu_base::domain::RepoPath;
use papayu_base::text::encoding::MARK;
use papayu_vet::weakening;

/// Adds a fix for each proposal that fits the files as they are on disk, and a hint for each other.
pub(super) fn locate_all(context: &mut DiagnosticContext<'_>, proposals: &[RustcProposal]) {
    for proposal in proposals {
        match locate_fix(context, proposal) {
            Ok(fix) => context.add_fix(fix),
            Err(reason) => {
                let RustcProposal { file_name, at: (row, column), note, .. } = proposal;
                context.add_hint(format!("{file_name}:{row}:{column} {note} (left out: {reason})"));
            }
        }
    }
}

/// Returns a proposal as edits. The file may have changed since the compiler read it, so the quoted
/// lines are compared first.
fn locate_fix(
    context: &mut DiagnosticContext<'_>,
    proposal: &RustcProposal,
) -> Result<ToolFix, &'static str> {
    let path = find_file(context, proposal).ok_or("the file is not one of the repository's")?;
    let source = context.read(&path)?;
    let text = source.text.as_str();
    if !fits_file(proposal, text) {
        return Err("the file is not as the compiler saw it");
    }
    check_edits(proposal, text, context.tools.config.allow_test_edits)?;
    // rustc writes suggestions with `\n`, whatever the file has.
    let is_crlf = text.contains("\r\n");
    let edits = proposal.edits.iter().map(|edit| TextEdit {
        path: path.clone(),
        range: edit.range.clone(),
        text: if is_crlf {
            edit.replacement.replace("\r\n", "\n").replace('\n', "\r\n")
        } else {
            edit.replacement.clone()
        },
    });
    let (row, column) = proposal.at;
    let note = format!("{path}:{row}:{column} {}", proposal.note);
    Ok(ToolFix { note, edits: edits.collect() })
}

/// Refuses edits of test code, and the removal of an import that another build may need.
fn check_edits(
    proposal: &RustcProposal,
    text: &str,
    allow_test_edits: bool,
) -> Result<(), &'static str> {
    let tests = weakening::inline_tests(text);
    let line = |at: usize| text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
    let is_in_tests = |edit: &choose::RustcEdit| {
        let line = line(edit.range.start);
        tests.iter().any(|lines| lines.contains(&line))
    };
    if !allow_test_edits && proposal.edits.iter().any(is_in_tests) {
        return Err("it is in test code; `--allow tests` would allow it");
    }
    if proposal.drops_import {
        for edit in proposal.edits.iter().filter(|edit| edit.replacement.is_empty()) {
            imports::check_removal(text, edit.range.clone())?;
        }
    }
    Ok(())
}

/// Returns the file of a proposal. rustc names files of a workspace relative to its root, which is the package's folder or
/// one above it (above the repository too, where that is one member), and others by their
/// absolute path.
pub(super) fn find_file(
    context: &DiagnosticContext<'_>,
    proposal: &RustcProposal,
) -> Option<RepoPath> {
    let name = Path::new(&proposal.file_name);
    let root = context.tools.tree.root();
    if name.is_absolute() {
        return context.find_below_root(name.strip_prefix(root).ok()?);
    }
    let package = proposal.manifest_path.parent().filter(|folder| folder.starts_with(root))?;
    let places = package.ancestors().map(|folder| folder.join(name));
    places.into_iter().find_map(|place| context.find_below_root(place.strip_prefix(root).ok()?))
}

/// Returns whether the text is the one that the compiler read. The compiler counts a byte order mark among the
/// bytes, and shows lines without it.
fn fits_file(proposal: &RustcProposal, text: &str) -> bool {
    let shown = text.strip_prefix(MARK).unwrap_or(text);
    let first = text.len() - shown.len();
    let lines: Vec<&str> = shown.lines().collect();
    was_seen(proposal, &lines)
        && proposal
            .edits
            .iter()
            .all(|edit| edit.range.start >= first && text.get(edit.range.clone()).is_some())
}

/// An insertion shows no line of its own, but the error it belongs to does.
fn was_seen(proposal: &RustcProposal, lines: &[&str]) -> bool {
    let is_there = |(number, text): &(usize, String)| {
        // A range that ends with the file shows an empty line after the last one.
        lines.get(number.saturating_sub(1)).copied().unwrap_or_default() == text
    };
    !proposal.seen.is_empty() && proposal.seen.iter().all(is_there)
}

#[cfg(test)]
mod tests;
