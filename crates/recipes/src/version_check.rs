//! Compares the version of a dependency that a repository names with the range of a recipe.

use papayu_logs::findings::{Ecosystem, VersionRange};

use super::fault::RecipeFault;
use super::recipe::Recipe;
use super::recipe_files::RecipeFiles;
use super::signature::Signature;

/// The result of comparing versions, each with what a person has to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionCheck {
    /// A version is in the range, or there is no range.
    Fits,
    /// No version is known, so that the range excludes nothing.
    Unknown(String),
    /// All versions are outside.
    Differs(String),
}

impl Recipe {
    /// Returns whether a repository has the version that the recipe is for. One of several signatures is enough.
    pub fn check_version(&self, files: &dyn RecipeFiles) -> VersionCheck {
        let mut worst = VersionCheck::Fits;
        for when in &self.when {
            match when.check_version(files) {
                VersionCheck::Fits => return VersionCheck::Fits,
                unknown @ VersionCheck::Unknown(_) => worst = unknown,
                differs @ VersionCheck::Differs(_) => {
                    if worst == VersionCheck::Fits {
                        worst = differs;
                    }
                }
            }
        }
        worst
    }
}

impl Signature {
    /// Returns whether a repository has the version of the dependency.
    pub(crate) fn check_version(&self, files: &dyn RecipeFiles) -> VersionCheck {
        let Some((package, range)) = self.dependency.as_ref().zip(self.version.as_ref()) else {
            return VersionCheck::Fits;
        };
        let versions = files.versions_of(package);
        if versions.is_empty() {
            let reason = "neither a lock file nor a manifest names its version";
            return VersionCheck::Unknown(format!("`{package}` {range} is not checked: {reason}"));
        }
        if versions.iter().any(|version| is_in(range, version)) {
            return VersionCheck::Fits;
        }
        let versions = versions.join(", ");
        VersionCheck::Differs(format!("it is for `{package}` {range}, and this is {versions}"))
    }

    /// Adds the range that begins with the major version of the dependency: the API of the fix may be missing before it.
    pub(crate) fn with_version_of(mut self, files: &dyn RecipeFiles) -> Self {
        let Some(package) = self.dependency.as_ref().filter(|_| self.version.is_none()) else {
            return self;
        };
        let mut ranges: Vec<String> =
            files.versions_of(package).iter().filter_map(|version| range_since(version)).collect();
        ranges.sort();
        ranges.dedup();
        // Two major versions at once: it is not known which one failed.
        self.version = ranges.pop().filter(|_| ranges.is_empty());
        self
    }

    /// Refuses a range that cannot be read or is of nothing.
    pub(super) fn check_range(&self) -> Result<(), RecipeFault> {
        let Some(range) = &self.version else { return Ok(()) };
        if self.dependency.is_none() {
            let hint = "name the package with `dependency`";
            let fault = RecipeFault::new("`version` is of no dependency", hint);
            return Err(fault.at(&["when", "version"]));
        }
        if VersionRange::parse(range).is_none() {
            let reason = format!("`{range}` is no range of versions");
            let fault = RecipeFault::new(reason, "write it as `>=1.2, <2`");
            return Err(fault.at(&["when", "version"]));
        }
        Ok(())
    }
}

fn is_in(range: &str, version: &str) -> bool {
    // Its order is that of semantic versions, and of PEP 440 for a version that is none.
    VersionRange::parse(range).is_some_and(|it| it.contains(Ecosystem::Cargo, version))
}

/// Returns `>=2` for `2.3.1`, and `>=0.4` for `0.4.1`; `None` if the version is not one of numbers.
fn range_since(version: &str) -> Option<String> {
    let mut parts = version.trim_start_matches('v').split('.');
    let major: u64 = parts.next()?.parse().ok()?;
    let range = match parts.next() {
        Some(minor) if major == 0 => format!(">=0.{}", minor.parse::<u64>().ok()?),
        _ => format!(">={major}"),
    };
    is_in(&range, version).then_some(range)
}
