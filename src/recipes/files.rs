//! The files of the repository as recipes read them, and the names that its modules pass on.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;
use std::time::Duration;

use super::package_versions::PackageVersions;
use papayu_base::domain::RepoPath;
use papayu_index::{FileId, ImportTarget, Index, IndexedFile, ResolvedImports};
use papayu_lang::Language;
use papayu_quickfix::IndexSource;
use papayu_recipes::{ApiName, Importer, RecipeFiles, Reexports, is_copy};
use papayu_system::{Clock, Tree};

/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 512 << 10;

/// Largest lock file that is read, in bytes.
const MAX_LOCK_BYTES: u64 = 16 << 20;

/// Most modules of the repository between a name and its package.
const MAX_STEPS: usize = 5;

/// Most places that are named.
const MAX_LEFT: usize = 100;

/// The files on disk, with other texts for some of them.
pub(crate) struct OldFiles<'a> {
    pub(crate) tree: &'a dyn Tree,
    pub(crate) index: &'a dyn IndexSource,
    pub(crate) clock: &'a dyn Clock,
    /// The time of the run at which the work on recipes ends.
    pub(crate) until: Duration,
    /// Texts in place of those on disk.
    pub(crate) before: BTreeMap<String, String>,
    /// The places that a rule is meant for and does not change, with the reasons.
    pub(crate) left: RefCell<BTreeSet<String>>,
    /// The versions of packages, read when a recipe first asks for one.
    pub(crate) versions: OnceCell<PackageVersions>,
}

impl OldFiles<'_> {
    /// Returns the text of a file; `None` if it is no text, or longer than the limit.
    fn read_whole(&self, path: &str, limit: u64) -> Option<String> {
        if let Some(text) = self.before.get(path) {
            return Some(text.clone());
        }
        let path = RepoPath::parse(path).ok()?;
        String::from_utf8(self.tree.read(&path, limit).ok()?).ok()
    }

    /// Returns the places that stay as they are, and the end of the time if it came first.
    pub(crate) fn left_alone(&self) -> Vec<String> {
        let mut left: Vec<String> = self.left.borrow().iter().cloned().collect();
        if self.is_over_time() {
            left.push("the time for recipes was used up, and nothing is changed".to_owned());
        }
        left
    }
}

impl RecipeFiles for OldFiles<'_> {
    fn paths(&self) -> Vec<String> {
        self.index.index().files().iter().map(|file| file.path.clone()).collect()
    }

    fn read(&self, path: &str) -> Option<String> {
        self.read_whole(path, MAX_BYTES)
    }

    fn versions_of(&self, package: &str) -> Vec<String> {
        let text = |path: &str| self.read_whole(path, MAX_LOCK_BYTES);
        let read = || PackageVersions::read(&self.paths(), &text);
        self.versions.get_or_init(read).find(package)
    }

    fn is_over_time(&self) -> bool {
        self.clock.elapsed() >= self.until || self.clock.interrupted()
    }

    fn leave_alone(&self, path: &str, line: Option<usize>, reason: &'static str) {
        let mut left = self.left.borrow_mut();
        if left.len() < MAX_LEFT {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            left.insert(format!("{path}{line} stays as it is: {reason}"));
        }
    }
}

/// The names that the modules of the repository pass on, from its index.
pub(crate) struct ImportIndex<'a> {
    index: &'a Index,
    links: ResolvedImports<'a>,
    importers: OnceLock<Importers>,
}

/// The files that import from each file, with the name; `None` for the whole module or all its names.
type Importers = HashMap<FileId, Vec<(FileId, Option<Box<str>>)>>;

impl<'a> ImportIndex<'a> {
    /// Returns the names of an index; imports are resolved when they are first needed.
    pub(crate) fn new(index: &'a Index) -> Self {
        Self { index, links: ResolvedImports::of(index), importers: OnceLock::new() }
    }

