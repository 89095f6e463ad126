//! The name of a branch, by git's own rules.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A name that `git check-ref-format --branch` accepts: it is no option, no revision expression, and
/// no path out of `refs/heads/`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct BranchName(String);

impl BranchName {
    /// Checks the rules; `None` when a rule is broken.
    ///
    /// ```
    /// use papayu_forge::git::BranchName;
    ///
    /// assert!(BranchName::parse("feature/a-b").is_some());
    /// assert!(BranchName::parse("-rf").is_none());
    /// assert!(BranchName::parse("main^{tree}").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        // The rules are those of git-check-ref-format(1), and one of our own: at most 240 bytes,
        // so that the file of the reference fits into every file system.
        let is_part = |part: &str| {
            // `refs/heads/a.lock` is the name of git's own lock file.
            let has_lock = part.rsplit_once('.').is_some_and(|(_, ending)| ending == "lock");
            !part.is_empty() && !part.starts_with('.') && !has_lock
        };
        // The blank and these marks have a meaning in revision expressions and refspecs.
        let is_allowed = |c: char| !c.is_control() && !" ~^:?*[\\".contains(c);
        let is_name = text.len() <= 240
            && !text.starts_with('-')
            && !text.ends_with('.')
            // Both name the current commit in a revision expression.
            && !matches!(text, "@" | "HEAD")
            && !text.contains("..")
            // `main@{1}` is an entry of the reflog.
            && !text.contains("@{")
            && text.chars().all(is_allowed)
            // An empty part is a slash at an end, or two in a row.
            && text.split('/').all(is_part);
        is_name.then(|| Self(text.to_owned()))
    }

    /// Returns the name, without `refs/heads/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<BranchName> for String {
    fn from(name: BranchName) -> Self {
        name.0
    }
}

impl TryFrom<String> for BranchName {
    type Error = String;

    // Escaped, because control characters are a reason for the refusal.
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
            .ok_or_else(|| format!("`{}` is no name of a branch", text.escape_debug()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_options_revisions_or_paths_are_refused() {
        for text in [
            "",
            "-rf",
            "--upload-pack=x",
            "a..b",
            "../../HEAD",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.lock/b",
            "a b",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[",
            "a\\b",
            "a\nb",
            "a\u{7f}",
            "@",
            "HEAD",
            "a@{1}",
            "a.",
            &"a".repeat(241),
        ] {
            assert!(BranchName::parse(text).is_none(), "{text:?}");
        }
        for text in [
            "main", "papayu/fix-0123", "release-1.2", "a.b/c_d", "ветка", "a@b",
            "dependabot/npm/x-1.0",
        ] {
            assert_eq!(BranchName::parse(text).map(String::from).as_deref(), Some(text));
        }
    }
}
