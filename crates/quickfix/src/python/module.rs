//! Modules that are not found, and names that modules do not have.

use std::ops::Range;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot};
use super::super::import_cycles;
use super::super::line_index::Unit;
use super::super::messages::Missing;
use super::super::packages::list_moved;
use super::declared::declared_packages;
use super::import::{WantedImport, add_import, dotted, module_path, top};
use super::message::PythonNameKind;
use super::name::{definers, refused, unclear};
use super::standard;
use super::statement::{PythonImport, read};
use papayu_base::text::spelling;
use papayu_lang::is_python_standard;

const UNREADABLE: &str = "the line is no import that can be rewritten";

/// Names a module that is not found: one of that name elsewhere in the repository, or one that differs by a
/// letter.
pub(super) fn fix_module(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    missing: &Missing<PythonNameKind>,
) -> RuleDecision {
    let Some(statement) = read(&spot.source, spot.line).filter(|it| !it.module.starts_with('.'))
    else {
        return RuleDecision::hint(UNREADABLE);
    };
    let name = missing.name.as_str();
    let is_named = statement.module == name || statement.module.starts_with(&format!("{name}."));
    if !is_named {
        return RuleDecision::hint(UNREADABLE);
    }
    let is_moved = |package: &str| {
        let mut moved = list_moved(context.tools, spot).into_iter();
        moved.any(|it| it.name.replace('-', "_") == top(package))
    };
    match name.rsplit_once('.') {
        // A package gives away the names of a module that it lost itself more often than not.
        Some((package, _))
            if statement.module == name && statement.is_from && is_moved(package) =>
        {
            spot.replace(statement.at, package)
        }
        Some((package, last)) => fix_misspelt_part(context, spot, &statement, package, last),
        None => fix_whole(context, spot, &statement, name),
    }
}

/// Corrects `import name`, where all uses of the name in the file change with it.
fn fix_whole(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    statement: &PythonImport,
    name: &str,
) -> RuleDecision {
    let Some(lookup) = context.tools.names else { return RuleDecision::hint(UNREADABLE) };
    let mut known = top_level_modules(context, spot);
    let declared = declared_packages(context.tools.tree, context.files());
    known.extend(declared.flat_map(|(_, names)| names));
    let standard = spot.source.all_words().filter(|word| is_python_standard(word));
    // Only names that the file uses: of all modules of the standard library some are near to any
    // word.
    let misspelt = spelling::find_only(name, standard.chain(known.iter().map(String::as_str)));
    let elsewhere = context.files().iter().filter(|path| {
        let is_module = module_path(path).is_some_and(|bare| bare.rsplit('/').next() == Some(name));
        is_module && !papayu_lang::is_test(path)
    });
    let (outside, own): (Vec<&String>, Vec<&String>) =
        elsewhere.partition(|path| import_cycles::is_outside(path, spot.path.as_str()));
    let mut elsewhere = own.into_iter();
    match (elsewhere.next(), elsewhere.next(), misspelt) {
        (None, _, _) if !outside.is_empty() => {
            let names: Vec<&str> = outside.iter().map(|path| path.as_str()).collect();
            RuleDecision::Hint(format!(
                "only {} bears the name, not for this file",
                names.join(", ")
            ))
        }
        (Some(target), None, None) if statement.module == name => {
            if let Some(why) = refused(lookup, spot, target) {
                return RuleDecision::Hint(why);
            }
            let module = dotted(lookup, context.files(), &spot.path, target);
            // The right name already, so the path of the interpreter is wrong, which no import can
            // change.
            match module.filter(|module| module != name) {
                Some(module) => moved(spot, statement, &module),
                None => RuleDecision::Hint(format!("{target} is where it is not looked for")),
            }
        }
        (None, _, Some(right)) => rename(spot, name, right),
        (Some(_), Some(_), _) => RuleDecision::hint("several modules bear the name"),
        _ => RuleDecision::hint("no module of the repository is clearly meant"),
    }
}

/// `from cart import …` and `import cart` of what is `shop.cart`.
fn moved(spot: &Spot, statement: &PythonImport, module: &str) -> RuleDecision {
    let edit = |range, text: String| spot.replace(range, text);
    if statement.is_from {
        return edit(statement.at.clone(), module.to_owned());
    }
    match module.rsplit_once('.') {
        Some((package, last)) => {
            let package = if package.is_empty() { "." } else { package };
            let Some(line) = spot.source.line(spot.line) else {
                return RuleDecision::hint(UNREADABLE);
            };
            let text = spot.source.text.get(line.clone()).unwrap_or_default();
            let start = line.start + text.len() - text.trim_start().len();
            spot.replace(start..statement.at.end, format!("from {package} import {last}"))
        }
        None => RuleDecision::hint(UNREADABLE),
    }
}

