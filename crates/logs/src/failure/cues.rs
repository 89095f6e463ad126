//! Finds the cues of all readers in one pass over a line.
//!
//! One automaton over all cues costs the same for one parser as for fourteen.

use std::sync::LazyLock;

use super::invocation;
use super::toolchain::{self, generic};
use papayu_base::text::WordFinder;

/// The readers that have a cue in a line. A line without any cue concerns only readers that are
/// inside a failure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cued {
    /// One for each toolchain's parser.
    pub(super) parsers: [bool; toolchain::COUNT],
    /// The reader of what no parser claims.
    pub(super) generic: bool,
    /// The reader of commands and exit codes.
    pub(super) invocation: bool,
}

impl Cued {
    /// Returns `true` if the line has a cue of any reader of failures.
    pub(super) fn is_any(&self) -> bool {
        self.generic || self.parsers.contains(&true)
    }
}

/// The automaton over all cues, and the reader that owns each.
static CUES: LazyLock<(WordFinder, Vec<usize>)> = LazyLock::new(|| {
    let mut cues: Vec<&str> = Vec::new();
    let mut owners = Vec::new();
    let parsers = toolchain::all_parsers();
    let others = [generic::CUES, invocation::CUES];
    let lists = parsers.iter().map(|parser| parser.cues()).chain(others);
    for (owner, list) in lists.enumerate() {
        cues.extend(list);
        owners.extend(list.iter().map(|_| owner));
    }
    (WordFinder::new(cues), owners)
});

/// Returns the readers that have a cue in the line.
pub(super) fn find_cues(line: &str) -> Cued {
    let (finder, owners) = &*CUES;
    // The search refuses texts of a certain length; then every reader gets the line.
    let Some(cues) = finder.for_text(line) else {
        return Cued { parsers: [true; toolchain::COUNT], generic: true, invocation: true };
    };
    let mut found = [false; toolchain::COUNT + 2];
    // Overlapping matches are needed: `error` is a part of `error TS`.
    for cue in cues.find_overlapping_iter(line) {
        let owner = owners.get(cue.pattern().as_usize());
        if let Some(flag) = owner.and_then(|owner| found.get_mut(*owner)) {
            *flag = true;
        }
    }
    let mut cued = Cued { parsers: [false; toolchain::COUNT], generic: false, invocation: false };
    let others = [&mut cued.generic, &mut cued.invocation];
    for (flag, found) in cued.parsers.iter_mut().chain(others).zip(found) {
        *flag = found;
    }
    cued
}
