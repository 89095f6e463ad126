//! Packages that give away their parts in another way than the file takes them.

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot};
use super::super::packages::{find_node_package, read_notes};
use papayu_base::text::{Pattern, group};

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
    let mut known: Vec<&str> = lists.flat_map(|names| names.split(',')).map(str::trim).collect();
    known.sort_unstable();
    known.dedup();
    let is_like = |it: &&&str| it.to_lowercase().contains(&name.to_lowercase());
    let mut like = known.iter().filter(is_like);
    let right = match (known.contains(&name), like.next(), like.next()) {
        (true, _, _) => name,
        (false, Some(only), None) => only,
        _ => return RuleDecision::hint("the package's description takes no such name from it"),
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
