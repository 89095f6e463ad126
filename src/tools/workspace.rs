//! The repository as tools see it: its files, its index, git, and the rules for changes and commands.

use std::cell::OnceCell;

use super::error::ToolError;
use super::text_filter::{TextFilter, TextSearch};
use crate::project::BuildCommand;
use crate::verify::VerifyConfig;
use papayu_base::text::{Masker, spelling};
use papayu_forge::git::Git;
use papayu_index::calls::CallGraph;
use papayu_index::mark::FileMark;
use papayu_index::term_index::TermIndex;
use papayu_index::{
    FileId, Graph, IncrementalIndex, Index, IndexSources, ResolvedImports, queries,
};
use papayu_system::{System, Tree};
use papayu_vet::Policy;

/// The repository and the rules of one session.
pub struct ToolSession<'w> {
    /// The files.
    pub tree: &'w dyn Tree,
    /// Processes and the clock.
    pub system: System<'w>,
    /// The index as of its last refresh.
    pub code: IndexedCode<'w>,
    /// The calls between the definitions of the index.
    pub calls: CallIndex<'w>,
    /// Hides secrets in every answer.
    pub masker: &'w Masker,
    /// The environment that git sees.
    pub environment: &'w [(String, String)],
    /// The rules for changes.
    pub policy: &'w Policy,
    /// The rules for commands.
    pub commands: &'w CommandRules,
}

/// The rules for commands.
#[derive(Clone, Debug)]
pub struct CommandRules {
    /// Commands that build and test the project.
    pub builds: Vec<BuildCommand>,
    /// Commands that may run besides the built-in ones: a program, or a program and its first words.
    pub allow: Vec<String>,
    /// Commands that never run, in the same form; they win over the allowed ones.
    pub deny: Vec<String>,
    /// Limits of time and output, and kept variables.
    pub limits: VerifyConfig,
    /// The command that runs the project's tests.
    pub tests: Option<String>,
}

impl ToolSession<'_> {
    /// Opens the git repository.
    ///
    /// # Errors
    ///
    /// `Git` if the folder is in no repository.
    pub fn open_git(&self) -> Result<Git<'_>, ToolError> {
        let git = Git::open(self.system, self.tree.root(), self.environment, self.masker)?;
        // Commands of earlier calls may have changed the repository.
        Ok(git.without_fetches().with_network(self.commands.limits.network.into()))
    }
}

/// The graph of calls and the terms of all files, which are loaded on first use.
pub struct CallIndex<'w> {
    keeper: &'w IncrementalIndex,
    sources: IndexSources<'w>,
    graph: OnceCell<CallGraph>,
    terms: OnceCell<TermIndex>,
}

impl<'w> CallIndex<'w> {
    /// Returns the calls of an index that was read from `sources`.
    pub fn new(keeper: &'w IncrementalIndex, sources: IndexSources<'w>) -> Self {
        Self { keeper, sources, graph: OnceCell::new(), terms: OnceCell::new() }
    }

    /// Returns the terms of every file.
    pub fn terms(&self) -> &TermIndex {
        self.terms.get_or_init(|| self.keeper.load_terms(&self.sources))
    }

    /// Returns the graph of calls.
    pub(super) fn graph(&self, code: &IndexedCode<'_>) -> &CallGraph {
        let build = || CallGraph::of(code.links(), &self.keeper.load_calls(&self.sources));
        self.graph.get_or_init(build)
    }
}

/// The files and their index, with the graphs that are built from it on first use. Context requests and tools
/// are answered from it by the same functions.
pub struct IndexedCode<'w> {
    tree: &'w dyn Tree,
    index: &'w Index,
    filter: Option<(&'w TextFilter, &'w IncrementalIndex)>,
    links: OnceCell<ResolvedImports<'w>>,
    graph: OnceCell<Graph>,
}

impl<'w> IndexedCode<'w> {
    /// Returns the index of `tree` with no graph built yet.
    pub fn new(tree: &'w dyn Tree, index: &'w Index) -> Self {
        Self { tree, index, filter: None, links: OnceCell::new(), graph: OnceCell::new() }
    }

    /// Returns the index of a session, in which later searches skip files that `filter` excludes.
    pub fn of_session(
        tree: &'w dyn Tree,
        keeper: &'w IncrementalIndex,
        filter: &'w TextFilter,
    ) -> Self {
        Self { filter: Some((filter, keeper)), ..Self::new(tree, keeper.index()) }
    }

    /// Returns the state of a file when it was indexed; `None` outside a session.
    pub(super) fn mark(&self, id: FileId) -> Option<&'w FileMark> {
        self.filter.and_then(|(_, keeper)| keeper.file_mark(id))
    }

    /// Returns the files.
    pub(super) fn tree(&self) -> &'w dyn Tree {
        self.tree
    }

    /// Returns the files as searches read them.
    pub(super) fn text_search(&self) -> TextSearch<'w> {
        TextSearch { tree: self.tree, filter: self.filter }
    }

    /// Returns the index.
    pub fn index(&self) -> &'w Index {
        self.index
    }

    /// Returns the resolved imports.
    pub(super) fn links(&self) -> &ResolvedImports<'w> {
        self.links.get_or_init(|| ResolvedImports::of(self.index()))
    }

    /// Returns the graph of dependencies between files.
    pub(super) fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| {
            self.index.parse_all();
            Graph::of(self.links())
        })
    }

    /// Returns the indexed file with this path.
    ///
    /// # Errors
    ///
    /// `NotFound` with the path most like it. A file with secrets counts as missing.
    pub(super) fn find_file(&self, path: &str) -> Result<FileId, ToolError> {
        let path = path.trim_start_matches("./");
        if let Some(id) = self.index().find_path(path).filter(|_| super::reading::is_shown(path)) {
            return Ok(id);
        }
        let paths = self.index().files().iter().map(|file| file.path.as_str());
        let nearest =
            spelling::find_most_similar(paths.filter(|path| super::reading::is_shown(path)), path);
        Err(ToolError::NotFound {
            kind: "file",
            name: path.to_owned(),
            nearest: nearest.map(str::to_owned),
        })
    }

    /// Returns the error of a name that is not defined, with the defined name most like it.
    pub(super) fn unknown_symbol(&self, name: &str) -> ToolError {
        let facts = self.index().files().iter().filter_map(|file| file.facts());
        let names = facts.flat_map(|facts| &facts.symbols).map(|symbol| &*symbol.name);
        let nearest = spelling::find_most_similar(names, name).map(str::to_owned);
        ToolError::NotFound { kind: "definition", name: name.to_owned(), nearest }
    }

    /// Returns the folder or file that limits a query; empty for the whole repository.
    ///
    /// # Errors
    ///
    /// `NotFound` if the index has nothing there.
    pub(super) fn resolve_below(&self, path: Option<&str>) -> Result<String, ToolError> {
        let named = path.unwrap_or_default().trim_start_matches("./").trim_matches('/');
        let named = if named == "." { "" } else { named };
        if self.index().files().iter().any(|file| queries::is_below(&file.path, named)) {
            return Ok(named.to_owned());
        }
        self.find_file(named).map(|_| named.to_owned())
    }
}
