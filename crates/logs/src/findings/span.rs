//! Intervals of versions.

use std::cmp::Ordering;

use super::ecosystem::Ecosystem;
use super::name::PackageVersion;

/// One end of an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The version.
    pub version: PackageVersion,
    /// `true` if the version itself is inside.
    pub is_inclusive: bool,
}

/// An interval of versions; an end that is `None` is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionRange {
    /// The lower end.
    pub from: Option<Bound>,
    /// The upper end.
    pub to: Option<Bound>,
}

impl VersionRange {
    /// Returns the interval of this version alone.
    pub fn only(version: PackageVersion) -> Self {
        let bound = Bound { version, is_inclusive: true };
        Self { from: Some(bound.clone()), to: Some(bound) }
    }

    /// Returns the interval that begins with this version.
    pub fn since(version: PackageVersion) -> Self {
        Self { from: Some(Bound { version, is_inclusive: true }), to: None }
    }

    /// Returns `true` if the version is in the interval.
    pub fn contains(&self, ecosystem: Ecosystem, version: &str) -> bool {
        let is_inside = |bound: &Option<Bound>, outside: Ordering| {
            bound.as_ref().is_none_or(|bound| {
                let order = ecosystem.compare(version, bound.version.as_str());
                order != outside && (bound.is_inclusive || order.is_ne())
            })
        };
        is_inside(&self.from, Ordering::Less) && is_inside(&self.to, Ordering::Greater)
    }
}
