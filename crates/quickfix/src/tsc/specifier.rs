//! Writes the import of one more name, as the file and its neighbours write theirs.

use std::ops::Range;

use super::super::findings::TextEdit;
use super::super::known_names::KnownNames;
use super::super::line_index::LineIndex;
use super::super::module_path::{relative, stem};
use super::statement::{TypeScriptImport, statements};
use papayu_base::domain::RepoPath;

/// A name to take, and from where.
pub(super) struct WantedName<'w> {
    pub(super) name: &'w str,
    /// The file that gives it away.
    pub(super) target: &'w str,
    /// True if it does not exist at run time.
    pub(super) is_type: bool,
}

/// Returns the edit that takes the name; `None` where there is no way to spell the file.
pub(super) fn add_import(
    lookup: &KnownNames<'_>,
    path: &RepoPath,
    source: &LineIndex,
    wanted: &WantedName<'_>,
) -> Option<TextEdit> {
    let known = statements(source);
    let imports = lookup.imports(path.as_str());
    let leads = |statement: &&TypeScriptImport| {
        let module = statement.module(source);
        let import = imports.iter().find(|import| import.module == module);
        import.is_some_and(|import| import.targets.iter().any(|it| it == wanted.target))
    };
    let takes_types = imports.iter().any(|import| import.type_only)
        || lookup.importers(wanted.target).iter().any(|import| import.type_only);
    // Only a project that writes `import type` already gets one more: older compilers do not know
    // it.
    let as_type = wanted.is_type && takes_types;
    let fits = |statement: &&TypeScriptImport| {
        // `import {} from` is written for the module's effect, so nothing is added to it.
        let is_open = statement.braces.is_some() && !statement.named.is_empty();
        is_open && if as_type { statement.type_only } else { !statement.type_only }
    };
    if let Some(statement) = known.iter().filter(leads).find(fits) {
        let (range, text) = extended(source, statement, wanted.name)?;
        return Some(TextEdit { path: path.clone(), range, text });
    }
    let module = spelling(lookup, path.as_str(), wanted.target);
    let style = Style::of(source, as_type);
    let (range, text) =
        placed(source, &known, &style.written(wanted.name, &module), source.line_ending());
    Some(TextEdit { path: path.clone(), range, text })
}

/// Returns the insertion of a name between braces: in its order where the others are in order, else last.
fn extended(
    source: &LineIndex,
    statement: &TypeScriptImport,
    name: &str,
) -> Option<(Range<usize>, String)> {
    let text =
        |range: &Range<usize>| source.text.get(range.clone()).unwrap_or_default().to_lowercase();
    let names: Vec<String> = statement.named.iter().map(|it| text(&it.name)).collect();
    let lower = name.to_lowercase();
    let first = statement.named.first()?;
    let many_lines =
        source.line_number(statement.range.start) != source.line_number(first.range.start);
    let line = source.line(source.line_number(first.range.start))?;
    let indent = source.text.get(line.start..first.range.start).unwrap_or_default();
    let gap = if many_lines { format!("{}{indent}", source.line_ending()) } else { " ".to_owned() };
    // A single name is sorted by chance and shows no order.
    if names.is_sorted() && names.len() > 1 {
        let before = names.iter().position(|other| *other > lower);
        if let Some(next) = before.and_then(|at| statement.named.get(at)) {
            return Some((next.range.start..next.range.start, format!("{name},{gap}")));
        }
    }
    let end = statement.named.last()?.range.end;
    Some((end..end, format!(",{gap}{name}")))
}

/// Returns how the module is spelt from a file: as others spell it where none of them is relative, else
/// relative, with the ending that neighbours use.
pub(super) fn spelling(lookup: &KnownNames<'_>, from: &str, target: &str) -> String {
    let own = lookup.imports(from);
    if let Some(known) = own.iter().find(|it| it.targets.first().is_some_and(|it| it == target)) {
        return known.module.clone();
    }
    let others = lookup.importers(target);
    let is_relative = |module: &str| module.starts_with('.');
    let uses_relative = own.iter().any(|it| is_relative(&it.module));
    if let Some(first) = others.first()
        && !uses_relative
        && others.iter().all(|it| !is_relative(&it.module) && it.module == first.module)
    {
        return first.module.clone();
    }
    // No file shows another spelling, so a relative path it is, which always resolves.
    let bare = relative(from, stem(target));
    let ending = own.iter().chain(&others).find_map(|it| {
        let known = it.targets.first().filter(|_| is_relative(&it.module))?;
        let name = it.module.rsplit('/').next().unwrap_or_default();
        let file = known.rsplit('/').next().unwrap_or_default();
        let stem = stem(file);
        name.strip_prefix(stem).map(|rest| (rest.to_owned(), file.strip_prefix(stem) == Some(rest)))
    });
    let own_ending = target.strip_prefix(stem(target)).unwrap_or_default();
    match ending {
        Some((ending, _)) if ending.is_empty() => shortened(bare),
        Some((_, true)) => format!("{bare}{own_ending}"),
        // With `moduleResolution: nodenext` a specifier names the compiled file: `./a.js` for
        // `a.ts`.
        Some((_, false)) => format!("{bare}{}", built(own_ending)),
        None => shortened(bare),
    }
}

