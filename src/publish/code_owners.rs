//! Finds the owners of changed files in the `CODEOWNERS` file of a repository.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use papayu_base::domain::RepoPath;

/// The places of the file, the first that exists counts (GitHub, "About code owners").
pub(super) const PLACES: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/// The longest file that GitHub reads, in bytes.
const MAX_BYTES: usize = 3 * 1024 * 1024;

/// A line of the file.
struct OwnerRule {
    pattern: Gitignore,
    owners: Vec<String>,
}

/// The rules of a `CODEOWNERS` file.
pub(super) struct CodeOwners(Vec<OwnerRule>);

impl CodeOwners {
    /// Reads the file. Lines that GitHub skips are skipped: `!`, `[ ]` and `\#` have no meaning in its patterns.
    pub(super) fn parse(text: &str) -> Self {
        let text = if text.len() > MAX_BYTES { "" } else { text };
        Self(text.lines().filter_map(parse_rule).collect())
    }

    /// Returns the owners of a file, as in the file: `@user`, `@organisation/team` or an address. The last rule that
    /// matches counts; one without owners leaves the file without any.
    pub(super) fn owners_of(&self, path: &RepoPath) -> &[String] {
        let is_match = |rule: &&OwnerRule| {
            rule.pattern.matched_path_or_any_parents(path.as_str(), false).is_ignore()
        };
        self.0.iter().rev().find(is_match).map(|rule| rule.owners.as_slice()).unwrap_or_default()
    }
}

/// Parses a line of `CODEOWNERS`; `None` for a comment and for a pattern that GitHub does not support there.
fn parse_rule(line: &str) -> Option<OwnerRule> {
    // A comment ends a rule, too.
    let line = line.split(" #").next().unwrap_or_default().trim();
    let mut words = split_words(line).into_iter();
    let pattern =
        words.next().filter(|it| !it.starts_with(['#', '!']) && !it.contains(['[', ']']))?;
    // `docs/*` matches files of the folder and none below it, unlike in `.gitignore`.
    let is_shallow = pattern.ends_with("/*");
    let pattern = if is_shallow { format!("{pattern}\n!{pattern}/**") } else { pattern };
    let mut builder = GitignoreBuilder::new("");
    for line in pattern.lines() {
        builder.add_line(None, line).ok()?;
    }
    Some(OwnerRule { pattern: builder.build().ok()?, owners: words.collect() })
}

/// Returns the words of a line; a space after a backslash is a part of its word.
fn split_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_escaped = false;
    for c in line.chars() {
        if c.is_whitespace() && !is_escaped {
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(c);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the owners that can be asked for a review, in the form of the setting: people, and the teams of the repository's
/// own organisation as `team/NAME`. A team of another organisation may have the name of one here.
pub(super) fn reviewers_of(owners: &[String], organisation: &str) -> Vec<String> {
    let names = owners.iter().filter_map(|owner| {
        let name = owner.strip_prefix('@')?;
        match name.split_once('/') {
            None => Some(name.to_owned()),
            Some((of, team)) => {
                of.eq_ignore_ascii_case(organisation).then(|| format!("team/{team}"))
            }
        }
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
# The owners\n\
*       @global @org/all\n\
*.js    @js-owner # the inline comment\n\
/build/logs/ @doctocat\n\
docs/*  docs@example.com\n\
apps/   @octocat\n\
/scripts/ @doctocat @octocat\n\
**/logs @logger\n\
/apps/github\n\
my\\ file.txt @spaced\n\
!*.js @evil\n\
[a-z].rs @evil\n";

    #[test]
    fn the_last_rule_that_matches_counts() {
        let owners = CodeOwners::parse(FILE);
        let of = |path: &str| owners.owners_of(&RepoPath::parse(path).unwrap()).join(" ");
        for (path, expected) in [
            ("src/main.rs", "@global @org/all"),
            ("a.rs", "@global @org/all"),
            ("src/deep/app.js", "@js-owner"),
            ("build/logs/x/y.txt", "@logger"),
            ("other/build/x.txt", "@global @org/all"),
            ("docs/getting-started.md", "docs@example.com"),
            ("docs/build-app/troubleshooting.md", "@global @org/all"),
            ("lib/apps/x.py", "@octocat"),
            ("scripts/run.sh", "@doctocat @octocat"),
            ("apps/github/main.go", ""),
            ("my file.txt", "@spaced"),
        ] {
            assert_eq!(of(path), expected, "{path}");
        }
        assert_eq!(CodeOwners::parse("").owners_of(&RepoPath::parse("a").unwrap()), [""; 0]);
    }

    #[test]
    fn people_and_teams_can_be_asked_and_addresses_cannot() {
        let owners = ["@ann", "@Org/core", "@other/core-2", "x@example.com", "@ann"];
        let owners = owners.map(str::to_owned);
        assert_eq!(reviewers_of(&owners, "org"), ["ann", "team/core"]);
    }
}
