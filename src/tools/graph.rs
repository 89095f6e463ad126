//! `graph`: a file between the files that it imports and those that depend on it.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{TypedAnswer, bounded, join_lines};
use super::get_dependencies::FileParams;
use super::tool::{Tool, ToolResult};
use super::workspace::ToolSession;
use papayu_index::queries::{self, FileRow, file_paths};

/// A file in the graph of dependencies.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct GraphFile<'w> {
    /// The file with its complexity and the sizes of its neighbourhood.
    pub file: Option<FileRow<'w>>,
    /// The files that it imports.
    pub dependencies: Vec<&'w str>,
    /// Packages from registries that it imports.
    pub packages: Vec<&'w str>,
    /// The files that import it.
    pub dependents: Vec<&'w str>,
    /// Number of files that a change of it reaches.
    pub reached: usize,
    /// The tests among them.
    pub tests: Vec<&'w str>,
    /// A ring of imports that it is part of; empty if there is none.
    pub cycle: Vec<&'w str>,
    /// Number of files that are left out of the lists.
    pub left_out: usize,
}

/// The tool `graph`.
pub(super) struct FileGraph;

impl Tool for FileGraph {
    type Params = FileParams;
    type Output<'w> = GraphFile<'w>;
    const NAME: &'static str = "graph";
    const DESCRIPTION: &'static str = "Returns what a file imports, what depends on it, and the tests that a change of it reaches.";

    fn run<'w>(params: FileParams, workspace: &'w ToolSession<'w>) -> ToolResult<GraphFile<'w>> {
        let code = &workspace.code;
        let id = code.find_file(&params.path)?;
        let (index, graph) = (code.index(), code.graph());
        let path = index.file(id).map_or("", |file| file.path.as_str());
        let impact = graph.impact(index, id);
        let (dependencies, more) = bounded(file_paths(index, graph.dependencies(id)));
        let (dependents, others) = bounded(file_paths(index, &impact.direct));
        let (tests, hidden) = bounded(file_paths(index, &impact.tests));
        let imports = queries::list_imports(code.links(), id);
        let mut packages: Vec<&str> = imports.iter().filter_map(|row| row.package).collect();
        packages.sort_unstable();
        packages.dedup();
        let ring = graph.cycles().into_iter().find(|cycle| cycle.files.contains(&id));
        let cycle = ring.map(|ring| file_paths(index, &ring.ring)).unwrap_or_default();
        let file = queries::file_complexity(index, graph, path).into_iter().next();
        let reached = impact.all.len();
        let rows = [
            ("imports", &dependencies),
            ("packages", &packages),
            ("imported by", &dependents),
            ("tests reached", &tests),
            ("cycle", &cycle),
        ];
        let rows = rows.iter().filter(|(_, paths)| !paths.is_empty());
        let rows = rows.map(|(name, paths)| format!("{name}: {}", paths.join(" ")));
        let head = format!(
            "{path}: a change reaches {reached} file{}",
            if reached == 1 { "" } else { "s" }
        );
        let text = join_lines(std::iter::once(head).chain(rows), 0);
        let near = dependencies.iter().chain(&dependents).map(|path| (*path).to_owned());
        let files: Vec<String> = std::iter::once(path.to_owned()).chain(near).collect();
        let left_out = more + others + hidden;
        let data =
            GraphFile { file, dependencies, packages, dependents, reached, tests, cycle, left_out };
        Ok(TypedAnswer::new(data, text, files))
    }
}
