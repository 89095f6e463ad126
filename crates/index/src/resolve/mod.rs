//! Targets of imports: one file for each ecosystem, pure, from the files and manifests of an index alone.
//!
//! A rule that finds two places where its ecosystem would take one returns nothing. Imports of modules outside
//! the tree are [`ImportTarget::External`], [`ImportTarget::Builtin`] or [`ImportTarget::Unresolved`].

mod c;
mod go;
mod java;
mod namespaces;
mod node;
mod paths;
mod python;
mod resolver;
#[cfg(test)]
mod rig;
mod ruby;
mod rust;
mod target;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use resolver::Resolver;
pub use target::ImportTarget;
pub(crate) use target::{ResolveRequest, ResolvedModule};

use papayu_lang::Language;

/// Returns true if an import in this language resolves only with the facts of all its files: a Rust module is
/// where a `mod` line declares it, a namespace of C# is in every file that adds to it.
pub(crate) fn needs_all_files(language: Language) -> bool {
    matches!(language, Language::Rust | Language::CSharp)
}
