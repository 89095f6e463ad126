//! The table of rules, and how a line is held against it.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::domain::FailureClass;
use crate::text::Pattern;

/// One form of line and what it speaks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) class: FailureClass,
    /// Stands in every line that the pattern fits.
    cue: String,
    pattern: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "it is for who reads the table"))]
    pub(super) source: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test holds it to the pattern"))]
    pub(super) sample: String,
    /// What a person can do.
    pub(super) next: String,
    /// Whose later success takes the line back.
    pub(super) tool: Option<String>,
    /// Whether it counts beside what a compiler says of it.
    #[serde(default)]
    pub(super) decisive: bool,
}

#[derive(Deserialize)]
struct Table {
    rule: Vec<Rule>,
}

/// The table with its patterns.
pub(super) struct Rules {
    pub(super) all: Vec<Rule>,
    patterns: Vec<Pattern>,
}

/// The built-in table; one that cannot be read, which a test excludes, has no rules.
pub(super) static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let table: Option<Table> = toml::from_str(include_str!("rules.toml")).ok();
    let all = table.map(|table| table.rule).unwrap_or_default();
    let patterns = all.iter().map(|rule| Pattern::of(rule.pattern.clone())).collect();
    Rules { all, patterns }
});

impl Rules {
    /// Returns what stands in every line that each rule fits, in the order of the table.
    pub(super) fn cues(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|rule| rule.cue.as_str())
    }

    /// Returns the first rule that the line fits, of those that are wanted.
    pub(super) fn find(&self, line: &str, wanted: impl Fn(&Rule) -> bool) -> Option<usize> {
        let held = self.cues().enumerate().filter(|(_, cue)| line.contains(cue));
        self.find_cued(line, held.map(|(at, _)| at).collect(), wanted)
    }

    /// Returns the same where it is known already whose cues the line holds.
    pub(super) fn find_cued(
        &self,
        line: &str,
        mut cued: Vec<usize>,
        wanted: impl Fn(&Rule) -> bool,
    ) -> Option<usize> {
        cued.sort_unstable();
        cued.dedup();
        cued.into_iter().find(|at| {
            self.all.get(*at).is_some_and(&wanted)
                && self.patterns.get(*at).is_some_and(|pattern| pattern.is_match(line))
        })
    }

    /// Returns a rule by its place in the table.
    pub(super) fn get(&self, at: usize) -> Option<&Rule> {
        self.all.get(at)
    }
}

/// Lines by which a tool says that it got what it wanted after all: whose, and a part of the line.
pub(super) const WENT_WELL: &[(&str, &str)] = &[
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

    use super::*;

    #[test]
    fn every_rule_compiles_has_a_source_and_fits_its_own_sample() {
        assert!(RULES.all.len() > 100, "{}", RULES.all.len());
        assert!(RULES.patterns.iter().all(|pattern| pattern.get().is_some()));
        for rule in &RULES.all {
            let found = RULES.find(&rule.sample, |it| it.class == rule.class);
            let name = found.and_then(|at| RULES.get(at)).map(|found| found.class);
            assert_eq!(name, Some(rule.class), "{}: {}", rule.name, rule.sample);
            assert!(rule.sample.contains(&rule.cue), "{}", rule.name);
            let own = Pattern::of(rule.pattern.clone());
            assert!(own.is_match(&rule.sample), "{}: {}", rule.name, rule.sample);
            assert!(rule.source.len() >= 3 && rule.next.len() > 10, "{}", rule.name);
        }
    }

    #[test]
    fn names_are_unique_and_tools_that_can_recover_have_a_word_for_it() {
        let names: HashSet<_> = RULES.all.iter().map(|rule| &rule.name).collect();
        assert_eq!(names.len(), RULES.all.len());
        for (tool, _) in WENT_WELL {
            assert!(RULES.all.iter().any(|rule| rule.tool.as_deref() == Some(tool)), "{tool}");
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
            let found = RULES.find(line, |rule| rule.class != FailureClass::TestFlake);
            let name = found.and_then(|at| RULES.get(at)).map(|rule| rule.name.as_str());
            assert_eq!(name, None, "{line}");
        }
    }
}
