//! The fingerprint of a failure, equal across runs and machines; it names the branch of the fix.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::Sha256;
use super::failure::FailureReport;
use super::identity::normalize_identity;

/// Hex digits kept: 48 bits, far more than a repository has failures.
// Short enough for the name of a branch that people read.
const DIGITS: usize = 12;

/// The prefix of every branch that this program creates.
// Rules of forges for the branches of this program match it.
pub const BRANCH_PREFIX: &str = "papayu/";

/// A failure's name: twelve lower case hex digits, the same whenever the same things fail.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Returns the fingerprint of a report: of its failures in any order, else of the goal, else of
    /// the end of the log.
    ///
    /// `root` is the folder of the repository with a `/` at its end, which can differ in the next
    /// run.
    pub fn of(report: &FailureReport, root: &str, goal: Option<&str>) -> Self {
        // The identities have no line numbers, so that a change above a failure keeps its
        // fingerprint.
        let failures = report.failures.iter().map(|failure| failure.identity_below(root));
        let mut parts: Vec<String> = failures.map(|it| it.trim().to_owned()).collect();
        // Test runners that work in parallel report in another order each time.
        parts.sort_unstable();
        // Several failures may have the same identity, such as one error in a loop.
        parts.dedup();
        // The failures come first: two goals in other words for the same failure are one fix.
        if let (true, Some(goal)) = (parts.is_empty(), goal) {
            // Blanks and case of a goal differ between the calls of people.
            let words: Vec<&str> = goal.split_whitespace().collect();
            parts.push(format!("goal {}", words.join(" ").to_lowercase()));
        }
        if parts.is_empty() {
            // The last line of a log usually names the reason of its end.
            let mut lines = report.excerpt.lines().map(str::trim).filter(|line| !line.is_empty());
            let last = lines.next_back().unwrap_or_default();
            parts.push(format!("log {}", normalize_identity(&last.replace(root, ""))));
        }
        let digest = Sha256::of(parts.join("\n").as_bytes()).to_string();
        Self(digest.chars().take(DIGITS).collect())
    }

    /// Reads twelve lower case hex digits; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        // Upper case is refused, so that one fingerprint has one spelling.
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == DIGITS && text.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the one branch that fixes of this failure go to.
    /// An example: `papayu/fix-0a1b2c3d4e5f`.
    pub fn branch(&self) -> String {
        format!("{BRANCH_PREFIX}fix-{self}")
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> Self {
        fingerprint.0
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is not twelve hex digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Failure, Location};

    fn report(failures: &[(&str, u32, &str)]) -> FailureReport {
        let failure = |(path, line, message): &(&str, u32, &str)| Failure {
            message: (*message).to_owned(),
            locations: vec![Location { path: (*path).to_owned(), line: Some(*line), column: None }],
            ..Failure::default()
        };
        FailureReport {
            failures: failures.iter().map(failure).collect(),
            ..FailureReport::default()
        }
    }

    #[test]
    fn another_machine_another_order_and_other_lines_are_the_same_failure() {
        let one =
            report(&[("/home/a/repo/src/x.rs", 3, "no `y` after 30ms"), ("src/z.rs", 1, "gone")]);
        let other = report(&[
            ("src/z.rs", 99, "gone"),
            ("/w/src/x.rs", 4, "no `y` after 2 s"),
            ("src/z.rs", 5, "gone"),
        ]);
        let of = |report, root| Fingerprint::of(report, root, Some("whatever"));
        assert_eq!(of(&one, "/home/a/repo/"), of(&other, "/w/"));
        assert_ne!(of(&one, "/home/a/repo/"), of(&report(&[("src/z.rs", 1, "gone")]), "/w/"));
    }

    #[test]
    fn without_failures_the_goal_names_it_and_without_that_the_end_of_the_log() {
        let log = |text: &str| FailureReport { excerpt: text.to_owned(), ..report(&[]) };
        let goal = |goal: &str| Fingerprint::of(&log("one thing"), "", Some(goal));
        assert_eq!(goal("Bring  x up\nto date"), goal("bring x up to date"));
        assert_ne!(goal("bring x up to date"), goal("bring y up to date"));
        let end = |text: &str| Fingerprint::of(&log(text), "/r/", None);
        assert_eq!(end("noise\nmake: *** /r/a broke\n\n"), end("make: *** a broke"));
        assert_ne!(end("make: *** a broke"), end("make: *** b broke"));
    }

    #[test]
    fn only_twelve_hex_digits_are_one() {
        for text in ["", "0123456789a", "0123456789abc", "0123456789aB", "../../etc/pas"] {
            assert_eq!(Fingerprint::parse(text), None, "{text}");
        }
        let read = Fingerprint::parse("0123456789ab");
        assert_eq!(read.map(|it| it.branch()).as_deref(), Some("papayu/fix-0123456789ab"));
    }
}
