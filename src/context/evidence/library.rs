//! The texts of the repository, read on first use and kept while evidence is collected.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use rustc_hash::FxBuildHasher;

use super::blocks::{self, CodeBlock};
use super::file_lines::FileLines;
use super::work::WorkMeter;
use papayu_base::domain::RepoPath;
use papayu_base::text::encoding;
use papayu_index::{FileFacts, FileId, FollowedName, Index, ResolvedImports};
use papayu_lang::{self as lang, FileRole};
use papayu_system::Tree;

/// Largest file, in bytes, that is searched for evidence. Larger files are data or bundles.
const MAX_BYTES: u64 = 1024 * 1024;

/// Most files that are parsed in one search for names. A name in more files is no evidence.
pub const MAX_SEARCHED: usize = 1_000;

/// File names that represent their folder, as `index.ts` does.
pub const FRONT_PAGES: [&str; 5] = ["index", "mod", "__init__", "lib", "main"];

/// The definitions that names lead to, by name.
type FollowedNames = HashMap<String, Rc<[(FileId, u32)]>, FxBuildHasher>;

/// The index with the texts of its files. Files with secrets have no text here.
pub struct Library<'a> {
    tree: &'a dyn Tree,
    /// The index.
    pub index: &'a Index,
    /// The resolved imports.
    pub links: ResolvedImports<'a>,
    /// The work of the evidence so far.
    pub work: WorkMeter,
    /// The texts read so far; `None` for a file that cannot be shown.
    texts: RefCell<HashMap<FileId, Option<Rc<FileLines>>, FxBuildHasher>>,
    /// The blocks of the files that were split so far.
    blocks: RefCell<HashMap<FileId, Rc<[CodeBlock]>, FxBuildHasher>>,
    /// The definitions of the names that were followed so far, by file and name.
    followed: RefCell<HashMap<FileId, FollowedNames, FxBuildHasher>>,
    /// The role of each file, by its number.
    roles: Vec<FileRole>,
    /// Source files by the last part of their module paths.
    modules: OnceCell<HashMap<&'a str, Vec<FileId>, FxBuildHasher>>,
    /// All files by their names.
    names: OnceCell<HashMap<&'a str, Vec<FileId>, FxBuildHasher>>,
}

impl<'a> Library<'a> {
    /// Creates a library; no text is read yet.
    pub fn new(tree: &'a dyn Tree, index: &'a Index) -> Self {
        let roles = index.files().iter().map(|file| FileRole::of_path(&file.path)).collect();
        Self {
            tree,
            index,
            links: ResolvedImports::of(index),
            work: WorkMeter::default(),
            texts: RefCell::default(),
            blocks: RefCell::default(),
            followed: RefCell::default(),
            roles,
            modules: OnceCell::new(),
            names: OnceCell::new(),
        }
    }