/// Shortens the path of an `index` file to its folder.
fn shortened(bare: String) -> String {
    match bare.strip_suffix("/index") {
        Some(folder) => folder.to_owned(),
        None => bare,
    }
}

/// Returns the ending of what the compiler makes of a file.
fn built(ending: &str) -> &str {
    match ending {
        ".mts" => ".mjs",
        ".cts" => ".cjs",
        ".ts" | ".tsx" | ".d.ts" => ".js",
        other => other,
    }
}

/// A file's style of import statements.
struct Style {
    quote: char,
    semicolon: bool,
    keyword: &'static str,
}

impl Style {
    /// Returns the style of the imports of a file; without imports that of its statements and
    /// quotes.
    fn of(source: &LineIndex, as_type: bool) -> Self {
        let imports = statements(source);
        let marks: Vec<&str> =
            imports.iter().filter_map(|it| source.text.get(it.module.end..it.range.end)).collect();
        let (quote, semicolon) = match marks.first() {
            Some(mark) => (mark.starts_with('"'), mark.ends_with(';')),
            None => (quotes(source, '"') > quotes(source, '\''), ends_statements(source)),
        };
        let keyword = if as_type { "import type" } else { "import" };
        Self { quote: if quote { '"' } else { '\'' }, semicolon, keyword }
    }

    /// Returns an import statement in this style.
    fn written(&self, name: &str, module: &str) -> String {
        let Self { quote, keyword, .. } = self;
        let end = if self.semicolon { ";" } else { "" };
        format!("{keyword} {{ {name} }} from {quote}{module}{quote}{end}")
    }
}

/// Counts the strings that begin with a quote where one can; the apostrophe of a word is none.
fn quotes(source: &LineIndex, quote: char) -> usize {
    let code = (1..=source.line_count()).map(|number| source.line_text(number).trim_start());
    let code = code.filter(|text| !text.starts_with("//") && !text.starts_with('*'));
    let opens = |text: &str, at: usize| {
        text.get(..at).is_some_and(|before| before.ends_with([' ', '(', '[', ',', '{', ':']))
    };
    code.map(|text| text.match_indices(quote).filter(|(at, _)| opens(text, *at)).count()).sum()
}

/// Returns whether a file ends its statements with semicolons; also true if it shows neither style, as
/// formatters do by default.
fn ends_statements(source: &LineIndex) -> bool {
    let mut is_bare = false;
    for number in 1..=source.line_count() {
        let text = source.line_text(number);
        let text = text.split_once(" //").map_or(text, |(code, _)| code).trim();
        if text.ends_with(';') {
            return true;
        }
        let is_comment = ["//", "/*", "*"].iter().any(|mark| text.starts_with(mark));
        let ends = text.ends_with(|c: char| c.is_alphanumeric() || ")]'\"`_".contains(c));
        is_bare |= ends && !is_comment;
    }
    !is_bare
}

/// Puts a statement behind the last import, or at the head of the file's code.
fn placed(
    source: &LineIndex,
    known: &[TypeScriptImport],
    line: &str,
    ending: &str,
) -> (Range<usize>, String) {
    if let Some(last) = known.last() {
        let at = last.range.end;
        return (at..at, format!("{ending}{line}"));
    }
    let mut number = 1;
    let mut in_comment = false;
    while number <= source.line_count() {
        let text = source.line_text(number).trim();
        // A comment at the very top is a licence, and stays first.
        let opens = text.starts_with("/*") && number == 1;
        let is_head = text.starts_with("#!")
            // `// @ts-check` and the like must come before all code.
            || text.starts_with("//") && number < 3
            // Directives such as `'use client'` must precede the imports.
            || text.starts_with("'use ")
            || text.starts_with("\"use ");
        if !(in_comment || opens || is_head) {
            break;
        }
        in_comment = (in_comment || opens) && !text.contains("*/");
        number += 1;
    }
    let at = source.line(number).map_or(0, |line| line.start);
    let gap = if source.line_text(number).trim().is_empty() { "" } else { ending };
    (at..at, format!("{line}{ending}{gap}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_imports_shows_by_its_statements_how_it_writes() {
        for (text, expected) in [
            ("export const a = () => b('x');", "import { n } from './m';"),
            ("export const a = b(\"x\"); // it's done\n", "import { n } from \"./m\";"),
            ("// the user's\n// it's 'so'\nconst a = b(\"x\")\n", "import { n } from \"./m\""),
            ("export const a = b()\r\n", "import { n } from './m'"),
            ("export function f() {}\n", "import { n } from './m';"),
            ("import { a } from \"./a\"\nf(';');\n", "import { n } from \"./m\""),
        ] {
            let source = LineIndex::new("a.ts", text.to_owned());
            assert_eq!(Style::of(&source, false).written("n", "./m"), expected, "{text}");
        }
    }
}
