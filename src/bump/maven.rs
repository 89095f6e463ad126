//! Updates the version of a dependency in a `pom.xml`.

use std::ops::Range;

use super::accepted::edited;
use super::located::Located;
use super::pom::find_pom_versions;
use super::tools::Bump;
use super::unbumped::Unbumped;
use papayu_logs::findings::Finding;

/// Replaces the version where it is written: in the dependency, or in the property that it names.
///
/// No program runs. Fails with [`Unbumped::NoFixedVersion`] if the advisory names no higher version.
pub(super) fn bump(finding: &Finding, located: &Located) -> Result<Bump, Unbumped> {
    let package = finding.package.as_str();
    let Some(target) = finding.targets(&located.lowest).into_iter().next() else {
        let (package, version) = (package.to_owned(), located.lowest.clone());
        return Err(Unbumped::NoFixedVersion { package, version });
    };
    let places = find_pom_versions(&located.text, package, &located.properties).into_iter();
    let affected = places.filter(|it| finding.is_affected(&it.value));
    let mut ranges: Vec<Range<usize>> = affected.map(|it| it.range).collect();
    ranges.sort_by_key(|range| range.start);
    // Two dependencies may name one property.
    ranges.dedup();
    let mut text = located.text.clone();
    for range in ranges.into_iter().rev() {
        text.replace_range(range, target.as_str());
    }
    Ok(edited(located, target.as_str(), text))
}
