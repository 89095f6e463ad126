//! Targets of imports.

use crate::code::FileId;
use crate::facts::{Import, ImportKind, ImportedName};

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportTarget {
    /// Files of this repository: one, or all files of a package; never empty.
    Internal(Vec<FileId>),
    /// A package from a registry, by its registry name if that can be determined.
    External(Box<str>),
    /// A module that comes with the language or its runtime.
    Builtin(Box<str>),
    /// A module that should be here but is not: a missing file, a path out of the repository, a
    /// subpath that a package does not export.
    Unresolved,
}

impl ImportTarget {
    /// Returns the files of the repository.
    pub fn files(&self) -> &[FileId] {
        match self {
            Self::Internal(files) => files,
            _ => &[],
        }
    }

    pub(super) fn external(name: &str) -> Self {
        Self::External(name.into())
    }

    pub(super) fn builtin(name: &str) -> Self {
        Self::Builtin(name.into())
    }
}

/// A request to an ecosystem's rules: one module, as one file imports it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResolveRequest<'a> {
    /// The importing file.
    pub(crate) from: FileId,
    /// The module as the source spells it.
    pub(crate) module: &'a str,
    /// The form of the import.
    pub(crate) kind: ImportKind,
    /// The imported names.
    pub(crate) names: &'a [ImportedName],
}

impl<'a> ResolveRequest<'a> {
    /// Creates the request of an import statement.
    pub(crate) fn of(from: FileId, import: &'a Import) -> Self {
        let Import { module, kind, names, .. } = import;
        Self { from, module, kind: *kind, names }
    }

    /// Creates the request of a module without imported names.
    pub(crate) fn of_module(from: FileId, module: &'a str) -> Self {
        Self { from, module, kind: ImportKind::Import, names: &[] }
    }
}

/// The answer of an ecosystem's rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedModule {
    /// The module's files.
    pub(crate) target: ImportTarget,
    /// The rest of the module's path if it continues inside those files: a class, an inline module,
    /// a member.
    pub(crate) rest: Vec<Box<str>>,
    /// Imported names that are modules themselves, with their files.
    pub(crate) modules: Vec<(Box<str>, Vec<FileId>)>,
}

impl ResolvedModule {
    /// Creates a result that is only a target.
    pub(super) fn from_target(target: ImportTarget) -> Self {
        Self { target, rest: Vec::new(), modules: Vec::new() }
    }

    /// Creates a result of these files; `Unresolved` if there are none.
    pub(super) fn files(files: Vec<FileId>) -> Self {
        Self::from_target(if files.is_empty() {
            ImportTarget::Unresolved
        } else {
            ImportTarget::Internal(files)
        })
    }
}
