//! The imports around the files of a request, hubs and entry points, in a few lines.

use super::gathered::{Context, TextKind};
use papayu_index::graph::Graph;
use papayu_index::queries::file_paths;
use papayu_index::{FileId, Index, ResolvedImports};
use papayu_lang::FileRole;

/// The title of the lines.
const TITLE: &str =
    "IMPORTS (files of the repository; ask for more with get_dependencies and get_dependents)";

/// Most files of code for which the whole graph is made: every one of them is parsed for it.
const MAX_CODE_FILES: usize = 2_000;

/// Most characters of all lines.
const MAX_CHARS: usize = 700;

/// Most files of the request that have a line.
const MAX_FILES: usize = 3;

/// Most files that a line names.
const MAX_NAMED: usize = 4;

/// Adds the lines once: what the files of the context import and what imports them, the hubs and the entry points of
/// the repository. In a repository of more than 2,000 files of code, imports and the files that manifests name are there.
pub fn add_graph(context: &mut Context, index: &Index) {
    if context.texts.iter().any(|text| text.kind == TextKind::Graph) {
        return;
    }
    let paths = context.files.iter().map(|file| file.path.as_str());
    let files: Vec<FileId> = paths.filter_map(|path| index.find_path(path)).collect();
    let text = describe_graph(index, &files);
    if !text.is_empty() {
        context.add_text(TextKind::Graph, TITLE, text);
    }
}

/// Returns the lines, at most [`MAX_CHARS`] characters; empty if nothing imports anything and no program begins.
fn describe_graph(index: &Index, files: &[FileId]) -> String {
    let links = ResolvedImports::of(index);
    let is_code = |path: &str| FileRole::of_path(path) != FileRole::Other;
    let code = index.files().iter().filter(|file| is_code(&file.path)).count();
    let graph = (code <= MAX_CODE_FILES).then(|| Graph::of(&links));
    let last = describe_repository(&links, graph.as_ref());
    let mut text = String::new();
    let lines = files.iter().filter_map(|file| describe_file(&links, graph.as_ref(), *file));
    for line in lines.take(MAX_FILES) {
        if [&text, &line, &last].map(|part| part.chars().count()).iter().sum::<usize>() > MAX_CHARS
        {
            break;
        }
        text.push_str(&line);
    }
    text + &last
}

/// Returns the lines of the hubs and the entry points; without a graph, the entry points that manifests name.
fn describe_repository(links: &ResolvedImports<'_>, graph: Option<&Graph>) -> String {
    let index = links.index();
    let Some(graph) = graph else {
        let named = file_paths(index, &links.entry_files());
        return list_part("entry points: ", &named).map(|line| line + "\n").unwrap_or_default();
    };
    let describe_hub = |hub: FileId| {
        let path = &index.file(hub)?.path;
        Some(format!("{path} ({} files)", graph.dependents(hub).len()))
    };
    let hubs: Vec<String> = graph.hubs().into_iter().filter_map(describe_hub).collect();
    let entries = graph.entry_points(links).by_reason().map(|(_, files)| files).concat();
    let entries = file_paths(index, &entries);
    let lines = [list_part("imported most: ", &hubs), list_part("entry points: ", &entries)];
    lines.into_iter().flatten().map(|line| line + "\n").collect()
}

/// Returns the line of a file; `None` if it imports no file of the repository and none imports it.
fn describe_file(
    links: &ResolvedImports<'_>,
    graph: Option<&Graph>,
    file: FileId,
) -> Option<String> {
    let index = links.index();
    let mut imported: Vec<FileId> =
        links.imports_of(file).iter().flat_map(|link| link.target.files()).copied().collect();
    imported.retain(|target| *target != file);
    imported.sort_unstable();
    imported.dedup();
    let importers = graph.map_or(&[][..], |graph| graph.dependents(file));
    let parts = [
        list_part("imports ", &file_paths(index, &imported)),
        list_part("is imported by ", &file_paths(index, importers)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let path = &index.file(file)?.path;
    (!parts.is_empty()).then(|| format!("{path} {}\n", parts.join("; ")))
}

/// Returns at most [`MAX_NAMED`] names after a title, with the number of the others; `None` if there are none.
fn list_part<T: AsRef<str>>(title: &str, names: &[T]) -> Option<String> {
    let listed: Vec<&str> = names.iter().take(MAX_NAMED).map(T::as_ref).collect();
    let more = names.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!listed.is_empty()).then(|| format!("{title}{}{more}", listed.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_name_neighbours_hubs_and_entry_points_and_are_few() {
        let mut texts = vec![
            ("package.json".to_owned(), "{\"main\": \"src/main.js\"}".to_owned()),
            ("src/main.js".to_owned(), "import { p0 } from './p0.js';\n".to_owned()),
            ("src/money.js".to_owned(), "export const m = 1;\n".to_owned()),
        ];
        for number in 0..12 {
            let text = format!("import {{ m }} from './money.js';\nexport const p{number} = m;\n");
            texts.push((format!("src/p{number}.js"), text));
        }
        let texts: Vec<(&str, &str)> =
            texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let index = Index::of_texts(&texts);
        let files = ["src/money.js", "src/p0.js"].map(|path| index.find_path(path).unwrap());
        assert_eq!(
            describe_graph(&index, &files),
            "src/money.js is imported by src/p0.js, src/p1.js, src/p10.js, src/p11.js and 8 more\n\
             src/p0.js imports src/money.js; is imported by src/main.js\n\
             imported most: src/money.js (12 files)\n\
             entry points: src/main.js, src/p1.js, src/p10.js, src/p11.js and 8 more\n"
        );
        // Scripts that no manifest names begin programs, too, whether or not they import anything.
        let texts = [
            ("a.py", "import b\n"),
            ("b.py", "x = 1\n"),
            ("c/c.go", "package main\n\nfunc main() {}\n"),
        ];
        let index = Index::of_texts(&texts);
        assert_eq!(describe_graph(&index, &[]), "entry points: c/c.go, a.py\n");
        let index = Index::of_texts(&texts[2..]);
        assert_eq!(describe_graph(&index, &[FileId(0)]), "entry points: c/c.go\n");
        assert_eq!(describe_graph(&Index::of_texts(&[("a.py", "x = 1\n")]), &[FileId(0)]), "");
    }
}
