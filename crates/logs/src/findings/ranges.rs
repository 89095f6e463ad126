//! Reads ranges of versions as npm and cargo write them.

use semver::{Comparator, Op, VersionReq};

use super::name::PackageVersion;
use super::span::{Bound, VersionRange};

/// Returns the intervals of a range of npm: `<1.2.6 || >=2.0.0 <2.0.3`. A part that is not understood is every version,
/// so that nothing counts as fixed by mistake.
pub(super) fn read_npm_range(text: &str) -> Vec<VersionRange> {
    text.split("||").map(|part| read_part(part).unwrap_or_default()).collect()
}

/// Reads conditions that all apply, such as `>=2.0.0 <2.0.3`; without any, every version is in the range.
/// `None` for another form.
fn read_part(text: &str) -> Option<VersionRange> {
    let mut span = VersionRange::default();
    // A blank may follow the operator.
    let joined = ["<=", ">=", "<", ">", "="]
        .iter()
        .fold(text.trim().to_owned(), |text, op| text.replace(&format!("{op} "), op));
    for word in joined.split_whitespace().filter(|word| *word != "*") {
        let version_at = word.find(|char: char| !"<>=".contains(char))?;
        let (op, version) = word.split_at(version_at);
        let version = PackageVersion::parse(version)?;
        let bound = |is_inclusive| Some(Bound { version: version.clone(), is_inclusive });
        match op {
            "<" => span.to = bound(false),
            "<=" => span.to = bound(true),
            ">" => span.from = bound(false),
            ">=" => span.from = bound(true),
            "" | "=" => span = VersionRange::only(version.clone()),
            _ => return None,
        }
    }
    Some(span)
}

impl VersionRange {
    /// Reads conditions that all apply, as cargo writes them: `>=1.2, <2`, `^1.2`; `None` if they are not understood.
    pub fn parse(text: &str) -> Option<Self> {
        read_cargo_range(text)
    }
}

/// Returns the interval of a requirement of cargo: `>=0.2.23`, `^1.2`, `>=1.0.0, <2.0.0`; `None` if it is not understood.
pub(super) fn read_cargo_range(text: &str) -> Option<VersionRange> {
    let mut span = VersionRange::default();
    for comparator in VersionReq::parse(text).ok()?.comparators {
        let Comparator { op, major, minor, patch, pre } = comparator;
        let (minor_or_zero, patch_or_zero) = (minor.unwrap_or(0), patch.unwrap_or(0));
        let pre = if pre.is_empty() { String::new() } else { format!("-{pre}") };
        let base = PackageVersion::parse(&format!("{major}.{minor_or_zero}.{patch_or_zero}{pre}"))?;
        let bound = |version: PackageVersion, is_inclusive| Some(Bound { version, is_inclusive });
        let next = match (op, minor, patch) {
            (Op::Caret, _, _) if major > 0 => format!("{}.0.0", major + 1),
            (Op::Caret | Op::Tilde, Some(minor), _) if minor > 0 || op == Op::Tilde => {
                format!("{major}.{}.0", minor + 1)
            }
            (Op::Caret, Some(_), Some(patch)) => format!("{major}.{minor_or_zero}.{}", patch + 1),
            _ => format!("{}.0.0", major + 1),
        };
        match op {
            Op::Exact => span = VersionRange::only(base),
            Op::Greater => span.from = bound(base, false),
            Op::GreaterEq => span.from = bound(base, true),
            Op::Less => span.to = bound(base, false),
            Op::LessEq => span.to = bound(base, true),
            Op::Caret | Op::Tilde => {
                span = VersionRange {
                    from: bound(base, true),
                    to: bound(PackageVersion::parse(&next)?, false),
                };
            }
            _ => return None,
        }
    }
    Some(span)
}
