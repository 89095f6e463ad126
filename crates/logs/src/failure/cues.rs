//! Finds the cues of all readers in one pass over a line.

use std::sync::LazyLock;

use super::invocation;
use super::passed_test;
use super::structure;
use super::toolchain::{self, generic};
use super::tools::{self, RowCue};
use crate::cue_finder::CueFinder;

/// The readers that have a cue in a line. A line without any cue concerns only readers that are
/// inside a failure.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a reader")]
pub(super) struct Cued {
    /// One for each toolchain's parser.
    pub(super) parsers: [bool; toolchain::COUNT],
    /// The reader of what no parser claims.
    pub(super) generic: bool,
    /// The reader of commands and exit codes.
    pub(super) invocation: bool,
    /// The reader of the form of lines.
    pub(super) structure: bool,
    /// The reader of runs that pass.
    pub(super) run: bool,
    /// The reader of what a test printed that passed.
    pub(super) test: bool,
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

/// The finder of all cues, and the owner of each.
static CUES: LazyLock<(CueFinder, Vec<CueOwner>)> = LazyLock::new(|| {
    let parsers = toolchain::all_parsers();
    let others =
        [generic::CUES, invocation::CUES, structure::CUES, structure::RUN_CUES, passed_test::CUES];
    let lists = parsers.iter().map(|parser| parser.cues()).chain(others);
    let readers = lists
        .enumerate()
        .flat_map(|(owner, list)| list.iter().map(move |cue| (*cue, CueOwner::Reader(owner))));
    let rows = tools::row_cues().map(|(cue, row)| (cue, CueOwner::Row(row)));
    let (cues, owners): (Vec<&str>, Vec<CueOwner>) = readers.chain(rows).unzip();
    (CueFinder::new(cues), owners)
});

/// Returns the readers that have a cue in the line.
pub(super) fn find_cues(line: &str) -> Cued {
    let (finder, owners) = &*CUES;
    let mut rows = Vec::new();
    let mut found = [false; toolchain::COUNT + 5];
    finder.find_cues(line, |cue, _| match owners.get(cue) {
        Some(CueOwner::Row(row)) => rows.push(*row),
        Some(CueOwner::Reader(owner)) => {
            if let Some(flag) = found.get_mut(*owner) {
                *flag = true;
            }
        }
        None => {}
    });
    tools::sort_cues(&mut rows);
    let (parsers, others) = found.split_at(toolchain::COUNT);
    let is_cued = |at: usize| others.get(at).copied().unwrap_or_default();
    Cued {
        parsers: parsers.try_into().unwrap_or_default(),
        generic: is_cued(0),
        // The marks of shells are too short for a cue.
        invocation: is_cued(1) || line.starts_with(['$', '+']),
        structure: is_cued(2),
        run: is_cued(3) || line.starts_with("OK") || line.ends_with("%]"),
        test: is_cued(4)
            || structure::BARE_VERDICTS.contains(&line)
            || ["ok ", "not ok", "1.."].iter().any(|start| line.starts_with(start)),
        rows,
    }
}
