//! Imports of what the module does not give away: misspelt, under another form, kept to itself, or elsewhere.

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision};
use super::super::findings::TextEdit;
use super::super::known_names::{KnownDefinition, KnownNames};
use super::super::line_index::LineIndex;
use super::case::CompilerCase;
use super::missing::{circle, exporters, no_exporter};
use super::rename;
use super::specifier::{WantedName, add_import, spelling};
use super::statement::{TypeScriptImport, around, statements};
use papayu_base::domain::RepoPath;
use papayu_base::text::Pattern;
use papayu_base::text::spelling;

/// Errors of a named import.
pub(super) const CODES: [&str; 5] = ["TS2305", "TS2614", "TS2459", "TS2460", "TS2724"];

static WANTED: Pattern =
    Pattern::new(r"(?:has no exported member|has no exported member named|declares) '([\w$]+)'");

static EXPORTED_AS: Pattern = Pattern::new(r"but it is exported as '([\w$]+)'");

const ELSEWHERE: &str = "the statement is not of a form that can be rewritten";

/// Returns the name that the import asks for. `None` for a message of another form.
pub(super) fn wanted(message: &str) -> Option<&str> {
    Some(WANTED.captures(message)?.get(1)?.as_str())
}

/// Fixes the import, or returns the reason why not.
pub(super) fn fix_import(
    context: &mut DiagnosticContext<'_>,
    case: &CompilerCase<'_>,
) -> RuleDecision {
    let source = &case.spot.source;
    let (Some(statement), Some(lookup)) = (around(source, case.at), context.tools.names) else {
        return if case.code == 2724 {
            rename::replace_word(case)
        } else {
            RuleDecision::hint(ELSEWHERE)
        };
    };
    let module = statement.module(source);
    let imports = lookup.imports(case.spot.path.as_str());
    let import = imports.iter().find(|import| import.module == module);
    // A module with several files, or none, cannot be edited with certainty.
    let target = match import.map(|import| import.targets.as_slice()) {
        Some([target]) => target.clone(),
        Some([]) if case.code == 2724 && case.is_of_moved => return rename::replace_word(case),
        _ => return RuleDecision::hint("the module is not one of the repository's"),
    };
    if matches!(case.code, 2613 | 1192) {
        return default_to_named(lookup, case, &statement, &target);
    }
    let Some(name) = wanted(case.message) else { return RuleDecision::hint(ELSEWHERE) };
    let Some(at) = statement.named.iter().position(|it| it.name.start == case.at) else {
        return RuleDecision::hint(ELSEWHERE);
    };
    match case.code {
        // 2724: the compiler proposes an export of the module.
        2724 => rename_import(lookup, case, &statement, at, &target),
        // 2460: the module exports it under another name.
        2460 => import_as(case, &statement, at, name),
        _ if lookup.exported_as(&target, "default").as_deref() == Some(name) => {
            named_to_default(case, &statement, name)
        }
        _ => {
            let part = ImportPart { statement: &statement, at };
            export_or_move(context, case, part, name, &target)
        }
    }
}

/// One name of an import statement.
#[derive(Clone, Copy)]
struct ImportPart<'s> {
    statement: &'s TypeScriptImport,
    /// Its place among the names between the braces.
    at: usize,
}

/// Renames the import and, where the file goes by the misspelling, its uses.
fn rename_import(
    lookup: &KnownNames<'_>,
    case: &CompilerCase<'_>,
    statement: &TypeScriptImport,
    at: usize,
    target: &str,
) -> RuleDecision {
    let source = &case.spot.source;
    let names = (rename::wrong(case.message), rename::proposed(case.message));
    let ((Some(wrong), Some(right)), Some(specifier)) = (names, statement.named.get(at)) else {
        return RuleDecision::hint(ELSEWHERE);
    };
    let outline: Vec<KnownDefinition> = lookup.outline(target);
    let given = outline.iter().filter(|it| it.exported && it.parent.is_none());
    if !spelling::is_clear(wrong, right, given.map(|it| it.name.as_str())) {
        return RuleDecision::Hint(format!("`{right}` need not be what `{wrong}` means"));
    }
    if specifier.has_alias {
        return case.spot.replace(specifier.name.clone(), right);
    }
    let uses = source.word_places(wrong);
    if uses.len() > 1 && !source.word_places(right).is_empty() {
        return RuleDecision::Hint(format!("the file uses both `{wrong}` and `{right}`"));
    }
    RuleDecision::Fix(uses.into_iter().map(|range| case.spot.edit(range, right)).collect())
}

/// `total` is exported as `sum`: takes `sum as total`.
fn import_as(
    case: &CompilerCase<'_>,
    statement: &TypeScriptImport,
    at: usize,
    name: &str,
) -> RuleDecision {
    let right = EXPORTED_AS.captures(case.message).and_then(|found| found.get(1));
    let (Some(right), Some(specifier)) = (right, statement.named.get(at)) else {
        return RuleDecision::hint(ELSEWHERE);
    };
    let right = right.as_str();
    let text = if specifier.has_alias { right.to_owned() } else { format!("{right} as {name}") };
    case.spot.replace(specifier.name.clone(), text)
}

/// Changes `import { total }` of a module with the default export `total`.
fn named_to_default(
    case: &CompilerCase<'_>,
    statement: &TypeScriptImport,
    name: &str,
) -> RuleDecision {
    match (&statement.braces, &statement.default, statement.named.as_slice()) {
        (Some(braces), None, [only]) if !only.has_alias => case.spot.replace(braces.clone(), name),
        _ => RuleDecision::hint(ELSEWHERE),
    }
}

