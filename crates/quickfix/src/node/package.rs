//! Packages that give away their parts in another way than the file takes them.

use std::collections::BTreeSet;
use std::path::Path;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot};
use super::super::packages::{find_node_package, read_beginning, read_notes};
use papayu_base::text::{Pattern, group};
use papayu_index::language;
use papayu_lang::Language;

/// `const a = require('b')`, `import a from 'b'` and `import * as a from 'b'`.
static WHOLE: Pattern = Pattern::new(
    r#"(?m)^(?:(?P<required>const|let|var)\s+(?P<name>[\w$]+)\s*=\s*require\(|import\s+(?:\*\s*as\s+)?(?P<imported>[\w$]+)\s+from\s+)['"](?P<module>[^'".][^'"]*)['"]\)?"#,
);

/// The names that a text takes from a module: `const { a } = require('b')`, `import { a } from 'b'`.
static NAMED: Pattern = Pattern::new(
    r#"(?:(?:const|let|var|import)\s*\{(?P<names>[^}]*)\}\s*(?:=\s*require\(|from\s*))['"](?P<module>[^'"]+)['"]"#,
);

/// Takes by its name what the file takes as the whole of a package, as the package's description does.
pub(super) fn fix_default(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    name: &str,
) -> RuleDecision {
    let text = &spot.source.text;
    let mut statements = WHOLE.captures_iter(text);
    let statement =
        statements.find(|it| group(it, "name").or_else(|| group(it, "imported")) == Some(name));
    let Some((statement, module)) = statement.and_then(|it| {
        let module = group(&it, "module")?.to_owned();
        Some((it, module))
    }) else {
        return RuleDecision::hint("the name is not that of a package");
    };
    let Some(folder) = find_node_package(context, spot, &module) else {
        return RuleDecision::hint("the package is not installed");
    };
    let notes = read_notes(context, &folder);
    let described = NAMED.captures_iter(&notes).filter(|it| group(it, "module") == Some(&module));
    let lists = described.filter_map(|it| group(&it, "names"));
    let known: BTreeSet<&str> = lists.flat_map(|names| names.split(',')).map(str::trim).collect();
    let declared = declared_exports(context, &folder);
    let declared: BTreeSet<&str> = declared.iter().map(String::as_str).collect();
    let Some(right) = choose_export(&known, name).or_else(|| choose_export(&declared, name)) else {
        return RuleDecision::hint("the package's description takes no such name from it");
    };
    let kind = group(&statement, "required");
    let written = match (kind, right == name) {
        (Some(kind), true) => format!("{kind} {{ {name} }} = require('{module}')"),
        (Some(kind), false) => format!("{kind} {{ {right}: {name} }} = require('{module}')"),
        (None, true) => format!("import {{ {name} }} from '{module}'"),
        (None, false) => format!("import {{ {right} as {name} }} from '{module}'"),
    };
    let place = statement.get(0).map_or(0..0, |it| it.range());
    // The quotes of the file stay.
    let is_double = text.get(place.clone()).is_some_and(|it| it.contains('"'));
    let written = if is_double { written.replace('\'', "\"") } else { written };
    spot.replace(place, written)
}

/// Returns the name that a file means by its own name for a whole package: the same, or the only one that contains it.
fn choose_export<'n>(known: &BTreeSet<&'n str>, name: &str) -> Option<&'n str> {
    let mut like = known.iter().filter(|it| it.to_lowercase().contains(&name.to_lowercase()));
    let only = like.next().filter(|_| like.next().is_none());
    known.get(name).or(only).copied()
}

/// Returns the names that the declarations of a package export.
fn declared_exports(context: &DiagnosticContext<'_>, folder: &Path) -> Vec<String> {
    let read = |path: &Path| read_beginning(context.tools.system.disk, path).ok();
    let manifest = read(&folder.join("package.json")).and_then(|it| serde_json::from_str(&it).ok());
    let manifest: serde_json::Value = manifest.unwrap_or_default();
    let types = manifest.get("types").or_else(|| manifest.get("typings"));
    let path = types.and_then(serde_json::Value::as_str).unwrap_or("index.d.ts");
    let text = read(&folder.join(path)).unwrap_or_default();
    let facts = language::parse(Language::TypeScript, &text).facts;
    facts.exports.into_iter().map(|export| export.name.into()).collect()
}

/// Takes the file of a package of which the name differs in case, `_` and `-` only, as in `date-fns/add_days`.
pub(super) fn fix_file(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    name: &str,
    package: &str,
) -> RuleDecision {
    let Some(folder) = find_node_package(context, spot, package) else {
        return RuleDecision::hint("the package is not installed");
    };
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let entries = context.tools.system.disk.list(&folder).unwrap_or_default();
    let stems = entries.iter().filter_map(|path| path.file_stem()?.to_str());
    let mut alike: Vec<&str> =
        stems.filter(|stem| plain(stem) == plain(name) && *stem != name).collect();
    alike.dedup();
    let [only] = alike.as_slice() else {
        return RuleDecision::hint("the package has no file of which the name is clearly meant");
    };
    let written = format!("{package}/{name}");
    let found = spot.source.text.match_indices(&written);
    let places: Vec<_> = found.map(|(at, _)| at..at + written.len()).collect();
    if places.is_empty() {
        return RuleDecision::hint("the file does not contain the module");
    }
    spot.replace_all(places, &format!("{package}/{only}"))
}
