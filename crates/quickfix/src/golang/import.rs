//! Adds and removes imports in the layout of gofmt.

use std::ops::Range;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, has_ending};
use super::super::import_cycles;
use super::super::line_index::LineIndex;
use super::super::misspelling;
use papayu_base::domain::RepoPath;
use papayu_index::go_package_name;

/// The imports of a file.
struct Imports {
    /// Lines of single `import "x"`.
    single: Vec<u32>,
    /// First and last line of `import ( … )`.
    block: Option<(u32, u32)>,
    /// The line of the package clause.
    package: u32,
}

/// Returns the places of the import declarations; `None` for a file without a package clause.
fn imports(source: &LineIndex) -> Option<Imports> {
    let mut found = Imports { single: Vec::new(), block: None, package: 0 };
    let mut open = None;
    for number in 1..=source.line_count() {
        let text = source.line_text(number);
        let start = source.line(number)?.start;
        match (open, source.word_at(start)) {
            // gofmt puts the parenthesis that closes a block into the first column.
            (Some(first), _) if text.starts_with(')') => {
                found.block.get_or_insert((first, number));
                open = None;
            }
            (None, Some("package")) => found.package = number,
            (None, Some("import")) if text.trim_end().ends_with('(') => open = Some(number),
            (None, Some("import")) => found.single.push(number),
            // Imports precede all other declarations (Go specification, Source file organization).
            (None, Some("func" | "type" | "var" | "const")) => break,
            _ => {}
        }
    }
    (found.package > 0).then_some(found)
}

/// Returns the path in an import line: `"os"`, `r "math/rand"`, `import "os"`.
fn path_of(line: &str) -> Option<&str> {
    let (_, rest) = line.split('`').next()?.split_once('"')?;
    Some(rest.split_once('"')?.0)
}

/// Returns the name by which a file uses the package of an import line.
fn name_of(line: &str) -> Option<&str> {
    let path = path_of(line)?;
    let before = line.split('"').next()?.trim();
    let alias = before.strip_prefix("import").unwrap_or(before).trim();
    Some(if alias.is_empty() { go_package_name(path) } else { alias })
}

/// Returns the numbers of all lines with an import path.
fn lines(source: &LineIndex) -> Vec<u32> {
    let Some(imports) = imports(source) else { return Vec::new() };
    let block = imports.block.map_or(0..0, |(first, last)| first + 1..last);
    imports.single.into_iter().chain(block).collect()
}

/// Returns the path of the package that a file uses by a name; `None` if no import has the
/// name.
pub(super) fn imported(source: &LineIndex, name: &str) -> Option<String> {
    let lines = lines(source);
    let found =
        lines.iter().map(|number| source.line_text(*number)).find(|it| name_of(it) == Some(name));
    found.and_then(path_of).map(str::to_owned)
}

/// Returns the insertion of an import, a range of bytes and its text: in sorted order, in the group of the
/// block that has paths of its kind. `None` for a file with a head of another form.
pub(super) fn add_import(source: &LineIndex, path: &str) -> Option<(Range<usize>, String)> {
    let imports = imports(source)?;
    let end = source.line_ending();
    let start = |number: u32| source.line_start(number);
    if let Some((first, last)) = imports.block {
        let number = find_place(source, first, last, path);
        let at = start(number);
        return Some((at..at, format!("\t\"{path}\"{end}")));
    }
    let (number, text) = match imports.single.as_slice() {
        // Without imports it goes below the package clause, with a blank line between.
        [] => (imports.package + 1, format!("{end}import \"{path}\"{end}")),
        // cgo reads the comment above this import, and only if the import is not in a block.
        [only] if path_of(source.line_text(*only)) == Some("C") => {
            (only + 1, format!("import \"{path}\"{end}"))
        }
        [only] => {
            let line = source.line_text(*only);
            let spec = line.strip_prefix("import")?.trim();
            let range = start(*only)..start(*only) + line.len();
            let mut specs = [spec.to_owned(), format!("\"{path}\"")];
            specs.sort_by(|one, other| path_of(one).cmp(&path_of(other)));
            let apart = is_remote(path) != is_remote(path_of(spec)?);
            if apart {
                specs.sort_by_key(|spec| path_of(spec).is_some_and(is_remote));
            }
            let gap = if apart { end } else { "" };
            let [one, other] = specs;
            return Some((range, format!("import ({end}\t{one}{end}{gap}\t{other}{end})")));
        }
        many => (many.last()? + 1, format!("import \"{path}\"{end}")),
    };
    let at = start(number);
    Some((at..at, text))
}

