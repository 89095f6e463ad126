//! The index of the repository as the tools' sources ask it: where names are defined and who takes what.

use papayu_index::{
    FileId, Index, IndexedFile, ResolvedImport, ResolvedImports, Symbol, SymbolKind, module_word,
};

/// A source of the index, which may still be read in the background.
pub trait IndexSource: Sync {
    /// Returns the index, and waits until it is read.
    fn index(&self) -> &Index;
}

impl IndexSource for Index {
    fn index(&self) -> &Index {
        self
    }
}

/// The resolved imports of each file.
// A trait, because `ResolvedImports` is invariant in its lifetime and would make every struct with a reference to
// it so.
trait ImportSource {
    fn imports_of(&self, file: FileId) -> &[ResolvedImport];
}

impl ImportSource for ResolvedImports<'_> {
    fn imports_of(&self, file: FileId) -> &[ResolvedImport] {
        ResolvedImports::imports_of(self, file)
    }
}

/// Answers questions about names from the index. Files are paths relative to the root,
/// separated by `/`.
pub(super) struct KnownNames<'a> {
    index: &'a Index,
    links: &'a (dyn ImportSource + 'a),
}

impl<'a> KnownNames<'a> {
    /// Returns the answers of an index. The imports of a file are resolved when they are first
    /// needed.
    pub(super) fn new(index: &'a Index, links: &'a ResolvedImports<'_>) -> Self {
        Self { index, links }
    }

    /// Returns a symbol of the index with the name of its parent.
    fn definition(&self, file: FileId, symbol: &Symbol) -> Option<KnownDefinition> {
        let indexed = self.index.file(file)?;
        let symbols = &indexed.facts()?.symbols;
        let parent = symbol.parent.and_then(|at| symbols.get(at as usize));
        Some(KnownDefinition {
            name: symbol.name.to_string(),
            path: indexed.path.clone(),
            line: symbol.line,
            parent: parent.map(|parent| parent.name.to_string()),
            exported: symbol.exported,
            is_type: matches!(symbol.kind, SymbolKind::Interface | SymbolKind::Type),
        })
    }

    /// Returns a resolved import with the paths of its targets.
    fn import(&self, from: &str, link: &ResolvedImport) -> KnownImport {
        let targets = link.target.files().iter().filter_map(|id| self.index.file(*id));
        KnownImport {
            from: from.to_owned(),
            module: link.module.to_string(),
            targets: targets.map(|file| file.path.clone()).collect(),
            type_only: link.type_only,
            line: link.line,
        }
    }

    /// Returns the files that may contain a name.
    fn files_naming(&self, name: &str) -> impl Iterator<Item = (&'a IndexedFile, FileId)> {
        let files = self.index.find_named(&[name], usize::MAX).files.into_iter();
        files.filter_map(|id| Some((self.index.file(id)?, id)))
    }
}

impl KnownNames<'_> {
    /// Returns every definition of a name, in the order of paths.
    pub(super) fn definitions(&self, name: &str) -> Vec<KnownDefinition> {
        let found = self.index.definitions(name).into_iter();
        found.filter_map(|(file, symbol)| self.definition(file, symbol)).collect()
    }

    /// Returns the definitions of a file in their order; none for a file that is not in the
    /// index.
    pub(super) fn outline(&self, path: &str) -> Vec<KnownDefinition> {
        let Some(file) = self.index.find_path(path) else { return Vec::new() };
        let facts = self.index.file(file).and_then(|file| file.facts());
        let symbols = facts.into_iter().flat_map(|facts| &facts.symbols);
        let named = symbols.filter(|symbol| symbol.kind != SymbolKind::Test);
        named.filter_map(|symbol| self.definition(file, symbol)).collect()
    }

    /// Returns the files that export a name under this name.
    pub(super) fn exporters(&self, name: &str) -> Vec<String> {
        let gives = |file: &IndexedFile| {
            let mut exports = file.facts().into_iter().flat_map(|facts| &facts.exports);
            exports.any(|export| &*export.name == name)
        };
        self.files_naming(name)
            .filter(|(file, _)| gives(file))
            .map(|(file, _)| file.path.clone())
            .collect()
    }

    /// Returns the name inside a file of a symbol that it exports under another one, such as `default`. `None`
    /// if the file exports no such name of its own.
    pub(super) fn exported_as(&self, path: &str, name: &str) -> Option<String> {
        let file = self.index.file(self.index.find_path(path)?)?;
        let exports = &file.facts()?.exports;
        let own = exports.iter().find(|export| &*export.name == name && export.from.is_none())?;
        own.local.as_ref().map(ToString::to_string)
    }

    /// Returns the imports of a file, in their order.
    pub(super) fn imports(&self, path: &str) -> Vec<KnownImport> {
        let Some(file) = self.index.find_path(path) else { return Vec::new() };
        self.links.imports_of(file).iter().map(|link| self.import(path, link)).collect()
    }

    /// Returns the imports of a file by all files that mention its name.
    pub(super) fn importers(&self, path: &str) -> Vec<KnownImport> {
        let Some(target) = self.index.find_path(path) else { return Vec::new() };
        let taking = self.files_naming(module_word(path)).flat_map(|(file, id)| {
            let links = self.links.imports_of(id).iter();
            let links = links.filter(|link| link.target.files().contains(&target));
            links.map(|link| self.import(&file.path, link)).collect::<Vec<_>>()
        });
        taking.collect()
    }

    /// Returns the folder and the text of the nearest manifest with a name, searched from a file upwards.
    /// `None` if no folder has one.
    pub(super) fn manifest(&self, path: &str, name: &str) -> Option<(String, String)> {
        let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        loop {
            let at = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            if let Some(text) = self.index.manifest(&at) {
                return Some((folder.to_owned(), text.to_owned()));
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
}

/// A name that a file defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KnownDefinition {
    /// The name.
    pub(super) name: String,
    /// Its file.
    pub(super) path: String,
    /// The line of the name, from 1.
    pub(super) line: u32,
    /// The name of the definition around it; `None` at the top level of its file.
    pub(super) parent: Option<String>,
    /// True if other files can import it.
    pub(super) exported: bool,
    /// True if it does not exist at run time: an interface, a type alias.
    pub(super) is_type: bool,
}

/// A module that a file imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KnownImport {
    /// The file with the import.
    pub(super) from: String,
    /// As the source spells it.
    pub(super) module: String,
    /// The files that the import resolves to; none outside the repository.
    pub(super) targets: Vec<String>,
    /// True for an import of types alone.
    pub(super) type_only: bool,
    /// First line of the statement, from 1.
    pub(super) line: u32,
}

#[cfg(test)]
mod tests;
