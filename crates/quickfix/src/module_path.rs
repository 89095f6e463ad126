//! Corrects relative paths of JavaScript and TypeScript modules that are not found.

use std::path::Path;

use super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot};
use papayu_base::text::join_path;
use papayu_base::text::spelling;

/// The endings of modules; the path of an import may have one or none.
const ENDINGS: [&str; 9] = [".d.ts", ".tsx", ".mts", ".cts", ".ts", ".jsx", ".mjs", ".cjs", ".js"];

/// Writes the name of the one file of the folder that differs by a letter.
pub(super) fn fix_specifier(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    specifier: &str,
) -> RuleDecision {
    let hint = |why: &str| RuleDecision::hint(why);
    if !specifier.starts_with('.') {
        return hint("it is a package; declare it and install the packages");
    }
    let Some(path) = resolve(spot.path.as_str(), specifier) else {
        return hint("the path leads out of the repository");
    };
    let (folder, wrong) = path.rsplit_once('/').unwrap_or(("", &path));
    let wrong = stem(wrong);
    let files = context.files().iter().filter(|file| !papayu_lang::is_test(file));
    let siblings = files.filter_map(|file| {
        let (at, name) = file.rsplit_once('/').unwrap_or(("", file));
        (at == folder && stem(name) != name).then(|| stem(name))
    });
    let Some(right) = spelling::find_only(wrong, siblings) else {
        return hint("no module of the folder is clearly meant");
    };
    let source = &spot.source;
    // With its quotes, so that `./cart` is not found in `./cart-item`.
    let written = |quote: char| format!("{quote}{specifier}{quote}");
    let mut edits = Vec::new();
    for quoted in [written('\''), written('"')] {
        for (at, _) in source.text.match_indices(&quoted) {
            let last = specifier.rfind('/').map_or(0, |slash| slash + 1);
            let start = at + 1 + last;
            let range = start..start + wrong.len();
            if source.text.get(range.clone()) == Some(wrong) {
                edits.push(spot.edit(range, right));
            }
        }
    }
    if edits.is_empty() {
        hint("the file does not contain the path")
    } else {
        RuleDecision::Fix(edits)
    }
}

/// Does the same for the absolute path of a missing module.
pub(super) fn fix_absolute(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    path: &str,
) -> RuleDecision {
    let below = Path::new(path).strip_prefix(context.tools.tree.root()).ok();
    match below.and_then(Path::to_str).and_then(|below| specifier_of(spot, below)) {
        Some(specifier) => fix_specifier(context, spot, &specifier),
        None => RuleDecision::hint("the file does not contain the path"),
    }
}

/// Returns the relative path in a file that leads to this path of the repository. `None` if no string of the
/// file is one.
fn specifier_of(spot: &Spot, missing: &str) -> Option<String> {
    let quoted = spot.source.text.split(['\'', '"']).skip(1);
    let mut relative = quoted.filter(|text| text.starts_with('.') && !text.contains('\n'));
    let found = relative.find(|text| resolve(spot.path.as_str(), text).as_deref() == Some(missing));
    found.map(str::to_owned)
}

/// Returns the path of the repository that a relative path in a file leads to.
fn resolve(from: &str, specifier: &str) -> Option<String> {
    let (folder, _) = from.rsplit_once('/').unwrap_or(("", from));
    join_path(folder, specifier)
}

/// Returns the relative path by which a file imports the file at a path.
pub(super) fn relative(from: &str, path: &str) -> String {
    let folders: Vec<&str> = from.split('/').collect();
    let folders = folders.split_last().map_or(&[][..], |(_, folders)| folders);
    let parts: Vec<&str> = path.split('/').collect();
    let same = folders.iter().zip(&parts).take_while(|(one, other)| one == other).count();
    let same = same.min(parts.len() - 1);
    let above = "../".repeat(folders.len() - same);
    let start = if above.is_empty() { "./" } else { &above };
    format!("{start}{}", parts.get(same..).unwrap_or_default().join("/"))
}

/// Returns a path without an ending that specifiers leave out.
pub(super) fn stem(name: &str) -> &str {
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_is_resolved_from_its_file() {
        for (from, specifier, expected) in [
            ("src/app.js", "./money", Some("src/money")),
            ("src/app.js", "../lib/money.js", Some("lib/money.js")),
            ("app.js", "./money", Some("money")),
            ("app.js", "../money", None),
        ] {
            assert_eq!(resolve(from, specifier).as_deref(), expected, "{from} {specifier}");
        }
        assert_eq!(stem("money.d.ts"), "money");
        assert_eq!(stem("money"), "money");
    }

    #[test]
    fn a_file_is_named_from_the_folder_of_another() {
        for (from, target, expected) in [
            ("a.ts", "b.ts", "./b"),
            ("src/a.ts", "src/b.tsx", "./b"),
            ("src/a/b.ts", "src/c.ts", "../c"),
            ("src/a.ts", "lib/x/c.d.ts", "../lib/x/c"),
            ("src/a/b.ts", "src/a/b/index.ts", "./b/index"),
        ] {
            assert_eq!(relative(from, stem(target)), expected, "{from} {target}");
        }
    }
}