/// Returns `true` for a path outside the standard library, which has a dot in its first part
/// (`go help importpath`).
fn is_remote(path: &str) -> bool {
    path.split('/').next().is_some_and(|first| first.contains('.'))
}

/// Returns the line of a block before which a path is inserted.
fn find_place(source: &LineIndex, first: u32, last: u32, path: &str) -> u32 {
    let paths: Vec<(u32, &str)> =
        (first + 1..last).filter_map(|it| Some((it, path_of(source.line_text(it))?))).collect();
    let like: Vec<&(u32, &str)> =
        paths.iter().filter(|(_, known)| is_remote(known) == is_remote(path)).collect();
    // gofmt sorts by path within a group; goimports separates the standard library from the rest.
    if let Some((number, _)) = like.iter().find(|(_, known)| *known > path) {
        return *number;
    }
    match like.last() {
        Some((number, _)) => number + 1,
        None if is_remote(path) => last,
        None => first + 1,
    }
}

/// Folders of packages that the product does not import.
const OUTSIDE_PRODUCT: [&str; 11] = [
    "e2e", "example", "examples", "fixtures", "mocks", "scripts", "testdata", "testing",
    "testutil", "testutils", "tests",
];

/// Returns `true` if a package is one for tests (`testing`, `httptest`, `testutil`), which the
/// product does not import.
pub(super) fn is_for_tests(path: &str) -> bool {
    path.split('/').any(|part| OUTSIDE_PRODUCT.contains(&part) || part.ends_with("test"))
}

/// Returns `true` if a file is a test, or is in a folder that tests share.
pub(super) fn is_of_tests(path: &RepoPath) -> bool {
    let folder = path.parent();
    papayu_lang::is_test(path.as_str())
        || folder.is_some_and(|folder| is_for_tests(folder.as_str()))
}

/// Packages of the standard library that are imported for their side effects.
const DOING: [&str; 7] =
    ["embed", "expvar", "image/gif", "image/jpeg", "image/png", "net/http/pprof", "time/tzdata"];

/// Returns the side effect that would be lost with an unused import; `None` if there is none.
fn lost(context: &mut DiagnosticContext<'_>, spot: &Spot, path: &str) -> Option<String> {
    if DOING.contains(&path) {
        return Some(format!("\"{path}\" may be wanted for what it does when it is loaded"));
    }
    let folder = folder(context, &spot.path, path)?;
    let lookup = context.tools.names?;
    let files: Vec<String> = go_files(context, &folder).cloned().collect();
    let mut begins = |path: &str| {
        let source = RepoPath::parse(path).ok().and_then(|path| context.read(&path).ok());
        // A file that cannot be read may contain anything.
        source.is_none_or(|source| source.text.lines().any(|line| line.starts_with("func init()")))
    };
    // Importing a package runs the `init` functions of all packages below it (Go specification, Program
    // initialization).
    let does = files.iter().any(|file| import_cycles::any_import(lookup, file, &mut begins));
    does.then(|| "the package, or one that it takes, has an `init` that would not run".to_owned())
}

/// Removes the import that the compiler points at.
pub(super) fn remove_import(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    path: &str,
) -> RuleDecision {
    if let Some(why) = lost(context, spot, path) {
        return RuleDecision::Hint(why);
    }
    let source = &spot.source;
    let text = source.line_text(spot.line);
    let is_alone =
        !text.contains("/*") && !text.contains(';') && lines(source).contains(&spot.line);
    if path_of(text) != Some(path) || !is_alone {
        return RuleDecision::hint("the import is not where the compiler points");
    }
    let range = removed(source, spot.line);
    spot.replace(range, "")
}

/// Returns the lines that an import takes with it: the whole block if it is the only one, and
/// one of two blank lines that would meet.
fn removed(source: &LineIndex, line: u32) -> Range<usize> {
    let block = imports(source).and_then(|it| it.block).filter(|(a, b)| (*a..*b).contains(&line));
    let is_blank = |number: u32| source.line_text(number).trim().is_empty();
    let is_only = |(first, last): &(u32, u32)| {
        (first + 1..*last).all(|number| number == line || is_blank(number))
    };
    // The parentheses go with the only import between them.
    let (mut first, mut last) = match block {
        Some(block) if is_only(&block) => block,
        _ => (line, line),
    };
    let opens = block.is_some_and(|(open, _)| first == open + 1);
    let closes = block.is_some_and(|(_, close)| last + 1 == close);
    let before = first > 1 && is_blank(first - 1);
    if is_blank(last + 1) && last < source.line_count() && (before || opens) {
        last += 1;
    } else if before && closes {
        first -= 1;
    }
    let start = source.line(first).map_or(0, |line| line.start);
    start..source.line(last).map_or(source.text.len(), |line| line.end)
}

