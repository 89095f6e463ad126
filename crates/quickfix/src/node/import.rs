//! Adds and corrects what a JavaScript file requires or imports.

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, has_ending};
use super::super::findings::TextEdit;
use super::super::misspelling;
use super::super::module_path::relative;
use papayu_base::text::spelling;
use papayu_base::text::{Pattern, group};

/// Modules of Node.js that are usually bound to a variable of their own name.
const BUILTIN: [&str; 15] = [
    "assert", "crypto", "events", "fs", "http", "https", "net", "os", "path", "readline", "stream",
    "url", "util", "vm", "zlib",
];

/// `const { a, b } = require('./x');` and `import { a, b } from './x.mjs';`
static STATEMENT: Pattern = Pattern::new(
    r#"^(?:(?:const|let|var)\s*\{(?P<names>[^}]*)\}\s*=\s*require\(|import\s*\{(?P<imported>[^}]*)\}\s*from\s*)['"](?P<module>[^'"]+)['"]"#,
);

/// `require('a/b')` and `import c from 'a/b'`
static SUBPATH: Pattern = Pattern::new(
    r#"(?:require\(|import\s+(?P<bound>[\w$]+)\s+from\s+)['"](?P<module>[^'"]+)['"]\)?"#,
);

/// An import of names on one line.
struct NodeImport {
    line: u32,
    module: String,
    /// The names, `as` and `:` with them.
    names: String,
}

/// Returns whether a name is that of a module of Node.js.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTIN.contains(&name)
}

/// Requires or imports a module of Node.js under its own name.
pub(super) fn add_builtin(spot: &Spot, name: &str) -> RuleDecision {
    let prefix = if spot.source.text.contains("'node:") || spot.source.text.contains("\"node:") {
        "node:"
    } else {
        ""
    };
    let module = format!("{prefix}{name}");
    let line = if is_esm(spot) {
        format!("import {name} from {};", quote(spot, &module))
    } else {
        format!("const {name} = require({});", quote(spot, &module))
    };
    RuleDecision::Fix(vec![insert_statement(spot, &line)])
}

/// Takes from the package itself what the file takes from a file of it, under the name of that file: the command shows whether
/// the package has it.
pub(super) fn fix_subpath(spot: &Spot, name: &str, package: &str) -> RuleDecision {
    let module = quote(spot, package);
    let edits = SUBPATH.captures_iter(&spot.source.text).filter_map(|found| {
        let file = group(&found, "module")?.strip_prefix(package)?.strip_prefix('/')?;
        let written = match group(&found, "bound") {
            Some(bound) if bound == name => format!("import {{ {name} }} from {module}"),
            Some(bound) => format!("import {{ {name} as {bound} }} from {module}"),
            None => format!("require({module}).{name}"),
        };
        let is_own = file.strip_suffix(".js").unwrap_or(file) == name;
        is_own.then(|| spot.edit(found.get(0).map_or(0..0, |it| it.range()), written))
    });
    let edits: Vec<TextEdit> = edits.collect();
    if edits.is_empty() {
        return RuleDecision::hint("the file takes it from the package in another form");
    }
    RuleDecision::Fix(edits)
}

/// Corrects the name of a module of Node.js.
pub(super) fn fix_builtin(spot: &Spot, name: &str) -> RuleDecision {
    let Some(right) = spelling::find_only(name, BUILTIN.into_iter()) else {
        return RuleDecision::hint("no module of Node.js is clearly meant");
    };
    let written = format!("node:{name}");
    let found = spot.source.text.match_indices(&written);
    let places: Vec<_> = found.map(|(at, _)| at..at + written.len()).collect();
    if places.is_empty() {
        return RuleDecision::hint("the file does not contain the module");
    }
    spot.replace_all(places, &format!("node:{right}"))
}

