//! Compares build files of XML, element by element.

use std::collections::BTreeMap;

use papayu_base::domain::Allowance;
use quick_xml::Reader;
use quick_xml::events::Event;

/// Returns whether the file is XML that lists dependencies.
pub(super) fn is_xml(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    name == "pom.xml"
        || name == "packages.config"
        || [".csproj", ".fsproj", ".vbproj"].iter().any(|end| name.ends_with(end))
}

/// Returns the first changed element of each kind that is not one of dependencies, as a predicate of the file. A text that
/// cannot be parsed is a change.
pub(super) fn find_changes(before: &str, after: &str) -> BTreeMap<Allowance, String> {
    let (Some(old), Some(new)) = (read_elements(before), read_elements(after)) else {
        let reason = "has a change that cannot be compared element by element".to_owned();
        return [(Allowance::Settings, reason)].into();
    };
    let (mut removed, mut added) = (old.clone(), new.clone());
    for element in &old {
        if let Some(at) = added.iter().position(|other| other == element) {
            added.remove(at);
        }
    }
    for element in &new {
        if let Some(at) = removed.iter().position(|other| other == element) {
            removed.remove(at);
        }
    }
    let mut found = BTreeMap::new();
    for (path, text) in removed.iter().chain(&added) {
        if !names_dependency(path, text) {
            // The plugins of a build run the tests and the checks.
            let is_of_plugin = path.split('/').any(|part| matches!(part, "plugin" | "Target"));
            let kind = if is_of_plugin { Allowance::Settings } else { Allowance::Build };
            found.entry(kind).or_insert_with(|| format!("has a change of the element `{path}`"));
        }
    }
    found
}

/// Returns each text and attribute with the names of the elements that it is in.
fn read_elements(text: &str) -> Option<Vec<(String, String)>> {
    let mut reader = Reader::from_str(text);
    let (mut open, mut found): (Vec<String>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    loop {
        match reader.read_event().ok()? {
            Event::Eof => return Some(found),
            event @ (Event::Start(_) | Event::Empty(_)) => {
                let is_empty = matches!(event, Event::Empty(_));
                let (Event::Start(start) | Event::Empty(start)) = event else { continue };
                open.push(start.name().as_ref().to_owned());
                let attributes: &str = &start;
                let attributes = attributes.to_owned();
                found.push((open.join("/"), attributes));
                if is_empty {
                    open.pop();
                }
            }
            Event::End(_) => {
                open.pop();
            }
            Event::Text(text) => {
                let text = text.trim().to_owned();
                if !text.is_empty() {
                    found.push((open.join("/"), text));
                }
            }
            Event::Comment(_) | Event::Decl(_) => {}
            other => found.push((open.join("/"), format!("{other:?}"))),
        }
    }
}

/// Returns `true` for an element of a dependency in a `pom.xml`, a project file of .NET or a `packages.config`.
fn names_dependency(path: &str, text: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let has = |name: &str| parts.contains(&name);
    let last = parts.last().copied().unwrap_or_default();
    if has("plugin") || last == "systemPath" || text.contains("HintPath") {
        return false;
    }
    let is_property = has("properties") && last.ends_with(".version") && last != "java.version";
    (has("dependencies") && parts.first() == Some(&"project"))
        || is_property
        || path == "project/version"
        || last == "PackageReference"
        || has("PackageReference")
        || path == "packages/package"
}