    /// Returns the path of a file; empty for a file of another index.
    pub fn path(&self, id: FileId) -> &'a str {
        self.index.file(id).map_or("", |file| file.path.as_str())
    }

    /// Returns the facts from the syntax tree; `None` without a grammar.
    pub fn facts(&self, id: FileId) -> Option<&'a FileFacts> {
        self.index.file(id)?.facts()
    }

    /// Returns the role of a file.
    pub fn role(&self, id: FileId) -> FileRole {
        self.roles.get(id.0 as usize).copied().unwrap_or(FileRole::Other)
    }

    /// Returns the text of a file; `None` if it is protected, too large, or not text.
    pub fn text(&self, id: FileId) -> Option<Rc<str>> {
        self.lines(id).map(|lines| Rc::clone(lines.text()))
    }

    /// Returns the lines of a file; `None` if it is protected, too large, or not text.
    pub fn lines(&self, id: FileId) -> Option<Rc<FileLines>> {
        if let Some(held) = self.texts.borrow().get(&id) {
            return held.clone();
        }
        let lines = self.read(id).map(|text| Rc::new(FileLines::of(text)));
        self.texts.borrow_mut().insert(id, lines.clone());
        lines
    }

    /// Returns the blocks of a file in order; none if it cannot be shown.
    pub fn blocks(&self, id: FileId) -> Rc<[CodeBlock]> {
        if let Some(held) = self.blocks.borrow().get(&id) {
            return Rc::clone(held);
        }
        let text = self.text(id);
        let blocks = text.map(|text| blocks::split_blocks(self.facts(id), &text));
        let blocks: Rc<[CodeBlock]> = blocks.unwrap_or_default().into();
        self.work.spend(blocks.len());
        self.blocks.borrow_mut().insert(id, Rc::clone(&blocks));
        blocks
    }

    /// Returns the definitions that a name used in a file refers to, as [`ResolvedImports::follow`] finds
    /// them. Each name of a file is followed once.
    pub fn follow(&self, file: FileId, name: &str) -> Rc<[(FileId, u32)]> {
        if let Some(held) = self.followed.borrow().get(&file).and_then(|names| names.get(name)) {
            return Rc::clone(held);
        }
        let FollowedName { places, steps } = self.links.follow_counting(file, name);
        let found: Rc<[(FileId, u32)]> = places.into();
        self.work.spend(steps as usize + found.len());
        let mut followed = self.followed.borrow_mut();
        followed.entry(file).or_default().insert(name.to_owned(), Rc::clone(&found));
        found
    }

    /// Reads the text of a file; `None` if it is protected, too large, or not text.
    fn read(&self, id: FileId) -> Option<Rc<str>> {
        let path = RepoPath::parse(self.path(id)).ok()?;
        let resolved = self.tree.resolve(&path).ok()?;
        // By the resolved path, because a link can have a harmless name.
        if papayu_vet::is_hidden(&resolved) {
            return None;
        }
        let bytes = self.tree.read(&resolved, MAX_BYTES).ok()?;
        let text = encoding::decode(&bytes).ok()?.text;
        (!papayu_vet::holds_credentials(&resolved, &text)).then(|| text.into())
    }

    /// Returns the only source file that a module path of two or more parts names: `shop._cart`,
    /// `src/cart`, `crate/cart`.
    ///
    /// The extension and leading folders may be missing.
    ///
    /// Returns `None` if several files fit, or none.
    pub fn by_module(&self, printed: &str) -> Option<FileId> {
        let bare = printed.trim_start_matches("crate/").trim_start_matches("super/");
        let parts: Vec<&str> = bare.split(['/', '.']).filter(|part| !part.is_empty()).collect();
        let last = *parts.last()?;
        if parts.len() < 2 && bare.len() == printed.len() {
            return None;
        }
        let modules = self.modules.get_or_init(|| self.modules());
        let held = |end: &str| modules.get(end).map_or(&[][..], Vec::as_slice);
        let mut candidates = [held(last), held(name(bare))].concat();
        candidates.sort_unstable();
        candidates.dedup();
        let mut fitting = candidates.into_iter().filter(|id| {
            let path = self.path(*id);
            let stem = without_ending(path);
            let fits = |path: &str| {
                let held = path.rsplit('/').take(parts.len());
                held.eq(parts.iter().rev().copied())
            };
            fits(stem)
                || FRONT_PAGES.iter().any(|page| {
                    stem.strip_suffix(page).is_some_and(|folder| fits(folder.trim_end_matches('/')))
                })
                || path
                    .strip_suffix(bare)
                    .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        });
        let first = fitting.next()?;
        // A declaration file next to the code is the same module.
        let others = fitting.filter(|id| !lang::is_declaration(self.path(*id))).count();
        (others == 0).then_some(first)
    }

    /// Returns every source file by the last part of each path by which [`Self::by_module`] finds
    /// it.
    fn modules(&self) -> HashMap<&'a str, Vec<FileId>, FxBuildHasher> {
        let mut modules: HashMap<&'a str, Vec<FileId>, FxBuildHasher> = HashMap::default();
        for id in self.of_role(FileRole::Source) {
            let path = self.path(id);
            let stem = without_ending(path);
            let pages = FRONT_PAGES.iter().filter_map(|page| stem.strip_suffix(page));
            let folders = pages.map(|folder| name(folder.trim_end_matches('/')));
            for end in [name(stem), name(path)].into_iter().chain(folders) {
                modules.entry(end).or_default().push(id);
            }
        }
        modules
    }

    /// Returns all files of that name.
    pub fn named(&self, base: &str) -> &[FileId] {
        let names = self.names.get_or_init(|| {
            let mut names: HashMap<&'a str, Vec<FileId>, FxBuildHasher> = HashMap::default();
            for (file, id) in self.index.files().iter().zip((0..).map(FileId)) {
                names.entry(name(&file.path)).or_default().push(id);
            }
            names
        });
        names.get(base).map_or(&[], Vec::as_slice)
    }

    /// Returns the absolute path of the repository, as logs may print it.
    pub fn root(&self) -> String {
        self.tree.root().to_string_lossy().into_owned()
    }

    /// Returns all files with a role, in the order of paths.
    pub fn of_role(&self, role: FileRole) -> impl Iterator<Item = FileId> + '_ {
        self.roles.iter().zip(0..).filter(move |(held, _)| **held == role).map(|(_, id)| FileId(id))
    }
}

/// Returns a path without its extension.
fn without_ending(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// Returns the folder of a path; empty at the root.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the file name of a path.
pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the file name up to its first dot.
pub fn stem(path: &str) -> &str {
    let name = name(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}