/// Returns the Go files of a folder, without tests.
pub(super) fn go_files<'g>(
    context: &'g DiagnosticContext<'_>,
    folder: &str,
) -> impl Iterator<Item = &'g String> {
    context.files().iter().filter(move |path| {
        let (at, name) = path.rsplit_once('/').unwrap_or(("", path));
        at == folder && has_ending(name, "go") && !name.ends_with("_test.go")
    })
}

/// Corrects the path of an import that leads to no package: to one of the repository or the standard library that
/// differs by a letter, or to one of the repository that is named without its module or with another one, if the file uses
/// its name.
pub(super) fn fix_path(context: &DiagnosticContext<'_>, spot: &Spot, path: &str) -> RuleDecision {
    let own = all_own_packages(context, spot.path.as_str());
    let source = &spot.source;
    let is_used = |known: &&str| {
        let name = go_package_name(known);
        source
            .word_places(name)
            .into_iter()
            .any(|at| source.text.get(at.end..).is_some_and(|rest| rest.starts_with('.')))
    };
    let near = |known: &&str| misspelling::count_letters_in_part(path, known, '/') == Some(1);
    let module = own_module(context, spot.path.as_str()).map(|(_, module)| module);
    let module = module.unwrap_or_default();
    let misplaced = |known: &&str| is_same_package(path, known, &module);
    let all = own.iter().map(String::as_str);
    let found = all.clone().filter(|known| near(known) || misplaced(known));
    let standard = super::standard::all_paths().into_iter().filter(near);
    let found: Vec<&str> = found.chain(standard).filter(is_used).collect();
    let written = format!("\"{path}\"");
    match (found.as_slice(), source.line_text(spot.line).find(&written)) {
        ([right], Some(at)) => {
            let start = source.line_start(spot.line) + at + 1;
            let range = start..start + path.len();
            spot.replace(range, *right)
        }
        _ if is_remote(path) => RuleDecision::Hint(format!(
            "no package of the repository is clearly meant; if it is one of a module, run `go get {path}`"
        )),
        _ => RuleDecision::hint("no package of the repository or of Go is clearly meant"),
    }
}

/// Returns `true` if a path that leads nowhere ends as that of a package of the module: without the module's path, or with
/// that of a module of the same name, such as a fork or another major version.
fn is_same_package(path: &str, own: &str, module: &str) -> bool {
    if !is_remote(path) {
        return own.strip_suffix(path).is_some_and(|rest| rest.ends_with('/'));
    }
    let is_version =
        |part: &str| part.strip_prefix('v').is_some_and(|it| it.parse::<u32>().is_ok());
    let name = module.rsplit('/').find(|part| !is_version(part)).unwrap_or_default();
    let inside = own.strip_prefix(module).unwrap_or_default();
    !inside.is_empty() && path.ends_with(&format!("/{name}{inside}"))
}

/// Returns the import paths of the packages of a file's own module that have a name.
pub(super) fn own_packages(
    context: &mut DiagnosticContext<'_>,
    from: &str,
    name: &str,
) -> Vec<String> {
    let mut packages = all_own_packages(context, from);
    packages.retain(|path| go_package_name(path) == name);
    packages
}

/// Returns the import paths of all packages of a file's own module, without its own package.
fn all_own_packages(context: &DiagnosticContext<'_>, from: &str) -> Vec<String> {
    let Some((root, module)) = own_module(context, from) else { return Vec::new() };
    let own = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut folders: Vec<&str> = context
        .files()
        .iter()
        .filter(|path| has_ending(path, "go") && !path.ends_with("_test.go"))
        .filter_map(|path| path.rsplit_once('/'))
        .map(|(folder, _)| folder)
        .collect();
    folders.dedup();
    // Files are sorted by path, so a folder with subfolders occurs more than once; the first `dedup` only
    // shortens the list.
    folders.sort_unstable();
    folders.dedup();
    let inside = folders.into_iter().filter_map(|folder| {
        let rest =
            if root.is_empty() { folder } else { folder.strip_prefix(&root)?.strip_prefix('/')? };
        (folder != own).then(|| format!("{module}/{rest}"))
    });
    inside.collect()
}

/// Returns the folder of a package of a file's own module; `None` for a package of another
/// module.
pub(super) fn folder(
    context: &DiagnosticContext<'_>,
    from: &RepoPath,
    path: &str,
) -> Option<String> {
    let (root, module) = own_module(context, from.as_str())?;
    let rest = path.strip_prefix(&module)?;
    let rest = rest.strip_prefix('/').or_else(|| rest.is_empty().then_some(""))?;
    let parts = [root.as_str(), rest];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Some(parts.join("/"))
}

