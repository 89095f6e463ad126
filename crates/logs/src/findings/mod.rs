//! Reads what scanners of dependencies found: `npm audit`, `cargo audit`, `pip-audit`, `osv-scanner` and Snyk.
//!
//! [`read_findings`] recognises the format from the content. Everything in such a file is untrusted: a package's name
//! and a version are values of [`PackageName`] and [`PackageVersion`], which cannot be an option, a path or shell code.

mod ecosystem;
mod entry;
mod finding;
mod format;
mod name;
mod ranges;
mod snyk;
mod span;
#[cfg(test)]
mod tests;
mod version;

pub use ecosystem::Ecosystem;
pub use finding::{Finding, FindingsReport, Rating};
pub use format::{FindingsFault, read_findings};
pub use name::{PackageName, PackageVersion};
pub use snyk::{SnykPage, read_snyk_error, read_snyk_issues, read_snyk_page, snyk_ecosystem};
pub use span::{Bound, VersionRange};
