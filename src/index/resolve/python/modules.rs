//! One module's name to its files.

use super::roots::{Roots, has_modules, own_root};
use super::stdlib::is_standard;
use crate::index::code::FileId;
use crate::index::facts::ImportedName;
use crate::index::resolve::paths::{upwards, within};
use crate::index::resolve::target::{Found, Request, Target};
use crate::index::resolve::tree::Tree;

/// The source roots of a repository.
pub(in crate::index::resolve) struct Python<'a> {
    roots: Roots<'a>,
}

/// The file or folder of a dotted name.
enum Place {
    /// A module, or a package's `__init__`.
    Module(FileId),
    /// A folder without `__init__.py`.
    Namespace,
}

impl<'a> Python<'a> {
    /// Looks for the source roots.
    pub(in crate::index::resolve) fn of(tree: &Tree<'a>) -> Self {
        Self { roots: Roots::of(tree) }
    }

    /// Returns the target of a module name, with the imported names that are modules themselves.
    pub(in crate::index::resolve) fn resolve(
        &self,
        tree: &Tree<'a>,
        request: &Request<'_>,
    ) -> Found {
        let rest = request.module.trim_start_matches('.');
        let dots = request.module.len() - rest.len();
        let segments: Vec<&str> = rest.split('.').filter(|part| !part.is_empty()).collect();
        if dots > 0 {
            let base = upwards(tree.folder_of(request.from)).nth(dots - 1);
            return base
                .and_then(|base| Self::at(tree, base, &segments, request.names))
                .unwrap_or(Found::only(Target::Unresolved));
        }
        let Some(top) = segments.first() else { return Found::only(Target::Unresolved) };
        let own = own_root(tree, tree.folder_of(request.from));
        if is_standard(top) {
            // A script's own folder comes before the standard library.
            let own = starts(tree, own, top).then(|| Self::at(tree, own, &segments, request.names));
            return own.flatten().unwrap_or(Found::only(Target::builtin(top)));
        }
        self.absolute(tree, request, &segments)
            .unwrap_or_else(|| Found::only(Target::external(top)))
    }

    fn absolute(&self, tree: &Tree<'a>, request: &Request<'_>, segments: &[&str]) -> Option<Found> {
        let top = segments.first()?;
        let near = self.roots.near(tree, request.from);
        if let Some(root) = near.iter().find(|root| starts(tree, root, top)) {
            let found = Self::at(tree, root, segments, request.names);
            return Some(found.unwrap_or(Found::only(Target::Unresolved)));
        }
        // A package under exactly one root elsewhere in the repository.
        let mut far = self.roots.found().filter(|root| starts(tree, root, top));
        if let (Some(root), None) = (far.next(), far.next()) {
            return Self::at(tree, root, segments, request.names);
        }
        // A namespace counts only where what is taken from it is there.
        near.iter().find_map(|root| Self::at(tree, root, segments, request.names))
    }

    fn at(tree: &Tree<'a>, root: &str, segments: &[&str], names: &[ImportedName]) -> Option<Found> {
        let folder = segments.iter().fold(root.to_owned(), |at, part| within(&at, part));
        let place = place(tree, root, segments)?;
        let modules: Vec<(Box<str>, Vec<FileId>)> = names
            .iter()
            .filter_map(|taken| match self::place(tree, &folder, &[&taken.name])? {
                Place::Module(file) => Some((taken.name.clone(), vec![file])),
                Place::Namespace => None,
            })
            .collect();
        let mut files: Vec<FileId> = match place {
            Place::Module(file) => vec![file],
            Place::Namespace => Vec::new(),
        };
        let own = files.clone();
        files.extend(modules.iter().flat_map(|(_, files)| files).copied());
        if files.is_empty() {
            return None;
        }
        // A namespace exports nothing but its modules.
        let target = Target::Internal(if own.is_empty() { files } else { own });
        Some(Found { target, rest: Vec::new(), modules })
    }
}

fn place(tree: &Tree<'_>, root: &str, segments: &[&str]) -> Option<Place> {
    let path = segments.iter().fold(root.to_owned(), |at, part| within(&at, part));
    if segments.is_empty() {
        let mut inits = ["__init__.py", "__init__.pyi"].iter();
        let init = inits.find_map(|name| tree.file(&within(&path, name)));
        return Some(init.map_or(Place::Namespace, Place::Module));
    }
    let forms = ["/__init__.py", ".py", "/__init__.pyi", ".pyi"];
    let module = forms.iter().find_map(|form| tree.file(&format!("{path}{form}")));
    match module {
        Some(file) => Some(Place::Module(file)),
        None => tree.has_folder(&path).then_some(Place::Namespace),
    }
}

/// Returns `true` if a module or a regular package of that name is at a root.
fn starts(tree: &Tree<'_>, root: &str, top: &str) -> bool {
    match place(tree, root, &[top]) {
        Some(Place::Module(_)) => true,
        // Only a folder with modules, not any folder of that name.
        Some(Place::Namespace) => root.ends_with("src") && has_modules(tree, &within(root, top)),
        None => false,
    }
}
