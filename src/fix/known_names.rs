//! The index of the repository as the tools' sources ask it: where names are defined and who takes what.

use std::sync::OnceLock;

use crate::index::{
    FileId, Index, IndexedFile, Link, Links, Symbol, SymbolKind, Uses, is_python_standard,
};
use crate::quickfix::{Definition, Import, Lookup};

/// Answers from an index; imports are led to their targets when that is first asked for.
pub(crate) struct KnownNames<'a> {
    index: &'a (dyn Fn() -> &'a Index + Sync),
    links: OnceLock<Links<'a>>,
}

impl<'a> KnownNames<'a> {
    /// Makes it; nothing is looked up yet, nor is the index asked for.
    pub(crate) fn of(index: &'a (dyn Fn() -> &'a Index + Sync)) -> Self {
        Self { index, links: OnceLock::new() }
    }

    fn index(&self) -> &'a Index {
        (self.index)()
    }

    fn links(&self) -> &Links<'a> {
        self.links.get_or_init(|| Links::of(self.index()))
    }

    fn definition(&self, file: FileId, symbol: &Symbol) -> Option<Definition> {
        let indexed = self.index().file(file)?;
        let symbols = &indexed.facts()?.symbols;
        let parent = symbol.parent.and_then(|at| symbols.get(at as usize));
        Some(Definition {
            name: symbol.name.to_string(),
            path: indexed.path.clone(),
            line: symbol.line,
            parent: parent.map(|parent| parent.name.to_string()),
            exported: symbol.exported,
            is_type: matches!(symbol.kind, SymbolKind::Interface | SymbolKind::Type),
        })
    }

    fn import(&self, from: &str, link: &Link) -> Import {
        let targets = link.target.files().iter().filter_map(|id| self.index().file(*id));
        Import {
            from: from.to_owned(),
            module: link.module.to_string(),
            targets: targets.map(|file| file.path.clone()).collect(),
            type_only: link.type_only,
            line: link.line,
        }
    }

    fn files(&self) -> impl Iterator<Item = (&'a IndexedFile, FileId)> {
        self.index().files().iter().zip((0..).map(FileId))
    }
}

impl Lookup for KnownNames<'_> {
    fn definitions(&self, name: &str) -> Vec<Definition> {
        let found = self.index().definitions(name).into_iter();
        found.filter_map(|(file, symbol)| self.definition(file, symbol)).collect()
    }

    fn outline(&self, path: &str) -> Vec<Definition> {
        let Some(file) = self.index().find(path) else { return Vec::new() };
        let facts = self.index().file(file).and_then(|file| file.facts());
        let symbols = facts.into_iter().flat_map(|facts| &facts.symbols);
        let named = symbols.filter(|symbol| symbol.kind != SymbolKind::Test);
        named.filter_map(|symbol| self.definition(file, symbol)).collect()
    }

    fn exporters(&self, name: &str) -> Vec<String> {
        let gives = |file: &IndexedFile| {
            let has = |uses: Uses<'_>| uses.exports.iter().any(|export| &*export.name == name);
            file.with_uses(has).unwrap_or_default()
        };
        self.files().filter(|(file, _)| gives(file)).map(|(file, _)| file.path.clone()).collect()
    }

    fn exported_as(&self, path: &str, name: &str) -> Option<String> {
        let file = self.index().file(self.index().find(path)?)?;
        let exports = &file.facts()?.exports;
        let own = exports.iter().find(|export| &*export.name == name && export.from.is_none())?;
        own.local.as_ref().map(ToString::to_string)
    }

    fn imports(&self, path: &str) -> Vec<Import> {
        let Some(file) = self.index().find(path) else { return Vec::new() };
        self.links().imports_of(file).iter().map(|link| self.import(path, link)).collect()
    }

    fn importers(&self, path: &str) -> Vec<Import> {
        let Some(target) = self.index().find(path) else { return Vec::new() };
        let taking = self.files().flat_map(|(file, id)| {
            let links = self.links().imports_of(id).iter();
            let links = links.filter(|link| link.target.files().contains(&target));
            links.map(|link| self.import(&file.path, link)).collect::<Vec<_>>()
        });
        taking.collect()
    }

    fn manifest(&self, path: &str, name: &str) -> Option<(String, String)> {
        let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        loop {
            let at = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            if let Some(text) = self.index().manifest(&at) {
                return Some((folder.to_owned(), text.to_owned()));
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }

    fn is_python_standard(&self, name: &str) -> bool {
        is_python_standard(name)
    }
}

#[cfg(test)]
mod tests;