/// Returns the folder and the path of the module that a file is in.
fn own_module(context: &DiagnosticContext<'_>, from: &str) -> Option<(String, String)> {
    let (root, text) = context.tools.names?.manifest(from, "go.mod")?;
    Some((root, module_name(&text)?))
}

/// Returns the path after `module` in a `go.mod`; it may be quoted and followed by a comment.
fn module_name(manifest: &str) -> Option<String> {
    let line = manifest.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    let name = line.split("//").next().unwrap_or_default().trim().trim_matches('"');
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str, path: &str) -> String {
        let source = LineIndex::new("a.go", text.to_owned());
        let (range, new) = add_import(&source, path).unwrap();
        let mut text = text.to_owned();
        text.replace_range(range, &new);
        text
    }

    fn without(text: &str, line: u32) -> String {
        let source = LineIndex::new("a.go", text.to_owned());
        let mut text = text.to_owned();
        text.replace_range(removed(&source, line), "");
        text
    }

    #[test]
    fn an_import_is_put_where_gofmt_has_it() {
        for (text, path, expected) in [
            ("package a\n\nfunc f() {}\n", "os", "package a\n\nimport \"os\"\n\nfunc f() {}\n"),
            (
                "package a\n\nimport \"io\"\n",
                "os",
                "package a\n\nimport (\n\t\"io\"\n\t\"os\"\n)\n",
            ),
            (
                "package a\n\n// #define X 1\nimport \"C\"\n",
                "os",
                "package a\n\n// #define X 1\nimport \"C\"\nimport \"os\"\n",
            ),
            (
                "package a\n\nimport \"x.io/y\"\n",
                "os",
                "package a\n\nimport (\n\t\"os\"\n\n\t\"x.io/y\"\n)\n",
            ),
            (
                "package a\n\nimport (\n\t\"io\"\n\n\t\"x.io/y\"\n)\n",
                "os",
                "package a\n\nimport (\n\t\"io\"\n\t\"os\"\n\n\t\"x.io/y\"\n)\n",
            ),
            (
                "package a\n\nimport (\n\t\"os\"\n)\n",
                "io",
                "package a\n\nimport (\n\t\"io\"\n\t\"os\"\n)\n",
            ),
        ] {
            assert_eq!(with(text, path), expected);
        }
    }

    #[test]
    fn an_import_goes_with_what_stood_for_it_alone() {
        for (text, line, expected) in [
            ("package a\n\nimport \"os\"\n\nfunc f() {}\n", 3, "package a\n\nfunc f() {}\n"),
            (
                "package a\n\nimport (\n\t\"os\"\n)\n\nfunc f() {}\n",
                4,
                "package a\n\nfunc f() {}\n",
            ),
            (
                "package a\n\nimport (\n\t\"io\"\n\t\"os\"\n)\n",
                5,
                "package a\n\nimport (\n\t\"io\"\n)\n",
            ),
            (
                "package a\n\nimport (\n\t\"io\"\n\n\t\"x.io/y\"\n)\n",
                4,
                "package a\n\nimport (\n\t\"x.io/y\"\n)\n",
            ),
            (
                "package a\n\nimport (\n\t\"io\"\n\n\t\"x.io/y\"\n)\n",
                6,
                "package a\n\nimport (\n\t\"io\"\n)\n",
            ),
        ] {
            assert_eq!(without(text, line), expected);
        }
    }

    #[test]
    fn a_package_of_the_module_is_known_by_the_end_of_its_path() {
        for (path, own, module, expected) in [
            ("cart", "x.io/shop/cart", "x.io/shop", true),
            ("shop/cart", "x.io/shop/cart", "x.io/shop", true),
            ("internal/cart", "x.io/shop/internal/cart", "x.io/shop", true),
            ("art", "x.io/shop/cart", "x.io/shop", false),
            ("y.io/fork/shop/cart", "x.io/shop/cart", "x.io/shop", true),
            ("x.io/shop/cart", "x.io/shop/v2/cart", "x.io/shop/v2", true),
            ("y.io/store/cart", "x.io/shop/cart", "x.io/shop", false),
            ("y.io/cart", "x.io/shop/cart", "x.io/shop", false),
        ] {
            assert_eq!(is_same_package(path, own, module), expected, "{path}");
        }
    }

    #[test]
    fn packages_for_tests_are_told_by_their_folders() {
        for (path, expected) in [
            ("testing", true),
            ("net/http/httptest", true),
            ("x.io/shop/internal/testutil", true),
            ("x.io/shop/store_test", true),
            ("go/doc", false),
            ("x.io/shop/testament", false),
        ] {
            assert_eq!(is_for_tests(path), expected, "{path}");
        }
    }
}
