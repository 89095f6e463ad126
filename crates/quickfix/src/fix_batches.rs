//! The order of proposals: all fixes first, then, if all together did not help, one failure at a time.

use std::collections::HashSet;

use super::findings::ToolFix;

/// The fixes proposed in a run. The tools run again before each proposal; a fix that they still find after it
/// was proposed alone did not help and was rolled back.
#[derive(Debug, Default)]
pub struct FixBatches {
    /// Fixes that were proposed alone.
    alone: HashSet<ToolFix>,
    /// Sets of fixes that were proposed together.
    together: HashSet<Vec<ToolFix>>,
}

impl FixBatches {
    /// Returns the fixes to propose now; none if all of them were tried.
    pub(super) fn next(&mut self, found: &[ToolFix]) -> Vec<ToolFix> {
        let left: Vec<ToolFix> =
            found.iter().filter(|fix| !self.alone.contains(fix)).cloned().collect();
        // All together first, because each attempt costs a run of the user's command.
        if left.len() > 1 && self.together.insert(left.clone()) {
            return left;
        }
        let one: Vec<ToolFix> = left.into_iter().take(1).collect();
        // If it had helped, the tool would not report its failure again.
        self.alone.extend(one.iter().cloned());
        one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixes(names: &[&str]) -> Vec<ToolFix> {
        names.iter().map(|note| ToolFix { note: (*note).to_owned(), edits: Vec::new() }).collect()
    }

    #[test]
    fn all_are_offered_first_then_each_alone_then_none() {
        let mut batches = FixBatches::default();
        let found = fixes(&["a", "b"]);
        assert_eq!(batches.next(&found), fixes(&["a", "b"]));
        assert_eq!(batches.next(&found), fixes(&["a"]));
        assert_eq!(batches.next(&found), fixes(&["b"]));
        assert_eq!(batches.next(&found), []);
    }

    #[test]
    fn one_that_helped_alone_leaves_the_others_to_be_offered_together() {
        let mut batches = FixBatches::default();
        batches.next(&fixes(&["a", "b", "c"]));
        assert_eq!(batches.next(&fixes(&["a", "b", "c"])), fixes(&["a"]));
        // `a` is kept, and so the tools do not find it any more.
        assert_eq!(batches.next(&fixes(&["b", "c"])), fixes(&["b", "c"]));
        assert_eq!(batches.next(&fixes(&["b", "c"])), fixes(&["b"]));
    }

    #[test]
    fn the_only_one_is_offered_once() {
        let mut batches = FixBatches::default();
        assert_eq!(batches.next(&fixes(&["a"])), fixes(&["a"]));
        assert_eq!(batches.next(&fixes(&["a"])), []);
    }
}
