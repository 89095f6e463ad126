//! The fields of a `package.json` that affect imports.

use serde_json::Value;

use crate::resolve::tree::FileTable;

/// A folder with a `package.json`.
#[derive(Debug)]
pub(super) struct NodePackage<'a> {
    /// Its folder.
    pub(super) folder: &'a str,
    /// The manifest; null when it is no JSON.
    pub(super) manifest: Value,
}

impl NodePackage<'_> {
    /// Returns the name other packages take it by. `None` for a package without a name.
    pub(super) fn name(&self) -> Option<&str> {
        self.manifest["name"].as_str().filter(|name| !name.is_empty())
    }

    /// Returns its map of what it gives away, if it limits that.
    pub(super) fn exports(&self) -> Option<&Value> {
        Some(&self.manifest["exports"]).filter(|exports| !exports.is_null())
    }

    /// Returns the files it begins with, most telling first.
    pub(super) fn main_paths(&self) -> impl Iterator<Item = &str> {
        ["source", "main", "module", "types", "typings"]
            .into_iter()
            .filter_map(|key| self.manifest[key].as_str())
    }

    /// Returns the path of a dependency that is named by one (`file:…`, `link:…`). `None` for one from a
    /// registry.
    pub(super) fn local_dependency(&self, name: &str) -> Option<&str> {
        let lists = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
        let version = lists.iter().find_map(|list| self.manifest[*list][name].as_str())?;
        ["file:", "link:", "portal:"].iter().find_map(|scheme| version.strip_prefix(scheme))
    }
}

/// Returns every package of the tree outside `node_modules`, sorted by folder.
pub(super) fn list_packages<'a>(tree: &FileTable<'a>) -> Vec<NodePackage<'a>> {
    let own = |folder: &str| folder.split('/').all(|part| part != "node_modules");
    let manifests = tree.manifests("package.json").filter(|(folder, _)| own(folder));
    let mut packages: Vec<_> = manifests
        .map(|(folder, text)| {
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            NodePackage { folder, manifest: serde_json::from_str(text).unwrap_or(Value::Null) }
        })
        .collect();
    packages.sort_by_key(|package| package.folder);
    packages
}

/// Splits a bare specifier into the package's name and the path in it; `None` when it names none.
pub(super) fn split_package(module: &str) -> Option<(&str, &str)> {
    let end = |from: usize| {
        let rest = module.get(from..)?;
        Some(rest.find('/').map_or(module.len(), |at| from + at))
    };
    let end = match module.strip_prefix('@') {
        Some(scoped) => {
            let slash = scoped.find('/').filter(|slash| *slash > 0)?;
            end(slash + 2)?
        }
        None => end(0)?,
    };
    let (name, rest) = module.split_at_checked(end)?;
    let letters = |c: char| c.is_ascii_alphanumeric() || "@/._-".contains(c);
    let named = !name.ends_with('/') && !name.starts_with('.') && name.chars().all(letters);
    named.then(|| (name, rest.trim_start_matches('/')))
}
