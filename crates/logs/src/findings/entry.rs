//! Parts of the entries of a report that several formats have in common.

use serde_json::Value;

use super::ecosystem::Ecosystem;
use super::finding::{Finding, FindingsReport, Rating};
use super::name::{PackageName, PackageVersion};
use super::span::VersionRange;

/// Returns the string at a JSON pointer. `None` if there is no string.
pub(super) fn text_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer)?.as_str()
}

/// Returns the string at a JSON pointer; empty without one.
pub(super) fn owned_at(value: &Value, pointer: &str) -> String {
    text_at(value, pointer).unwrap_or_default().to_owned()
}

/// Returns the items of the list at a JSON pointer.
pub(super) fn items_at<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the texts of the list at a JSON pointer.
pub(super) fn texts_at(value: &Value, pointer: &str) -> Vec<String> {
    items_at(value, pointer).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns a finding with a package and nothing else, or notes why the name cannot be used.
pub(super) fn start_finding(
    ecosystem: Ecosystem,
    name: &str,
    report: &mut FindingsReport,
) -> Option<Finding> {
    let Some(package) = PackageName::parse(ecosystem, name) else {
        report.refuse(name, &format!("no name of a package of {}", ecosystem.name()));
        return None;
    };
    Some(Finding {
        advisory: String::new(),
        aliases: Vec::new(),
        ecosystem,
        package,
        installed: Vec::new(),
        affected: Vec::new(),
        fixed: Vec::new(),
        safe: Vec::new(),
        severity: Rating::Unknown,
        title: String::new(),
        files: Vec::new(),
    })
}

/// Returns what is safe when only fixed versions are known. Between two of them another branch may be affected, so
/// only the highest one counts for all after it.
pub(super) fn read_fixed(ecosystem: Ecosystem, fixed: &[String]) -> Vec<VersionRange> {
    let mut fixed: Vec<PackageVersion> =
        fixed.iter().filter_map(|it| PackageVersion::parse(it)).collect();
    fixed.sort_by(|one, other| ecosystem.compare(one.as_str(), other.as_str()));
    let last = fixed.pop().map(VersionRange::since);
    fixed.into_iter().map(VersionRange::only).chain(last).collect()
}

/// Returns the first versions of intervals.
pub(super) fn first_versions(spans: &[VersionRange]) -> Vec<PackageVersion> {
    let starts = spans.iter().filter_map(|span| span.from.as_ref());
    starts.filter(|bound| bound.is_inclusive).map(|bound| bound.version.clone()).collect()
}
