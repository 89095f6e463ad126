//! Updates a vulnerable package to the lowest fixed version, with the package manager's own command or in its manifest.
//!
//! [`plan_bump`] changes nothing in the repository: the commands run in a copy of its manifests and lock files, and the
//! changed texts are the result. Programs and options are constants of this module; a finding supplies names and
//! versions only, which the types of [`papayu_logs::findings`] keep from being options.

mod accepted;
mod cargo;
mod copy;
mod golang;
mod inherited;
mod located;
mod lock_file;
mod manifest;
mod maven;
mod msbuild;
mod named_version;
mod npm;
mod other_lock;
mod package_versions;
mod pip;
mod plan;
mod pom;
mod requirement;
mod scan;
#[cfg(test)]
mod tests;
mod tools;
mod unbumped;
mod versions;

pub use named_version::NamedVersion;
pub use plan::plan_bump;
pub(crate) use requirement::normalize_name;
pub use scan::{ScanResult, scan_again};
pub use tools::{Bump, BumpConfig, BumpTools, BumpedFile, UpdatedText};
pub use unbumped::Unbumped;
pub use versions::{list_versions, names_installed, names_packages, names_versions};