    /// Returns what each file imports from the others.
    fn read_importers(&self) -> Importers {
        let mut importers = Importers::new();
        for at in 0..self.index.files().len() {
            let Ok(at) = u32::try_from(at) else { break };
            let file = FileId(at);
            for link in self.links.imports_of(file) {
                let mut add = |target: &FileId, name: Option<&Box<str>>| {
                    let name = name.filter(|it| &***it != "*").cloned();
                    importers.entry(*target).or_default().push((file, name));
                };
                for target in link.target.files().iter().filter(|it| **it != file) {
                    for symbol in &link.names {
                        add(target, symbol.path.first());
                    }
                    if link.names.is_empty() {
                        add(target, None);
                    }
                }
                for target in link.names.iter().flat_map(|it| &it.module).filter(|it| **it != file)
                {
                    add(target, None);
                }
            }
        }
        importers
    }

    /// Returns the package API that a file imports under a name, through other files of the repository.
    fn find_behind(&self, file: FileId, name: &str, steps: usize) -> Option<ApiName> {
        let steps = steps.checked_sub(1)?;
        for link in self.links.imports_of(file) {
            let Some(symbol) = link.names.iter().find(|it| &*it.here == name) else { continue };
            let last = symbol.path.last().map_or("", |it| it);
            return match &link.target {
                ImportTarget::Internal(files) => {
                    files.iter().find_map(|id| self.find_behind(*id, last, steps))
                }
                _ => Some(ApiName { module: link.module.to_string(), name: last.to_owned() }),
            };
        }
        None
    }
}

impl Reexports for ImportIndex<'_> {
    fn find_api(&self, path: &str, module: &str, name: &str) -> Option<ApiName> {
        let file = self.index.find_path(path)?;
        let links = self.links.imports_of(file);
        let target =
            links.iter().find(|link| &*link.module == module || is_whole(link, module, name))?;
        let ImportTarget::Internal(files) = &target.target else { return None };
        let behind = files.iter().find_map(|id| self.find_behind(*id, name, MAX_STEPS));
        // A leading `.` marks what is the repository's own. A copy of a dependency in the repository is none of that.
        let own = || {
            let file = files.first().and_then(|id| self.index.file(*id));
            let path = file.map_or(module, |file: &IndexedFile| file.path.as_str());
            let module = if is_copy(path) { module.to_owned() } else { format!("./{path}") };
            ApiName { module, name: name.to_owned() }
        };
        Some(behind.unwrap_or_else(own))
    }

    fn find_importers(&self, path: &str, name: &str) -> Vec<Importer> {
        // A file of another language imports no name of it.
        let passes_on = |it: &Language| matches!(it, Language::Python | Language::Rust);
        let file = self
            .index
            .find_path(path)
            .filter(|_| Language::of_path(path).is_some_and(|language| passes_on(&language)));
        let importers =
            file.and_then(|file| self.importers.get_or_init(|| self.read_importers()).get(&file));
        let takes = |taken: &Option<Box<str>>| taken.as_deref().is_none_or(|it| it == name);
        let of_name = importers.into_iter().flatten().filter(|(_, taken)| takes(taken));
        of_name
            .filter_map(|(file, taken)| {
                let path = self.index.file(*file)?.path.clone();
                Some(Importer { path, is_by_name: taken.is_some() })
            })
            .collect()
    }

    fn is_defined(&self, name: &str) -> bool {
        !self.index.definitions(name).is_empty()
    }
}

/// Returns whether an import of a path is that of a name in a module.
fn is_whole(link: &papayu_index::ResolvedImport, module: &str, name: &str) -> bool {
    let rest = link.module.strip_prefix(module).unwrap_or_default();
    !name.is_empty() && rest.trim_start_matches([':', '.']) == name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_that_may_take_a_name_of_another_are_found() {
        let index = Index::of_texts(&[
            ("shape.py", "from math import sqrt\n\n\ndef top(n):\n    return sqrt(n)\n"),
            ("by_name.py", "from shape import sqrt as root\n"),
            ("other_name.py", "from shape import top\n"),
            ("whole.py", "import shape\n"),
            ("all_names.py", "from shape import *\n"),
            ("nothing.py", "from math import sqrt\n"),
        ]);
        let names = ImportIndex::new(&index);
        let mut found = names.find_importers("shape.py", "sqrt");
        found.sort_by(|one, other| one.path.cmp(&other.path));
        let found: Vec<(&str, bool)> =
            found.iter().map(|it| (it.path.as_str(), it.is_by_name)).collect();
        assert_eq!(found, [("all_names.py", false), ("by_name.py", true), ("whole.py", false)]);
        assert_eq!(names.find_importers("nothing.py", "sqrt"), []);
    }
}