/// Takes a name from the one file that exports it: in the import of that file, or in a new one.
pub(super) fn add_name(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    name: &str,
    target: &str,
) -> RuleDecision {
    let Some(lookup) = context.tools.names else {
        return RuleDecision::Hint(format!("{target} exports it; its import may be missing"));
    };
    let imports = lookup.imports(spot.path.as_str());
    let leads_there = |module: &str| {
        let mut same = imports.iter().filter(|import| import.module == module);
        same.any(|import| import.targets.iter().any(|path| path == target))
    };
    let found = read_statements(spot).into_iter().find(|it| leads_there(&it.module));
    let Some(statement) = found else {
        // Modules of ECMAScript are named with their ending.
        let bare = target.strip_suffix(".js").filter(|_| !is_esm(spot)).unwrap_or(target);
        let module = quote(spot, &relative(spot.path.as_str(), bare));
        let line = if is_esm(spot) {
            format!("import {{ {name} }} from {module};")
        } else {
            format!("const {{ {name} }} = require({module});")
        };
        return RuleDecision::Fix(vec![insert_statement(spot, &line)]);
    };
    let exported = |word: &str| lookup.exporters(word).iter().any(|path| path == target);
    let names: Vec<&str> = statement.names.split(',').map(str::trim).collect();
    let wrong = names.iter().find(|it| {
        spelling::count_letters(it, name).is_some_and(|letters| letters <= 1) && !exported(it)
    });
    if let Some(wrong) = wrong {
        let spot = Spot {
            line: statement.line,
            column: None,
            path: spot.path.clone(),
            source: spot.source.clone(),
        };
        return misspelling::replace(&spot, wrong, name);
    }
    let start = spot.source.line_start(statement.line);
    let text = spot.source.line_text(statement.line);
    let Some(at) = text.find(&statement.names) else {
        return RuleDecision::Hint(format!("{target} exports it; its import may be missing"));
    };
    let end = start + at + statement.names.trim_end().len();
    let added = format!(", {name}");
    spot.replace(end..end, added)
}

/// Returns the imports of names that are on one line each.
fn read_statements(spot: &Spot) -> Vec<NodeImport> {
    let lines = 1..=spot.source.line_count();
    let read = |line| {
        let found = STATEMENT.captures(spot.source.line_text(line))?;
        let names = group(&found, "names").or_else(|| group(&found, "imported"))?;
        let module = group(&found, "module")?.to_owned();
        Some(NodeImport { line, module, names: names.to_owned() })
    };
    lines.filter_map(read).filter(|it| !it.names.trim().is_empty()).collect()
}

/// Returns whether a file has `import` statements, or the ending of a module.
fn is_esm(spot: &Spot) -> bool {
    has_ending(spot.path.as_str(), "mjs")
        || spot
            .source
            .text
            .lines()
            .any(|line| line.starts_with("import ") || line.starts_with("export "))
}

/// Returns a module name in the quotes that the file uses.
fn quote(spot: &Spot, module: &str) -> String {
    let text = &spot.source.text;
    let mark = if text.matches('"').count() > text.matches('\'').count() { '"' } else { '\'' };
    format!("{mark}{module}{mark}")
}

/// Returns the edit that puts a statement below the file's last import, or above its code.
fn insert_statement(spot: &Spot, line: &str) -> TextEdit {
    let source = &spot.source;
    let lines = || 1..=source.line_count();
    let is_import = |number: &u32| {
        let text = source.line_text(*number);
        text.starts_with("import ") || (text.contains("= require(") && !text.starts_with(' '))
    };
    if let Some(last) = lines().rfind(is_import) {
        return spot.insert_line(last + 1, line);
    }
    let is_head = |number: &u32| {
        let text = source.line_text(*number);
        text.starts_with("#!")
            || text.starts_with("'use strict'")
            || text.starts_with("\"use strict\"")
    };
    let head = lines().rfind(is_head).unwrap_or(0);
    let end = source.line_ending();
    let is_blank = source.line_text(head + 1).is_empty();
    spot.insert_line(head + 1, &if is_blank { line.to_owned() } else { format!("{line}{end}") })
}
