//! Finds the files that proposals name and makes fixes of them; what does not fit is left out with the reason.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::findings::{Edit, Fix};
use super::super::probe::Probe;
use super::choose::{self, Proposal};
use super::imports;
use crate::domain::RepoPath;
use crate::text::encoding::MARK;
use crate::weakening;

/// The files that may be changed: those the repository itself holds, sorted by path.
pub(super) struct Sources<'a> {
    pub(super) probe: &'a Probe<'a>,
    pub(super) files: Vec<String>,
}

/// Proposals found in the repository.
#[derive(Debug, Default)]
pub(super) struct Located {
    /// Every file that is edited, as it is.
    pub(super) texts: BTreeMap<RepoPath, String>,
    /// A fix for each proposal that fits, in their order.
    pub(super) fixes: Vec<Fix>,
    /// A line for each that does not.
    pub(super) left_out: Vec<String>,
}

/// Returns the fixes that fit the files as they are on disk.
pub(super) fn locate(sources: &Sources<'_>, proposals: &[Proposal]) -> Located {
    let mut located = Located::default();
    for proposal in proposals {
        match sources.fix(proposal, &mut located.texts) {
            Ok(fix) => located.fixes.push(fix),
            Err(reason) => {
                let Proposal { file_name, at: (row, column), note, .. } = proposal;
                let line = format!("{file_name}:{row}:{column} {note} (left out: {reason})");
                located.left_out.push(line);
            }
        }
    }
    located
}

impl Sources<'_> {
    fn fix(
        &self,
        proposal: &Proposal,
        texts: &mut BTreeMap<RepoPath, String>,
    ) -> Result<Fix, &'static str> {
        let path = self.find(proposal).ok_or("the file is not one of the repository's")?;
        if !texts.contains_key(&path) {
            texts.insert(path.clone(), self.probe.read(&path)?);
        }
        let text = texts.get(&path).map(String::as_str).unwrap_or_default();
        if !fits(proposal, text) {
            return Err("the file is not as the compiler saw it");
        }
        self.may_edit(proposal, text)?;
        let is_crlf = text.contains("\r\n");
        let edits = proposal.edits.iter().map(|edit| Edit {
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
        Ok(Fix { note, edits: edits.collect() })
    }

    /// The error says why the edits are not ours to make.
    fn may_edit(&self, proposal: &Proposal, text: &str) -> Result<(), &'static str> {
        let tests = weakening::inline_tests(text);
        let line = |at: usize| text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
        let is_in_tests = |edit: &choose::Edit| {
            let line = line(edit.range.start);
            tests.iter().any(|lines| lines.contains(&line))
        };
        if !self.probe.config.allow_test_edits && proposal.edits.iter().any(is_in_tests) {
            return Err("it stands in test code; `--allow-test-edits` would allow it");
        }
        if proposal.drops_import {
            for edit in proposal.edits.iter().filter(|edit| edit.replacement.is_empty()) {
                imports::may_go(text, edit.range.clone())?;
            }
        }
        Ok(())
    }

    /// rustc names files of a workspace relative to its root, which is the package's folder or
    /// one above it (above the repository too, where that is one member), and others by their
    /// absolute path.
    fn find(&self, proposal: &Proposal) -> Option<RepoPath> {
        let name = Path::new(&proposal.file_name);
        if name.is_absolute() {
            return self.known(name.strip_prefix(self.probe.tree.root()).ok()?);
        }
        let root = self.probe.tree.root();
        let package = proposal.manifest_path.parent().filter(|folder| folder.starts_with(root))?;
        let places = package.ancestors().map(|folder| folder.join(name));
        places.into_iter().find_map(|place| self.known(place.strip_prefix(root).ok()?))
    }

    fn known(&self, path: &Path) -> Option<RepoPath> {
        let mut segments = Vec::new();
        for segment in path.to_str()?.split(['/', std::path::MAIN_SEPARATOR]) {
            match segment {
                "" | "." => {}
                // `#[path = "../x.rs"]` leaves such segments.
                ".." => drop(segments.pop()?),
                name => segments.push(name),
            }
        }
        let path = segments.join("/");
        self.files.binary_search(&path).ok().and_then(|_| RepoPath::parse(&path).ok())
    }
}

/// Tells whether the text is the one that the compiler saw. It counts a byte order mark among the bytes,
/// and shows lines without it.
fn fits(proposal: &Proposal, text: &str) -> bool {
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
fn was_seen(proposal: &Proposal, lines: &[&str]) -> bool {
    let is_there = |(number, text): &(usize, String)| {
        // A range that ends with the file shows an empty line after the last one.
        lines.get(number.saturating_sub(1)).copied().unwrap_or_default() == text
    };
    !proposal.seen.is_empty() && proposal.seen.iter().all(is_there)
}

#[cfg(test)]
mod tests;
