//! Many words looked for in the lines of a log: at hand at once for a short one, fast for a long one.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Lines after which the fast form is worth its making, which takes longer than reading them.
const MANY: usize = 5_000;

/// The words, and the automata that find them.
#[derive(Debug)]
pub struct Finder {
    words: Vec<&'static str>,
    lines: AtomicUsize,
    soon: OnceLock<Option<AhoCorasick>>,
    fast: OnceLock<Option<AhoCorasick>>,
}

impl Finder {
    /// Takes the words; a match names the place of its word among them.
    pub fn new(words: Vec<&'static str>) -> Self {
        let (soon, fast) = (OnceLock::new(), OnceLock::new());
        Self { words, lines: AtomicUsize::new(0), soon, fast }
    }

    /// Returns the automaton for the next line, whichever it is; `None` where there can be none.
    pub fn for_line(&self) -> Option<&AhoCorasick> {
        let is_long = self.lines.fetch_add(1, Ordering::Relaxed) >= MANY;
        let (built, kind) = if is_long {
            (&self.fast, AhoCorasickKind::DFA)
        } else {
            (&self.soon, AhoCorasickKind::ContiguousNFA)
        };
        let build = || AhoCorasick::builder().kind(Some(kind)).build(&self.words).ok();
        built.get_or_init(build).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_is_read_as_a_short_one() {
        let finder = Finder::new(vec!["error", "rror:"]);
        let found = |finder: &Finder| -> Vec<(usize, usize)> {
            let matches = finder.for_line().unwrap().find_overlapping_iter("an error: e");
            matches.map(|it| (it.pattern().as_usize(), it.start())).collect()
        };
        assert_eq!(found(&finder), [(0, 3), (1, 4)]);
        assert!(finder.fast.get().is_none());
        finder.lines.store(MANY, Ordering::Relaxed);
        assert_eq!(found(&finder), [(0, 3), (1, 4)]);
        assert!(finder.fast.get().is_some());
    }
}
