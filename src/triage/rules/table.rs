//! The table of rules and the search for the rule of a line.

use std::sync::LazyLock;

use super::rule::SignalRule;
use super::{dependency, environment, flake, formatting, machine, network};
use crate::text::Pattern;

/// The table with its patterns.
pub(in crate::triage) struct SignalRules {
    pub(in crate::triage) all: Vec<&'static SignalRule>,
    patterns: Vec<Pattern>,
}

/// The built-in table.
pub(in crate::triage) static RULES: LazyLock<SignalRules> = LazyLock::new(|| {
    let tables = [
        machine::RULES,
        network::RULES,
        environment::RULES,
        dependency::RULES,
        formatting::RULES,
        flake::RULES,
    ];
    let all: Vec<&SignalRule> = tables.into_iter().flatten().collect();
    let patterns = all.iter().map(|rule| Pattern::new(rule.pattern)).collect();
    SignalRules { all, patterns }
});

impl SignalRules {
    /// Returns the cue of each rule, in the order of the table.
    pub(in crate::triage) fn cues(&self) -> impl Iterator<Item = &'static str> {
        self.all.iter().map(|rule| rule.cue)
    }

    /// Returns the first rule that the line fits, of those that are wanted.
    pub(in crate::triage) fn find_rule(
        &self,
        line: &str,
        wanted: impl Fn(&SignalRule) -> bool,
    ) -> Option<usize> {
        let held = self.cues().enumerate().filter(|(_, cue)| line.contains(cue));
        self.find_cued(line, held.map(|(at, _)| at).collect(), wanted)
    }

    /// Returns the first wanted rule that the line matches, among those whose cues the line
    /// contains.
    pub(in crate::triage) fn find_cued(
        &self,
        line: &str,
        mut cued: Vec<usize>,
        wanted: impl Fn(&SignalRule) -> bool,
    ) -> Option<usize> {
        // The first rule of the table wins, and a cue can occur several times.
        cued.sort_unstable();
        cued.dedup();
        cued.into_iter().find(|at| {
            self.all.get(*at).is_some_and(|rule| wanted(rule))
                && self.patterns.get(*at).is_some_and(|pattern| pattern.is_match(line))
        })
    }

    /// Returns a rule by its place in the table.
    pub(in crate::triage) fn get(&self, at: usize) -> Option<&'static SignalRule> {
        self.all.get(at).copied()
    }
}

/// Lines of success after a retry: the tool, and a part of the line.
pub(in crate::triage) const WENT_WELL: &[(&str, &str)] = &[
    ("npm", "added "),
    ("npm", "up to date"),
    ("npm", "Done in "),
    ("npm", "✨  Done"),
    ("pip", "Successfully installed "),
    ("pip", "Requirement already satisfied"),
    ("pip", "Saved "),
    ("pip", "Installed "),
    ("cargo", "Downloaded "),
    ("cargo", "Compiling "),
    ("cargo", "Finished "),
    ("git", "HEAD is now at "),
    ("git", "Resolving deltas: 100%"),
    ("apt", "Setting up "),
    ("ruby", "Bundle complete!"),
    ("jvm", "BUILD SUCCESS"),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::domain::FailureClass;

    use super::*;

    #[test]
    fn every_rule_compiles_has_a_source_and_fits_its_own_sample() {
        assert!(RULES.all.len() > 100, "{}", RULES.all.len());
        assert!(RULES.patterns.iter().all(Pattern::is_valid));
        for rule in &RULES.all {
            let found = RULES.find_rule(rule.sample, |it| it.class == rule.class);
            let name = found.and_then(|at| RULES.get(at)).map(|found| found.class);
            assert_eq!(name, Some(rule.class), "{}: {}", rule.name, rule.sample);
            assert!(rule.sample.contains(rule.cue), "{}", rule.name);
            let own = Pattern::new(rule.pattern);
            assert!(own.is_match(rule.sample), "{}: {}", rule.name, rule.sample);
            assert!(rule.source.len() >= 3 && rule.next.len() > 10, "{}", rule.name);
        }
    }

    #[test]
    fn names_are_unique_and_tools_that_can_recover_have_a_word_for_it() {
        let names: HashSet<_> = RULES.all.iter().map(|rule| rule.name).collect();
        assert_eq!(names.len(), RULES.all.len());
        for (tool, _) in WENT_WELL {
            assert!(RULES.all.iter().any(|rule| rule.tool == Some(tool)), "{tool}");
        }
    }

    #[test]
    fn what_code_prints_about_the_same_things_fits_no_rule() {
        for line in [
            "ETIMEDOUT",
            "Error: connect ECONNREFUSED 127.0.0.1:5432",
            "  ✓ handles 503 from the registry",
            "handles 503",
            "AssertionError: expected 'npm ERR! code ETIMEDOUT' to equal ''",
            "  npm ERR! code ETIMEDOUT",
            "not ok 3 - curl: (6) Could not resolve host: x",
            "E   OSError: [Errno 28] No space left on device",
            "ENOSPC: no space left on device, write",
            "PermissionError: [Errno 13] Permission denied: '/etc/shadow'",
            "test killed_by_signal ... FAILED",
            "process was Killed",
            "API rate limit exceeded",
            "toomanyrequests",
            "expected 137 got exit code 137",
            "warning: spurious network error (3 tries remaining): [6] Could not resolve host",
            "npm WARN network retrying ETIMEDOUT",
            "KeyError: 'API_KEY'",
            "fatal: not a git repository",
            "user not found",
            "error: record not found",
            "sh: not found",
        ] {
            let found = RULES.find_rule(line, |rule| rule.class != FailureClass::TestFlake);
            let name = found.and_then(|at| RULES.get(at)).map(|rule| rule.name);
            assert_eq!(name, None, "{line}");
        }
    }
}
