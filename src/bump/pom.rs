//! Reads the versions of dependencies in a `pom.xml`, with their places.

use std::collections::HashSet;
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::named_version::NamedVersion;

/// Deepest nesting of elements that is read.
const MAX_DEPTH: usize = 100;

/// The path of properties.
const PROPERTIES: &str = "/project/properties/";

/// The text of an element, with the path of names to it.
struct ElementText {
    path: String,
    value: String,
    range: Range<usize>,
    /// The number of the enclosing element in the file.
    parent: usize,
}

/// The version of a dependency.
pub(super) struct PomVersion {
    /// The version, properties resolved.
    pub(super) value: String,
    /// The bytes of its text: in the dependency, or in the property that it names.
    pub(super) range: Range<usize>,
}

/// Returns the versions of `GROUP:ARTIFACT` that a `pom.xml` names, and those of the properties. A version from
/// elsewhere has none.
pub(super) fn find_pom_versions(
    text: &str,
    package: &str,
    properties: &[String],
) -> Vec<PomVersion> {
    let texts = read_texts(text);
    let versions = find_versions(&texts, package).into_iter();
    let resolved = versions.filter_map(|it| resolve(&texts, it));
    let named = properties.iter().filter_map(|name| find_property(&texts, name));
    let all = resolved.chain(named);
    all.map(|it| PomVersion { value: it.value.clone(), range: it.range.clone() }).collect()
}

/// Returns every `GROUP:ARTIFACT` with its version, properties of the same file resolved.
pub(super) fn list_pom_versions(text: &str) -> Vec<NamedVersion> {
    let texts = read_texts(text);
    let read = |version: &ElementText| {
        let of = |name: &str| {
            let is_own = |it: &&ElementText| it.parent == version.parent && it.path.ends_with(name);
            texts.iter().find(is_own).map(|it| it.value.as_str())
        };
        let name = format!("{}:{}", of("/groupId")?, of("/artifactId")?);
        Some((name, resolve(&texts, version).unwrap_or(version).value.clone()))
    };
    texts.iter().filter(|it| is_version(it)).filter_map(read).collect()
}

/// Returns whether a text is the version of a dependency or of the parent.
fn is_version(text: &ElementText) -> bool {
    text.path.ends_with("/dependency/version") || text.path == "/project/parent/version"
}

/// Returns the properties that `GROUP:ARTIFACT` names as its version and that the `pom.xml` does not have.
pub(super) fn find_foreign_properties(text: &str, package: &str) -> Vec<String> {
    if !text.contains("${") {
        return Vec::new();
    }
    let texts = read_texts(text);
    let versions = find_versions(&texts, package).into_iter();
    let names = versions.filter_map(property_of).filter(|it| find_property(&texts, it).is_none());
    names.map(str::to_owned).collect()
}

/// Returns the names of the properties of a `pom.xml`.
pub(super) fn property_names(text: &str) -> HashSet<String> {
    let texts = read_texts(text).into_iter();
    let names = texts.filter_map(|it| it.path.strip_prefix(PROPERTIES).map(str::to_owned));
    names.collect()
}

/// Returns the versions of a dependency, also of one that is only managed, and of the parent.
fn find_versions<'t>(texts: &'t [ElementText], package: &str) -> Vec<&'t ElementText> {
    let Some((group, artifact)) = package.split_once(':') else { return Vec::new() };
    let versions = texts.iter().filter(|it| is_version(it));
    // The elements with this name, by number: a search for each version would be quadratic.
    let parents_of = |name: &str, value: &str| -> HashSet<usize> {
        let named = texts.iter().filter(|it| it.path.ends_with(name) && it.value == value);
        named.map(|it| it.parent).collect()
    };
    let (groups, artifacts) = (parents_of("/groupId", group), parents_of("/artifactId", artifact));
    versions.filter(|it| groups.contains(&it.parent) && artifacts.contains(&it.parent)).collect()
}

/// Returns the text that has the version itself: that of the property for `${name}`.
fn resolve<'t>(texts: &'t [ElementText], version: &'t ElementText) -> Option<&'t ElementText> {
    match property_of(version) {
        Some(name) => find_property(texts, name),
        None => Some(version),
    }
}

/// Returns the property that a version names.
fn property_of(version: &ElementText) -> Option<&str> {
    version.value.strip_prefix("${").and_then(|it| it.strip_suffix('}'))
}

fn find_property<'t>(texts: &'t [ElementText], name: &str) -> Option<&'t ElementText> {
    let path = format!("{PROPERTIES}{name}");
    texts.iter().find(|it| it.path == path)
}

/// Returns the texts of a file, up to the first error in it. Entities are not expanded.
fn read_texts(text: &str) -> Vec<ElementText> {
    let mut reader = Reader::from_str(text);
    let (mut path, mut found): (Vec<(String, usize)>, Vec<ElementText>) = (Vec::new(), Vec::new());
    let mut count = 0;
    loop {
        let start = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                count += 1;
                let name = tag.local_name();
                path.push((name.as_ref().to_owned(), count));
                if path.len() > MAX_DEPTH {
                    return found;
                }
            }
            Ok(Event::End(_)) => {
                path.pop();
            }
            Ok(Event::Text(_)) => {
                let end = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
                let raw = text.get(start..end).unwrap_or_default();
                let value = raw.trim();
                let from = start + raw.find(value).unwrap_or(0);
                let names = path.iter().map(|(name, _)| format!("/{name}"));
                if !value.is_empty() {
                    found.push(ElementText {
                        path: names.collect(),
                        value: value.to_owned(),
                        range: from..from + value.len(),
                        parent: path.iter().rev().nth(1).map_or(0, |(_, number)| *number),
                    });
                }
            }
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}