/// `shop.crt` of a package `shop` that has a `cart`.
fn fix_misspelt_part(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    statement: &PythonImport,
    package: &str,
    last: &str,
) -> RuleDecision {
    let folder = package.replace('.', "/");
    let mut folders = context.files().iter().filter_map(|path| {
        let found = path.strip_suffix("/__init__.py")?;
        (found == folder || found.ends_with(&format!("/{folder}"))).then_some(found)
    });
    // Two packages of one name: which of them the interpreter finds depends on its path.
    let (Some(folder), None) = (folders.next(), folders.next()) else {
        return RuleDecision::hint("the package is not the only one of its name");
    };
    let known = modules_in(context, folder);
    let Some(right) = spelling::find_only(last, known.iter().map(String::as_str)) else {
        return RuleDecision::hint("no module of the package is clearly meant");
    };
    let start = statement.at.start + package.len() + 1;
    let range = start..start + last.len();
    if statement.is_from && spot.source.text.get(range.clone()) == Some(last) {
        return spot.replace(range, right);
    }
    RuleDecision::hint(UNREADABLE)
}

/// Returns the modules and packages in the folders above a file, and in their `src`, which a file imports by
/// their bare names.
fn top_level_modules(context: &DiagnosticContext<'_>, spot: &Spot) -> Vec<String> {
    let mut folder = spot.path.as_str();
    let mut found = Vec::new();
    while !folder.is_empty() {
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        let source = if folder.is_empty() { "src".to_owned() } else { format!("{folder}/src") };
        found.extend(modules_in(context, folder));
        found.extend(modules_in(context, &source));
    }
    found.retain(|name| !papayu_lang::is_test(&format!("{name}.py")));
    found
}

/// Returns the names of the modules in a folder.
fn modules_in(context: &DiagnosticContext<'_>, folder: &str) -> Vec<String> {
    let inside = context.files().iter().filter_map(|path| {
        let rest =
            if folder.is_empty() { path } else { path.strip_prefix(folder)?.strip_prefix('/')? };
        let bare = module_path(rest)?;
        (!bare.contains('/') && bare != "__init__").then(|| bare.to_owned())
    });
    inside.collect()
}

/// Returns the fix that renames each use of a name in the file.
fn rename(spot: &Spot, wrong: &str, right: &str) -> RuleDecision {
    spot.replace_all(spot.source.word_places(wrong), right)
}

/// Fixes a name that a module does not have: in an import, or as the module's attribute.
pub(super) fn fix_member(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    missing: &Missing<PythonNameKind>,
) -> RuleDecision {
    let (source, name) = (&spot.source, missing.name.as_str());
    let target = file_of(context, missing.of.as_deref().unwrap_or_default());
    let outline = match (context.tools.names, &target) {
        (Some(lookup), Some(target)) => lookup.outline(target),
        _ => Vec::new(),
    };
    let of = missing.of.as_deref().unwrap_or_default();
    let mut known: Vec<&str> =
        outline.iter().filter(|it| it.parent.is_none()).map(|it| it.name.as_str()).collect();
    known.extend(standard::members(of).filter(|_| target.is_none()));
    let right = match missing.proposed.as_deref() {
        Some(right) => {
            Some(right).filter(|right| spelling::is_clear(name, right, known.iter().copied()))
        }
        None => spelling::find_only(name, known.iter().copied()),
    };
    let statement = read(source, spot.line).filter(|it| it.is_from);
    let elsewhere = context.tools.names.map(|it| definers(it, spot.path.as_str(), name));
    let (elsewhere, outside) = elsewhere.unwrap_or_default();
    match (statement, right, elsewhere.as_slice()) {
        (Some(_), None, []) if !outside.is_empty() => {
            let names = outside.join(", ");
            RuleDecision::Hint(format!("only {names} defines it, which is not for this file"))
        }
        // Found in the module under a similar name, and nowhere else.
        (Some(statement), Some(right), []) => misspelt(spot, &statement, name, right),
        // Found in one other module, under this very name.
        (Some(statement), None, [other]) => import_from(context, spot, &statement, name, other),
        (None, Some(right), _) => match source.find_word(spot.line, None, name, Unit::Char) {
            Some(range) => spot.replace(range, right),
            None => RuleDecision::hint("the line does not contain the name exactly once"),
        },
        (_, Some(right), [other, ..]) => {
            RuleDecision::Hint(format!("it is either `{right}` or the one of {other}"))
        }
        (_, _, several) if several.len() > 1 => {
            RuleDecision::Hint(format!("several modules define it: {}", several.join(", ")))
        }
        _ => RuleDecision::Hint(unclear(missing, known.iter().copied())),
    }
}

