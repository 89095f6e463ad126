//! The table of rules, read from the TOML files of this folder, and the search for the rule of a line.
//!
//! A file has the rules of one cause. To add a rule, add a row with its cue, pattern, next step, the source of the line and
//! a sample of it. A test checks that the sample matches its own row, and that lines which programs print about the same
//! things match none.

use std::sync::LazyLock;

use serde::{Deserialize, Deserializer};

use papayu_base::domain::FailureClass;
use papayu_base::text::{Pattern, group};

/// A form of line, and the class of failures that it is evidence of.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of a row of the table")]
pub(super) struct SignalRule {
    /// The name in traces and in `outcome.json`.
    pub(super) name: String,
    /// The class of the file.
    #[serde(skip)]
    pub(super) class: FailureClass,
    /// Texts of which each line that the pattern matches has one; a row can have a single one. All cues are searched in
    /// one pass, so that most lines need no regular expression.
    #[serde(rename = "cue", deserialize_with = "read_cues")]
    pub(super) cues: Vec<String>,
    #[serde(deserialize_with = "read_pattern")]
    pattern: Pattern,
    /// The software, or its documentation, that has the line.
    #[cfg_attr(not(test), expect(dead_code, reason = "for people who read the table"))]
    source: String,
    /// A line of that source.
    pub(super) sample: String,
    /// The next step for a person; that of the file if the row has none. `NAME` in it is the group `name` of the pattern.
    #[serde(default)]
    next: String,
    /// The tool that cancels the signal by a later success, see [`WENT_WELL`].
    pub(super) tool: Option<String>,
    /// `true` if the line is the tool's final result: it counts together with a compiler's message, never with a failed
    /// test.
    #[serde(default)]
    pub(super) decisive: bool,
    /// `true` if the pattern fits the words of many tools: a warning, the notice of a retry and the message of an error
    /// at a place of the code do not count.
    #[serde(default)]
    pub(super) words: bool,
    /// `true` if the line shows that a program did not start, or found no project to work on.
    #[serde(default)]
    pub(super) not_started: bool,
    /// `true` if the line counts after the end of the step too: a CI system prints it.
    #[serde(default)]
    pub(super) after: bool,
}

impl SignalRule {
    /// Returns the next step for the first line of a text that the pattern fits.
    pub(super) fn next_step(&self, text: &str) -> String {
        let named = text.lines().find_map(|line| self.pattern.captures(line.trim()));
        match named.as_ref().and_then(|found| group(found, "name")) {
            Some(name) => self.next.replace("NAME", name),
            None => self.next.clone(),
        }
    }
}

/// One file of the table.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    class: FailureClass,
    #[serde(default)]
    next: String,
    rule: Vec<SignalRule>,
}

/// The files in the order in which their rules are tried.
const FILES: [&str; 9] = [
    include_str!("rules/machine.toml"),
    include_str!("rules/network.toml"),
    include_str!("rules/environment.toml"),
    include_str!("rules/dependency.toml"),
    include_str!("rules/machine_inputs.toml"),
    include_str!("rules/endings.toml"),
    include_str!("rules/code.toml"),
    include_str!("rules/formatting.toml"),
    include_str!("rules/flake.toml"),
];

// Read once; the text is part of the binary.
/// All rules. A file that is no TOML has none; a test reads every file.
pub(super) static RULES: LazyLock<Vec<SignalRule>> = LazyLock::new(|| {
    FILES.into_iter().flat_map(|text| read_rules(text).unwrap_or_default()).collect()
});

/// Reads the rules of a file in TOML. Fails if the file has another form, which a test excludes.
fn read_rules(text: &str) -> Result<Vec<SignalRule>, toml::de::Error> {
    let RuleFile { class, next, mut rule } = toml::from_str(text)?;
    // Rows inherit the class and the next step of their file.
    for row in &mut rule {
        row.class = class;
        if row.next.is_empty() {
            row.next.clone_from(&next);
        }
    }
    Ok(rule)
}

fn read_pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Pattern, D::Error> {
    String::deserialize(deserializer).map(Pattern::of)
}

fn read_cues<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Cues {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Cues::deserialize(deserializer)? {
        Cues::One(cue) => vec![cue],
        Cues::Many(cues) => cues,
    })
}

