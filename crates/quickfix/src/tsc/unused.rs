//! Imports that nothing uses.

use std::collections::HashSet;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision};
use super::super::import_cycles;
use super::super::known_names::KnownNames;
use super::case::CompilerCase;
use super::statement::{TypeScriptImport, around};
use papayu_base::domain::RepoPath;

/// Removes the import; `None` if an error of the import itself has to be fixed first.
pub(super) fn remove_unused(
    context: &mut DiagnosticContext<'_>,
    case: &CompilerCase<'_>,
    broken: &HashSet<(RepoPath, String)>,
) -> Option<RuleDecision> {
    let (path, source) = (&case.spot.path, &case.spot.source);
    let Some(statement) = around(source, case.at) else {
        let why = "what is not used may be missing where it should be used".to_owned();
        return Some(RuleDecision::Hint(why));
    };
    let is_broken = statement.named.iter().any(|it| {
        let name = source.text.get(it.name.clone()).unwrap_or_default();
        broken.contains(&(path.clone(), name.to_owned()))
    });
    if is_broken {
        return None;
    }
    let Some(range) = removed(case, &statement) else {
        let why = "the statement is not of a form that can be rewritten".to_owned();
        return Some(RuleDecision::Hint(why));
    };
    // Removing one of several names keeps the module loaded.
    let is_whole = range.start <= statement.range.start && statement.range.end <= range.end;
    let module = statement.module(source);
    if is_whole
        && !statement.type_only
        && let Some(why) = find_lost_effect(context, path, module)
    {
        return Some(RuleDecision::Hint(why));
    }
    Some(case.spot.replace(range, ""))
}

/// Returns the text that goes with the unused name: the statement, one name with its comma, or the
/// default import.
fn removed(
    case: &CompilerCase<'_>,
    statement: &TypeScriptImport,
) -> Option<std::ops::Range<usize>> {
    let source = &case.spot.source;
    // The compiler points at the statement where all of it is meant.
    if case.at == statement.range.start {
        return Some(statement.lines(source));
    }
    if let Some(at) = statement.named.iter().position(|it| it.range.contains(&case.at)) {
        return statement.without(source, at);
    }
    let default = statement.default.clone().filter(|default| default.start == case.at)?;
    let rest = statement.braces.as_ref().or(statement.all.as_ref())?;
    Some(default.start..rest.start)
}

/// Returns the side effect that would be lost with an import of values that no code uses. By default the
/// compiler removes such imports itself; a setting keeps them. `None` if nothing would be lost, or there is no
/// index.
pub(crate) fn find_lost_effect(
    context: &mut DiagnosticContext<'_>,
    path: &RepoPath,
    module: &str,
) -> Option<String> {
    let lookup = context.tools.names?;
    let imports = lookup.imports(path.as_str());
    let leads = imports.iter().find(|import| import.module == module);
    let targets = leads.map(|import| import.targets.clone()).unwrap_or_default();
    let is_kept = is_kept(lookup, path);
    if targets.is_empty() {
        return is_kept
            .then(|| format!("\"{module}\" is loaded for the import, and may do something"));
    }
    let does = |context: &mut DiagnosticContext<'_>, target: &str| {
        let source = RepoPath::parse(target).ok().and_then(|target| context.read(&target).ok());
        // One that cannot be read may do anything.
        source.is_none_or(|source| does_something(&source.text, is_kept))
    };
    let found = targets.iter().any(|target| {
        if is_kept {
            takes_packages(lookup, target)
                || import_cycles::any_import(lookup, target, |it| does(context, it))
        } else {
            does(context, target)
        }
    });
    found.then(|| format!("\"{module}\" does something when it is loaded"))
}

/// Returns whether a module, directly or not, loads modules from outside the repository.
fn takes_packages(lookup: &KnownNames<'_>, target: &str) -> bool {
    import_cycles::any_import(lookup, target, |path| {
        let mut imports = lookup.imports(path).into_iter().filter(|import| !import.type_only);
        imports.any(|import| import.targets.is_empty())
    })
}

/// Returns whether unused imports are kept in the output: by a setting, perhaps in a file that cannot be read,
/// or because the file is not TypeScript.
fn is_kept(lookup: &KnownNames<'_>, path: &RepoPath) -> bool {
    const SETTINGS: [&str; 4] =
        ["verbatimModuleSyntax", "importsNotUsedAsValues", "preserveValueImports", "\"extends\""];
    let is_script = [".ts", ".tsx", ".mts", ".cts"].iter().any(|it| path.as_str().ends_with(it));
    let settings = lookup.manifest(path.as_str(), "tsconfig.json");
    let text = settings.map(|(_, text)| text).unwrap_or_default();
    !is_script || SETTINGS.iter().any(|setting| text.contains(setting))
}

/// Returns whether a module has statements that run when it is loaded. If imports are kept (`strictly`),
/// computed values count too.
fn does_something(text: &str, strictly: bool) -> bool {
    const DECLARES: [&str; 14] = [
        "abstract ", "async ", "class ", "const ", "declare ", "enum ", "export ", "function ",
        "function*", "import ", "interface ", "let ", "namespace ", "type ",
    ];
    const CLOSES: [&str; 7] = ["}", ")", "]", "/", "*", "'use ", "\"use "];
    let has_value = |line: &str| {
        let value = ["const ", "let ", "var ", "default "].iter().any(|word| line.contains(word));
        (value && line.contains(['(', '`'])) || line.contains("class ") || line.contains("enum ")
    };
    let outer = text.lines().filter(|line| !line.is_empty() && !line.starts_with([' ', '\t']));
    let mut outer = outer.map(str::trim_end);
    outer.any(|line| {
        let is_known = DECLARES.iter().chain(&CLOSES).any(|word| line.starts_with(word));
        let is_var = line.starts_with("var ");
        !(is_known || is_var) || (strictly && has_value(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_only_declares_does_nothing_when_it_is_loaded() {
        for (text, loosely, strictly) in [
            ("register();\nexport type T = 1;\n", true, true),
            ("if (a) {\n  b();\n}\n", true, true),
            ("@Register()\nexport class A {}\n", true, true),
            ("export const a = make();\n", false, true),
            ("export const a = 1;\n", false, false),
            ("/**\n * T\n */\nexport interface T {\n  a: number;\n}\n", false, false),
            ("export function f() {\n  g();\n}\n", false, false),
            ("", false, false),
        ] {
            assert_eq!(does_something(text, false), loosely, "{text}");
            assert_eq!(does_something(text, true), strictly, "{text}");
        }
    }
}
