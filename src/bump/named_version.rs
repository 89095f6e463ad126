//! A package with its version, as a manifest or lock file names it.

/// A name and its version, or its requirement.
pub type NamedVersion = (String, String);
