//! Finds the properties of parent poms that modules use as the version of a package.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::manifest::Manifest;
use super::pom::{find_foreign_properties, property_names};

/// For each `pom.xml`, the properties in it that modules below use.
#[derive(Default)]
pub(super) struct Inherited(BTreeMap<String, Vec<String>>);

impl Inherited {
    /// Returns the properties of a file.
    pub(super) fn properties_of(&self, path: &str) -> Vec<String> {
        self.0.get(path).cloned().unwrap_or_default()
    }
}

/// Returns the properties that have the version of a package in a module below: a module without the property inherits
/// it from the `pom.xml` of the nearest folder above that has it.
pub(super) fn find_inherited(manifests: &[Manifest], package: &str) -> Inherited {
    let mut found = Inherited::default();
    // Each parent is read once, however many modules it has.
    let mut known: HashMap<String, HashSet<String>> = HashMap::new();
    let texts: HashMap<&str, &str> =
        manifests.iter().map(|it| (it.path.as_str(), it.text.as_str())).collect();
    for manifest in manifests {
        for property in find_foreign_properties(&manifest.text, package) {
            let mut folder = manifest.path.parent();
            while let Some(inner) = folder {
                folder = inner.parent();
                let above = folder
                    .as_ref()
                    .map_or_else(|| "pom.xml".to_owned(), |it| format!("{it}/pom.xml"));
                let names = known.entry(above.clone()).or_insert_with(|| {
                    texts.get(above.as_str()).map(|text| property_names(text)).unwrap_or_default()
                });
                if names.contains(&property) {
                    let properties = found.0.entry(above).or_default();
                    if !properties.contains(&property) {
                        properties.push(property);
                    }
                    break;
                }
            }
        }
    }
    found
}
