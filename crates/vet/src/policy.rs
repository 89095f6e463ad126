//! The settings of a run that the gates read.

use std::collections::BTreeSet;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use papayu_base::domain::{Allowance, RepoPath};
use papayu_base::text::lines::LineEndings;

/// The settings of a run that the gates read.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// `--allow-delete`.
    pub allow_delete: bool,
    /// The kinds of files that a change may touch (`--allow`).
    pub allowances: BTreeSet<Allowance>,
    /// Files that the command of the run reads as its check, by [`RepoPath::identity`].
    pub checks: BTreeSet<String>,
    /// Files that have the name of a test and are code of the product, by [`RepoPath::identity`].
    pub product: BTreeSet<String>,
    /// Paths that are protected in addition to the built-in ones (`paths.protected`).
    pub protected: Globs,
    /// Extensions (`.rs`) and names (`Makefile`) that may be written; empty allows any.
    pub allowed: Vec<String>,
    /// Line endings of changed files.
    pub endings: LineEndings,
}

impl Policy {
    /// Returns `true` if a file with the name of a test is code of the product.
    pub(crate) fn is_product(&self, path: &RepoPath) -> bool {
        self.product.contains(&path.identity())
    }

    /// Returns `true` if a change may touch what the command runs as its tests.
    pub fn allows_other_tests(&self) -> bool {
        self.allowances.iter().any(|kind| !kind.keeps_tests())
    }

    /// Returns the same policy with every kind of files allowed.
    #[must_use]
    pub fn with_all_allowances(&self) -> Self {
        Self { allowances: Allowance::ALL.into(), ..self.clone() }
    }

    /// Returns the same policy with every kind of files allowed but one.
    #[must_use]
    pub fn with_all_but(&self, kind: Allowance) -> Self {
        let others = Allowance::ALL.into_iter().filter(|it| *it != kind);
        Self { allowances: others.collect(), ..self.clone() }
    }
}

/// Path patterns, compiled. A pattern without `/` is matched at any depth; one that names a folder
/// covers all below it. Case is ignored.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    /// For paths from the folder of the run.
    own: GlobSet,
    /// For paths from the top of the repository.
    of_top: GlobSet,
    /// The path of the folder from the top, in the form of [`papayu_base::domain::RepoPath::identity`], with a `/` at its end;
    /// empty at the top.
    prefix: String,
}

/// A pattern that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a path pattern: {reason}")]
pub struct GlobFault {
    /// As written.
    pub pattern: String,
    /// The message of the pattern library.
    pub reason: String,
}

impl GlobFault {
    fn new(pattern: &str, error: &globset::Error) -> Self {
        Self { pattern: pattern.to_owned(), reason: error.kind().to_string() }
    }
}

impl Globs {
    /// Compiles patterns. `*` does not match `/`, and `**` matches any number of folders.
    ///
    /// # Errors
    ///
    /// [`GlobFault`] of the first pattern that cannot be compiled.
    ///
    /// ```
    /// use papayu_vet::Globs;
    ///
    /// let globs = Globs::parse(&["*.sql", "deploy/"])?;
    /// assert!(globs.matches("db/schema.sql"));
    /// assert!(globs.matches("deploy/app.yaml"));
    /// assert!(!globs.matches("src/deploy.rs"));
    /// # Ok::<(), papayu_vet::GlobFault>(())
    /// ```
    pub fn parse<S: AsRef<str>>(patterns: &[S]) -> Result<Self, GlobFault> {
        Self::parse_below("", patterns)
    }

    /// Does the same for a folder of a repository with this path, which ends in `/`. A pattern that begins with `//` is one
    /// for paths from the top of the repository.
    ///
    /// # Errors
    ///
    /// [`GlobFault`] of the first pattern that cannot be compiled.
    pub fn parse_below<S: AsRef<str>>(prefix: &str, patterns: &[S]) -> Result<Self, GlobFault> {
        let (mut own, mut of_top) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for pattern in patterns {
            let pattern = pattern.as_ref();
            match pattern.strip_prefix("//") {
                Some(rest) => add_pattern(&mut of_top, &format!("/{rest}"))?,
                None => add_pattern(&mut own, pattern)?,
            }
        }
        Ok(Self { own: build_set(&own)?, of_top: build_set(&of_top)?, prefix: identity_of(prefix) })
    }

    /// Returns `true` if the path matches any pattern. It is relative to the folder of the run,
    /// separated by `/`.
    pub fn matches(&self, path: &str) -> bool {
        self.own.is_match(path)
            || (!self.of_top.is_empty() && self.of_top.is_match(format!("{}{path}", self.prefix)))
    }
}

fn build_set(set: &GlobSetBuilder) -> Result<GlobSet, GlobFault> {
    set.build().map_err(|error| GlobFault::new("", &error))
}

/// Adds a pattern, and one for all below a folder that it names.
fn add_pattern(set: &mut GlobSetBuilder, pattern: &str) -> Result<(), GlobFault> {
    let bare = pattern.trim_start_matches('/').trim_end_matches('/');
    let anywhere = if pattern.contains('/') { "" } else { "**/" };
    for below in ["", "/**"] {
        let text = format!("{anywhere}{bare}{below}");
        let mut glob = GlobBuilder::new(&text);
        let glob = glob.literal_separator(true).case_insensitive(true).build();
        set.add(glob.map_err(|error| GlobFault::new(pattern, &error))?);
    }
    Ok(())
}

/// Returns the path of a folder as paths are compared, with its `/` at the end.
fn identity_of(prefix: &str) -> String {
    let path = RepoPath::parse(prefix.trim_end_matches('/')).ok();
    path.map_or_else(|| prefix.to_owned(), |path| path.identity() + "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_cover_any_depth_and_all_below_a_folder() {
        let globs = Globs::parse(&["*.sql", "deploy/", "/infra/prod/*.TF"]);
        let hits = |path: &str| globs.as_ref().map(|globs| globs.matches(path)).ok();
        for (path, hit) in [
            ("a.sql", true),
            ("x/y/a.SQL", true),
            ("deploy", true),
            ("deploy/x/y", true),
            ("src/deploy/x", false),
            ("infra/prod/main.tf", true),
            ("infra/prod/sub/main.tf", false),
            ("infra/main.tf", false),
        ] {
            assert_eq!(hits(path), Some(hit), "{path}");
        }
    }

    #[test]
    fn patterns_from_the_top_count_in_a_folder_of_the_repository() {
        let patterns = ["//App/secret.py", "//infra/**", "//app", "*.sql", "own/x"];
        for (prefix, path, hit) in [
            ("", "app/secret.py", true),
            ("app/", "secret.py", true),
            ("app/", "app/secret.py", true),
            ("web/", "app/secret.py", false),
            ("infra/prod/", "main.tf", true),
            ("web/", "infra/main.tf", false),
            ("web/", "a.sql", true),
            ("web/", "own/x", true),
        ] {
            let globs = Globs::parse_below(prefix, &patterns).unwrap();
            assert_eq!(globs.matches(path), hit, "{prefix}{path}");
        }
    }

    #[test]
    fn a_broken_pattern_is_named() {
        let fault = Globs::parse(&["ok", "a[b"]).map(|_| ()).map_err(|fault| fault.pattern);
        assert_eq!(fault, Err("a[b".to_owned()));
    }
}