/// `import total` of a module that gives `total` away by name and has no default.
fn default_to_named(
    lookup: &KnownNames<'_>,
    case: &CompilerCase<'_>,
    statement: &TypeScriptImport,
    target: &str,
) -> RuleDecision {
    let Some(default) = statement.default.clone() else {
        return RuleDecision::hint(ELSEWHERE);
    };
    let name = case.spot.source.text.get(default.clone()).unwrap_or_default();
    let exports = lookup.exporters(name).iter().any(|path| path == target);
    if !exports || statement.braces.is_some() || statement.all.is_some() {
        return RuleDecision::hint("the module does not export that name either");
    }
    case.spot.replace(default, format!("{{ {name} }}"))
}

/// The module defines the name and keeps it, or another one gives it away.
fn export_or_move(
    context: &mut DiagnosticContext<'_>,
    case: &CompilerCase<'_>,
    part: ImportPart<'_>,
    name: &str,
    target: &str,
) -> RuleDecision {
    let Some(lookup) = context.tools.names else { return RuleDecision::hint(ELSEWHERE) };
    let outline = lookup.outline(target);
    let mut own = outline.iter().filter(|it| it.name == name && it.parent.is_none());
    match (own.next(), own.next()) {
        (Some(definition), None) => give_away(context, definition),
        (Some(_), Some(_)) => RuleDecision::Hint(format!("{target} defines it more than once")),
        (None, _) => match exporters(lookup, &case.spot.path, name).as_slice() {
            [] => RuleDecision::Hint(no_exporter(lookup, &case.spot.path, name)),
            [other] => import_from(lookup, case, part, name, other),
            several => {
                RuleDecision::Hint(format!("several modules export it: {}", several.join(", ")))
            }
        },
    }
}

/// Writes `export` before a definition.
fn give_away(context: &mut DiagnosticContext<'_>, definition: &KnownDefinition) -> RuleDecision {
    const HEADS: [&str; 9] = [
        "function ", "async function ", "class ", "abstract class ", "const ", "let ",
        "interface ", "type ", "enum ",
    ];
    let Ok(path) = RepoPath::parse(&definition.path) else {
        return RuleDecision::hint(ELSEWHERE);
    };
    let source = match context.read(&path) {
        Ok(source) => source,
        Err(why) => return RuleDecision::Hint(format!("{path} defines it, and {why}")),
    };
    if is_kept_in(&source, definition.line) {
        let line = definition.line;
        return RuleDecision::Hint(format!(
            "{path}:{line} defines it, and keeps it to itself by a mark"
        ));
    }
    let text = source.line_text(definition.line);
    let is_found = source.only_in_line(definition.line, &definition.name).is_some();
    match source
        .line(definition.line)
        .filter(|_| is_found && HEADS.iter().any(|it| text.starts_with(it)))
    {
        Some(line) => {
            let range = line.start..line.start;
            RuleDecision::Fix(vec![TextEdit { path, range, text: "export ".to_owned() }])
        }
        None => RuleDecision::Hint(format!(
            "{path}:{} defines it and does not export it",
            definition.line
        )),
    }
}

/// Returns whether the comment above a definition marks it as internal.
fn is_kept_in(source: &LineIndex, line: u32) -> bool {
    let above = (1..line).rev().map(|number| source.line_text(number).trim());
    let is_comment = |text: &&str| {
        ["//", "/*", "*", "@"].iter().any(|mark| text.starts_with(mark)) || text.ends_with("*/")
    };
    let mut comment = above.take_while(is_comment);
    comment.any(|text| text.contains("@internal") || text.contains("@private"))
}

/// Takes the name from the module that has it.
fn import_from(
    lookup: &KnownNames<'_>,
    case: &CompilerCase<'_>,
    part: ImportPart<'_>,
    name: &str,
    other: &str,
) -> RuleDecision {
    let ImportPart { statement, at } = part;
    let (path, source) = (&case.spot.path, &case.spot.source);
    let Some(specifier) = statement.named.get(at) else {
        return RuleDecision::hint(ELSEWHERE);
    };
    let is_type = lookup.outline(other).iter().any(|it| it.name == name && it.is_type);
    let wanted = WantedName { name, target: other, is_type };
    if let Some(why) = circle(lookup, path, &wanted) {
        return RuleDecision::Hint(why);
    }
    let spelt = spelling(lookup, path.as_str(), other);
    let is_known = statements(source).iter().any(|it| it.module(source) == spelt);
    if !is_known && statement.named.len() == 1 && statement.default.is_none() {
        return case.spot.replace(statement.module.clone(), spelt);
    }
    let added = add_import(lookup, path, source, &wanted).filter(|_| !specifier.has_alias);
    match (statement.without(source, at), added) {
        (Some(range), Some(added)) => RuleDecision::Fix(vec![case.spot.edit(range, ""), added]),
        _ => RuleDecision::Hint(format!("{other} exports it")),
    }
}

/// Takes a type as a type, where the compiler insists.
pub(super) fn type_only(case: &CompilerCase<'_>) -> RuleDecision {
    let statement = around(&case.spot.source, case.at);
    let found =
        statement.as_ref().and_then(|it| it.named.iter().find(|it| it.name.start == case.at));
    match found {
        Some(specifier) => case.spot.replace(specifier.name.start..specifier.name.start, "type "),
        None => RuleDecision::hint(ELSEWHERE),
    }
}