/// Returns the range of a name in a statement.
fn place_in(statement: &PythonImport, spot: &Spot, name: &str) -> Option<Range<usize>> {
    let words = spot.source.words_in(&statement.names);
    let at = words.iter().position(|(_, word)| *word == name)?;
    // `a as name` binds the name here; the module is not asked for it.
    (at == 0 || words.get(at - 1).is_none_or(|(_, before)| *before != "as"))
        .then(|| words.get(at).map(|(range, _)| range.clone()))?
}

/// Corrects a name that a `from` import takes, and its uses, unless an `as` keeps the name in the
/// file.
pub(super) fn misspelt(
    spot: &Spot,
    statement: &PythonImport,
    name: &str,
    right: &str,
) -> RuleDecision {
    let source = &spot.source;
    let Some(range) = place_in(statement, spot, name) else {
        return RuleDecision::hint(UNREADABLE);
    };
    let rest = source.text.get(range.end..).unwrap_or_default();
    let all = source.word_places(name);
    // With an `as`, or unused, the name occurs in the import only.
    if rest.trim_start().starts_with("as ") || all.len() == 1 {
        return spot.replace(range, right);
    }
    // Renamed uses would mean the other definition of the right name.
    if !source.word_places(right).is_empty() {
        return RuleDecision::Hint(format!("the file uses both `{name}` and `{right}`"));
    }
    rename(spot, name, right)
}

/// Takes the name from the module that defines it.
fn import_from(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    statement: &PythonImport,
    name: &str,
    other: &str,
) -> RuleDecision {
    let Some(lookup) = context.tools.names else { return RuleDecision::hint(UNREADABLE) };
    if let Some(why) = refused(lookup, spot, other) {
        return RuleDecision::Hint(why);
    }
    let module = dotted(lookup, context.files(), &spot.path, other);
    let Some(module) = module else { return RuleDecision::Hint(format!("{other} defines it")) };
    take_from(spot, statement, name, (&module, name))
}

/// Takes a name of a statement from another module, by the name that it has there.
pub(super) fn take_from(
    spot: &Spot,
    statement: &PythonImport,
    name: &str,
    right: (&str, &str),
) -> RuleDecision {
    let ((module, new), source) = (right, &spot.source);
    let words = source.words_in(&statement.names);
    let uses = source.word_places(name).into_iter().filter(|_| name != new);
    let is_elsewhere = |it: &Range<usize>| !statement.names.contains(&it.start);
    // The only name of its statement: the module changes.
    if words.len() == 1 && statement.first == statement.last {
        let uses = uses.map(|range| spot.edit(range, new));
        let moved = spot.edit(statement.at.clone(), module);
        return RuleDecision::Fix([moved].into_iter().chain(uses).collect());
    }
    let at = words.iter().position(|(_, word)| *word == name);
    let (Some(at), false) = (at, words.iter().any(|(_, word)| *word == "as")) else {
        return RuleDecision::hint(UNREADABLE);
    };
    let next = words.get(at + 1).map(|(range, _)| range.start);
    let before = at.checked_sub(1).and_then(|at| words.get(at)).map(|(range, _)| range.end);
    let Some((own, _)) = words.get(at) else { return RuleDecision::hint(UNREADABLE) };
    let range = match (next, before) {
        (Some(next), _) => own.start..next,
        (None, Some(before)) => before..own.end,
        (None, None) => return RuleDecision::hint(UNREADABLE),
    };
    let wanted = WantedImport::Name { module: module.to_owned(), name: new.to_owned() };
    let edits = [spot.edit(range, ""), add_import(&spot.path, source, &wanted)].into_iter();
    RuleDecision::Fix(edits.chain(uses.filter(is_elsewhere).map(|it| spot.edit(it, new))).collect())
}

/// Returns the one file of a module by its dotted name.
fn file_of(context: &DiagnosticContext<'_>, module: &str) -> Option<String> {
    let path = module.replace('.', "/");
    let names = [format!("{path}.py"), format!("{path}/__init__.py")];
    let mut found = context.files().iter().filter(|file| {
        names.iter().any(|name| {
            file.strip_suffix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    });
    found.next().filter(|_| found.next().is_none()).cloned()
}
