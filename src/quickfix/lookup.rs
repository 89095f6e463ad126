//! What the sources of names ask the index of the repository, which this layer does not see.

/// Answers from the index; files are paths relative to the root, `/`-separated.
pub trait Lookup: Send + Sync {
    /// Returns every definition of a name, in the order of paths.
    fn definitions(&self, name: &str) -> Vec<Definition>;

    /// Returns what a file defines, in its order; empty for a file that is not known.
    fn outline(&self, path: &str) -> Vec<Definition>;

    /// Returns the files that give a name away under this very name.
    fn exporters(&self, name: &str) -> Vec<String>;

    /// Returns the name in its file of what it gives away under another one (`default`).
    fn exported_as(&self, path: &str, name: &str) -> Option<String>;

    /// Returns what a file takes from others, in its order.
    fn imports(&self, path: &str) -> Vec<Import>;

    /// Returns how the files of the repository take a file.
    fn importers(&self, path: &str) -> Vec<Import>;

    /// Returns the text of the nearest manifest of that name above a file, with its folder.
    fn manifest(&self, path: &str, name: &str) -> Option<(String, String)>;

    /// Tells whether a name is that of a module of Python's standard library.
    fn is_python_standard(&self, name: &str) -> bool;
}

/// A name that a file defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// The line of the name, from 1.
    pub line: u32,
    /// The name of what it stands in; `None` at the top of its file.
    pub parent: Option<String>,
    /// Whether other files can take it.
    pub exported: bool,
    /// Whether it is nothing at run time: an interface, a type alias.
    pub is_type: bool,
}

/// A module that a file takes something from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The file that takes it.
    pub from: String,
    /// As the source spells it.
    pub module: String,
    /// The files it stands for; none outside the repository.
    pub targets: Vec<String>,
    /// Whether it counts for types alone.
    pub type_only: bool,
    /// Where the statement begins, from 1.
    pub line: u32,
}
