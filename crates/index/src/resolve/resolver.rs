//! Selects the ecosystem of a file and resolves by its rules.

use std::sync::OnceLock;

use super::go::GoModules;
use super::namespaces::Namespaces;
use super::node::NodeModules;
use super::python::PythonModules;
use super::rust::RustModules;
use super::target::{ImportTarget, ResolveRequest, ResolvedModule};
use super::tree::FileTable;
use super::{c, java, ruby};
use crate::code::{FileId, Index};
use papayu_lang::Language;

/// The ecosystems of a repository. Each reads its manifests on first use.
pub(crate) struct Resolver<'a> {
    tree: FileTable<'a>,
    node: OnceLock<NodeModules<'a>>,
    python: OnceLock<PythonModules<'a>>,
    rust: OnceLock<RustModules<'a>>,
    go: OnceLock<GoModules<'a>>,
    namespaces: OnceLock<Namespaces>,
}

impl<'a> Resolver<'a> {
    /// Builds the lookup tables of an index.
    pub(crate) fn of(index: &'a Index) -> Self {
        Self {
            tree: FileTable::of(index),
            node: OnceLock::new(),
            python: OnceLock::new(),
            rust: OnceLock::new(),
            go: OnceLock::new(),
            namespaces: OnceLock::new(),
        }
    }

    /// Returns the target of a module name in a file.
    pub(crate) fn resolve(&self, request: &ResolveRequest<'_>) -> ResolvedModule {
        let tree = &self.tree;
        match tree.language(request.from) {
            Some(Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx) => {
                self.node().resolve(tree, request)
            }
            Some(Language::Python) => self.python().resolve(tree, request),
            Some(Language::Rust) => self.rust().resolve(tree, request),
            Some(Language::Go) => {
                self.go.get_or_init(|| GoModules::of(tree)).resolve(tree, request)
            }
            Some(Language::Java) => java::resolve_import(tree, request),
            Some(Language::C | Language::Cpp) => c::resolve_include(tree, request),
            Some(Language::CSharp) => self.namespaces().resolve_csharp(tree, request),
            Some(Language::Php) => self.namespaces().resolve_php(tree, request),
            Some(Language::Ruby) => ruby::resolve_require(tree, request),
            Some(Language::Json | Language::Yaml) | None => {
                ResolvedModule::from_target(ImportTarget::Unresolved)
            }
        }
    }

    /// Returns the module of that name below a file's own, in languages where files are modules. `None` if
    /// there is none.
    pub(crate) fn child_module(&self, file: FileId, name: &str) -> Option<FileId> {
        match self.tree.language(file)? {
            Language::Rust => self.rust().child_module(file, name),
            _ => None,
        }
    }

    /// Returns the other files with names that a file can use without an import.
    pub(crate) fn package_neighbours(&self, file: FileId) -> Vec<FileId> {
        let tree = &self.tree;
        let sibling = |language: Language| {
            let files = tree.files_in(tree.folder_of(file)).iter().copied();
            files.filter(|id| *id != file && tree.language(*id) == Some(language)).collect()
        };
        match tree.language(file) {
            Some(language @ (Language::Go | Language::Php)) => sibling(language),
            Some(Language::Java) => java::package_neighbours(tree, file),
            Some(Language::CSharp) => self.namespaces().neighbours(tree, file),
            Some(Language::C | Language::Cpp) => c::sources_of(tree, file),
            Some(
                Language::TypeScript
                | Language::Tsx
                | Language::JavaScript
                | Language::Jsx
                | Language::Json
                | Language::Yaml
                | Language::Python
                | Language::Rust
                | Language::Ruby,
            )
            | None => Vec::new(),
        }
    }

    /// Returns the file that autoloading finds for a constant, in languages that have it. `None` if there is
    /// none, or several.
    pub(crate) fn find_by_constant(&self, file: FileId, name: &str) -> Option<FileId> {
        match self.tree.language(file)? {
            Language::Ruby => ruby::find_by_constant(&self.tree, name),
            _ => None,
        }
    }

    /// Returns the entry files named by manifests, sorted.
    pub(crate) fn entry_files(&self) -> Vec<FileId> {
        let mut entries = self.node().entry_files(&self.tree);
        entries.extend_from_slice(self.rust().roots());
        entries.extend(self.python().entry_files(&self.tree));
        entries.sort_unstable();
        entries.dedup();
        entries
    }

    /// Returns the resolver for scripts. Each resolver reads its manifests on first use: most
    /// repositories need one or two.
    fn node(&self) -> &NodeModules<'a> {
        self.node.get_or_init(|| NodeModules::of(&self.tree))
    }

    fn python(&self) -> &PythonModules<'a> {
        self.python.get_or_init(|| PythonModules::of(&self.tree))
    }

    fn rust(&self) -> &RustModules<'a> {
        self.rust.get_or_init(|| RustModules::of(&self.tree))
    }

    fn namespaces(&self) -> &Namespaces {
        self.namespaces.get_or_init(|| Namespaces::of(&self.tree))
    }
}