/// Returns the first rule that the line matches, of those that are wanted. `None` if it matches none.
pub(super) fn find_rule(
    line: &str,
    wanted: impl Fn(&SignalRule) -> bool,
) -> Option<&'static SignalRule> {
    // The cue is a cheap test before the regular expression.
    let cued = RULES.iter().zip(0..).filter(|(rule, _)| has_cue(rule, line));
    RULES.get(find_cued(line, cued.map(|(_, at)| at).collect(), wanted)?)
}

/// Returns `true` for a warning, and for the notice that something is tried again.
fn is_mild(line: &str) -> bool {
    let text = line.trim_start().to_lowercase();
    ["warning", "warn", "npm warn", "##[warning]"].iter().any(|start| text.starts_with(start))
        || ["tries remaining", "retrying", "will retry"].iter().any(|part| text.contains(part))
}

/// Returns `true` for a line of a test runner about a test, which can name anything.
fn is_of_test(line: &str) -> bool {
    const STARTS: [&str; 10] =
        ["not ok ", "ok ", "✓ ", "✔ ", "√ ", "✗ ", "✕ ", "✘ ", "E   ", "AssertionError"];
    let text = line.trim_start();
    STARTS.iter().any(|start| text.starts_with(start))
}

fn has_cue(rule: &SignalRule, line: &str) -> bool {
    rule.cues.iter().any(|cue| line.contains(cue.as_str()))
}

/// Returns the index of the first wanted rule that the line matches, among those with cues that the line
/// contains. `None` if it matches none.
pub(super) fn find_cued(
    line: &str,
    mut cued: Vec<usize>,
    wanted: impl Fn(&SignalRule) -> bool,
) -> Option<usize> {
    if is_of_test(line) {
        return None;
    }
    // The first rule of the table wins, and a cue can occur several times.
    cued.sort_unstable();
    cued.dedup();
    let fits = |at: &usize| {
        RULES.get(*at).is_some_and(|rule| {
            wanted(rule) && rule.pattern.is_match(line) && !(rule.words && is_mild(line))
        })
    };
    cued.into_iter().find(fits)
}

// A signal of the tool before such a line was overcome.
/// Lines of success after a retry: the tool, and a part of the line.
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

    use papayu_base::domain::FailureClass;

    use super::*;

    #[test]
    fn every_file_is_read() {
        for text in FILES {
            assert_ne!(read_rules(text).unwrap().len(), 0, "{text}");
        }
    }

    #[test]
    fn every_rule_compiles_has_a_source_and_fits_its_own_sample() {
        assert!(RULES.len() > 100, "{}", RULES.len());
        assert!(RULES.iter().all(|rule| rule.pattern.is_valid()));
        for rule in RULES.iter() {
            let found = find_rule(&rule.sample, |it| it.class == rule.class);
            let class = found.map(|found| found.class);
            assert_eq!(class, Some(rule.class), "{}: {}", rule.name, rule.sample);
            assert!(has_cue(rule, &rule.sample), "{}", rule.name);
            assert!(rule.cues.iter().all(|cue| cue.len() > 2), "{}", rule.name);
            assert!(rule.pattern.is_match(&rule.sample), "{}: {}", rule.name, rule.sample);
            assert!(rule.source.len() >= 3 && rule.next.len() > 10, "{}", rule.name);
        }
    }

    #[test]
    fn the_next_step_names_what_the_line_names() {
        let line = "/usr/bin/python3: No module named pytest.__main__";
        let rule = find_rule(line, |_| true).unwrap();
        let step = "install the module in the job (`python3 -m pip install pytest`), or name another command with `--run`";
        assert_eq!(rule.next_step(line), step);
    }

    #[test]
    fn names_are_unique_and_tools_that_can_recover_have_a_word_for_it() {
        let names: HashSet<_> = RULES.iter().map(|rule| rule.name.as_str()).collect();
        assert_eq!(names.len(), RULES.len());
        for (tool, _) in WENT_WELL {
            assert!(RULES.iter().any(|rule| rule.tool.as_deref() == Some(*tool)), "{tool}");
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
            let found = find_rule(line, |rule| rule.class != FailureClass::TestFlake);
            assert_eq!(found.map(|rule| rule.name.as_str()), None, "{line}");
        }
    }
}
