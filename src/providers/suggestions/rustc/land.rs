//! Lands proposals on the files they name, in memory; what does not fit is left out with the reason.

use std::collections::BTreeMap;
use std::path::Path;

use rustfix::{CodeFix, LinePosition, LineRange, Replacement, Snippet, Solution};

use super::super::findings::FileFix;
use super::choose::{Edit, Proposal};
use crate::domain::RepoPath;
use crate::system::Tree;

/// Longer files are left alone: the protocol takes at most 1 MiB a file (section 4).
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The files that may be changed: those the repository itself holds, sorted by path.
pub(super) struct Sources<'a> {
    pub(super) tree: &'a dyn Tree,
    pub(super) files: Vec<String>,
}

/// Returns the fixed files in order of path, and a line for each proposal that was left out.
/// Where two proposals overlap the first one is kept.
pub(super) fn land(sources: &Sources<'_>, proposals: &[Proposal]) -> (Vec<FileFix>, Vec<String>) {
    let mut by_file: BTreeMap<RepoPath, Vec<&Proposal>> = BTreeMap::new();
    let mut left_out = Vec::new();
    for proposal in proposals {
        match sources.find(proposal) {
            Some(path) => by_file.entry(path).or_default().push(proposal),
            None => left_out.push(line(proposal, "the file is not one of the repository's")),
        }
    }
    let mut fixes = Vec::new();
    for (path, proposals) in by_file {
        match sources.read(&path) {
            Ok(before) => fixes.extend(land_file(path, before, &proposals, &mut left_out)),
            Err(reason) => left_out.extend(proposals.iter().map(|one| line(one, reason))),
        }
    }
    (fixes, left_out)
}

fn line(proposal: &Proposal, reason: &str) -> String {
    let Proposal { file_name, at: (row, column), note, .. } = proposal;
    format!("{file_name}:{row}:{column} {note} (left out: {reason})")
}

impl Sources<'_> {
    /// rustc names files of a workspace relative to its root, which is the package's folder or
    /// one above it, and others by their absolute path.
    fn find(&self, proposal: &Proposal) -> Option<RepoPath> {
        let name = Path::new(&proposal.file_name);
        if name.is_absolute() {
            return self.known(name.strip_prefix(self.tree.root()).ok()?);
        }
        let package = proposal.manifest_path.parent()?.strip_prefix(self.tree.root()).ok()?;
        package.ancestors().find_map(|folder| self.known(&folder.join(name)))
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

    fn read(&self, path: &RepoPath) -> Result<String, &'static str> {
        let bytes = self.tree.read(path, MAX_FILE_BYTES).map_err(|_| "the file cannot be read")?;
        let text = String::from_utf8(bytes).map_err(|_| "the file is not UTF-8")?;
        // How a byte order mark is shown, and so how a patch has to write it, is not ours to say.
        if text.starts_with('\u{feff}') {
            Err("the file begins with a byte order mark")
        } else {
            Ok(text)
        }
    }
}

fn land_file(
    path: RepoPath,
    before: String,
    proposals: &[&Proposal],
    left_out: &mut Vec<String>,
) -> Option<FileFix> {
    let lines: Vec<&str> = before.lines().collect();
    let is_crlf = before.contains("\r\n");
    let mut fix = CodeFix::new(&before);
    let mut landed: Vec<&Edit> = Vec::new();
    let mut notes = Vec::new();
    for proposal in proposals {
        // Two uses of one missing name suggest the same import twice.
        if proposal.edits.iter().all(|edit| landed.contains(&edit)) {
            continue;
        }
        let fits = was_seen(proposal, &lines)
            && proposal.edits.iter().all(|edit| before.get(edit.range.clone()).is_some());
        if !fits {
            left_out.push(line(proposal, "the file is not as the compiler saw it"));
        } else if fix.apply_solution(&solution(proposal, is_crlf)).is_err() {
            left_out.push(line(proposal, "it overlaps another suggestion"));
        } else {
            let (row, column) = proposal.at;
            notes.push(format!("{path}:{row}:{column} {}", proposal.note));
            landed.extend(&proposal.edits);
        }
    }
    let after = fix.finish().ok().filter(|after| *after != before)?;
    Some(FileFix { path, before, after, notes })
}

/// An insertion shows no line of its own, but the error it belongs to does.
fn was_seen(proposal: &Proposal, lines: &[&str]) -> bool {
    let is_there = |(number, text): &(usize, String)| {
        // A range that ends with the file shows an empty line after the last one.
        lines.get(number.saturating_sub(1)).copied().unwrap_or_default() == text
    };
    !proposal.seen.is_empty() && proposal.seen.iter().all(is_there)
}

fn solution(proposal: &Proposal, is_crlf: bool) -> Solution {
    let replacements = proposal
        .edits
        .iter()
        .map(|edit| Replacement {
            snippet: Snippet {
                file_name: proposal.file_name.clone(),
                // Only the bytes are used for landing.
                line_range: LineRange { start: NOWHERE, end: NOWHERE },
                range: edit.range.clone(),
            },
            replacement: if is_crlf {
                edit.replacement.replace("\r\n", "\n").replace('\n', "\r\n")
            } else {
                edit.replacement.clone()
            },
        })
        .collect();
    Solution { message: proposal.note.clone(), replacements }
}

const NOWHERE: LinePosition = LinePosition { line: 0, column: 0 };

#[cfg(test)]
mod tests;
