//! What an import can lead to.

use crate::index::code::FileId;
use crate::index::facts::{Import, ImportKind, ImportedName};

/// Where an import leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Files of this repository: one, or all of a package that several files make up; never none.
    Internal(Vec<FileId>),
    /// A package that is fetched, by the name it is fetched by where that can be told.
    External(Box<str>),
    /// A module that comes with the language or its runtime.
    Builtin(Box<str>),
    /// It should be here and is not: a missing file, a path out of the repository, a subpath that a
    /// package does not give away.
    Unresolved,
}

impl Target {
    /// Returns the files of the repository it leads to.
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

/// What is asked of an ecosystem: one module, as one file takes it.
#[derive(Clone, Copy, Debug)]
pub(in crate::index) struct Request<'a> {
    /// The file that takes it.
    pub(in crate::index) from: FileId,
    /// The module as the source spells it.
    pub(in crate::index) module: &'a str,
    /// How it is taken.
    pub(in crate::index) kind: ImportKind,
    /// The names taken from it.
    pub(in crate::index) names: &'a [ImportedName],
    /// The statement's line.
    pub(in crate::index) line: u32,
}

impl<'a> Request<'a> {
    /// Returns what an import statement asks for.
    pub(in crate::index) fn of(from: FileId, import: &'a Import) -> Self {
        let Import { module, kind, names, line, .. } = import;
        Self { from, module, kind: *kind, names, line: *line }
    }

    /// Returns what a module's bare name asks for.
    pub(in crate::index) fn bare(from: FileId, module: &'a str, line: u32) -> Self {
        Self { from, module, kind: ImportKind::Import, names: &[], line }
    }
}

/// What an ecosystem found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::index) struct Found {
    /// The module's files.
    pub(in crate::index) target: Target,
    /// What is left of the module's path when it goes on inside those files: a class, an inline
    /// module, a member.
    pub(in crate::index) rest: Vec<Box<str>>,
    /// Names taken that are modules of their own, with their files.
    pub(in crate::index) modules: Vec<(Box<str>, Vec<FileId>)>,
}

impl Found {
    /// Returns a target and nothing else.
    pub(super) fn only(target: Target) -> Self {
        Self { target, rest: Vec::new(), modules: Vec::new() }
    }

    /// Returns these files, `Unresolved` when there are none.
    pub(super) fn files(files: Vec<FileId>) -> Self {
        Self::only(if files.is_empty() { Target::Unresolved } else { Target::Internal(files) })
    }
}
