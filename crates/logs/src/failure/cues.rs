//! Finds the cues of all readers in one pass over a line.
//!
//! One automaton over all cues costs the same for one parser as for fourteen.

use std::sync::LazyLock;

use super::invocation;
use super::toolchain::{self, generic};
use super::tools::{self, RowCue};
use papayu_base::text::WordFinder;

/// The readers that have a cue in a line. A line without any cue concerns only readers that are
/// inside a failure.
#[derive(Clone, Debug)]
pub(super) struct Cued {
    /// One for each toolchain's parser.
    pub(super) parsers: [bool; toolchain::COUNT],
    /// The reader of what no parser claims.
    pub(super) generic: bool,
    /// The reader of commands and exit codes.
    pub(super) invocation: bool,
    /// The rows of tools that may begin, or whose heading the line may be, in the order of the table.
    pub(super) rows: Vec<RowCue>,
}

impl Cued {
    /// Returns `true` if the line has a cue of any reader of failures.
    pub(super) fn is_any(&self) -> bool {
        self.generic || self.parsers.contains(&true)
    }
}

/// The owner of a cue.
#[derive(Clone, Copy, Debug)]
enum CueOwner {
    /// A parser, else the generic reader or that of commands.
    Reader(usize),
    Row(RowCue),
}

/// The automaton over all cues, and the owner of each.
static CUES: LazyLock<(WordFinder, Vec<CueOwner>)> = LazyLock::new(|| {
    let parsers = toolchain::all_parsers();
    let others = [generic::CUES, invocation::CUES];
    let lists = parsers.iter().map(|parser| parser.cues()).chain(others);
    let readers = lists
        .enumerate()
        .flat_map(|(owner, list)| list.iter().map(move |cue| (*cue, CueOwner::Reader(owner))));
    let rows = tools::row_cues().map(|(cue, row)| (cue, CueOwner::Row(row)));
    let (cues, owners): (Vec<&str>, Vec<CueOwner>) = readers.chain(rows).unzip();
    (WordFinder::new(cues), owners)
});

/// Returns the readers that have a cue in the line.
pub(super) fn find_cues(line: &str) -> Cued {
    let (finder, owners) = &*CUES;
    let mut rows = Vec::new();
    // The search refuses texts of a certain length; then every parser gets the line.
    let Some(cues) = finder.for_text(line) else {
        return Cued { parsers: [true; toolchain::COUNT], generic: true, invocation: true, rows };
    };
    let mut found = [false; toolchain::COUNT + 2];
    // Overlapping matches are needed: `error` is a part of `error TS`.
    for cue in cues.find_overlapping_iter(line) {
        match owners.get(cue.pattern().as_usize()) {
            Some(CueOwner::Row(row)) => rows.push(*row),
            Some(CueOwner::Reader(owner)) => {
                if let Some(flag) = found.get_mut(*owner) {
                    *flag = true;
                }
            }
            None => {}
        }
    }
    tools::sort_cues(&mut rows);
    let mut cued =
        Cued { parsers: [false; toolchain::COUNT], generic: false, invocation: false, rows };
    let others = [&mut cued.generic, &mut cued.invocation];
    for (flag, found) in cued.parsers.iter_mut().chain(others).zip(found) {
        *flag = found;
    }
    cued
}
