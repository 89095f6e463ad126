//! Reads which name or module was not found, and leads it to the rule for its sort.

use std::sync::LazyLock;

use super::super::diagnostic_context::{DiagnosticContext, Spot, Verdict, count_errors};
use super::super::findings::Findings;
use super::super::module_path;
use super::super::tool_context::{NoResult, ToolContext};
use super::{import, name};
use crate::domain::{Failure, Location};
use crate::text::{Pattern, group};

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Name,
    Member,
    Module,
    /// A module with an absolute path, imported from a file that the message names.
    Imported,
    /// A name that a module does not export.
    Export,
    /// A module of Node.js itself.
    Builtin,
}

const FORMS: [(Sort, &str); 6] = [
    (Sort::Name, r"ReferenceError: (?P<name>[\w$]+) is not defined"),
    (Sort::Member, r"TypeError: \S.*\.(?P<name>[\w$]+) is not a (?:function|constructor)"),
    (Sort::Imported, r"Cannot find module '(?P<name>/[^']+)' imported from '?(?P<from>/[^'\s]+)"),
    (Sort::Module, r"Cannot find module '(?P<name>\.[^']*)'"),
    (Sort::Builtin, r"No such built-in module: node:(?P<name>\w+)"),
    (
        Sort::Export,
        r"SyntaxError: The requested module '(?P<from>[^']+)' does not provide an export named '(?P<name>[\w$]+)'",
    ),
];

static PATTERNS: LazyLock<Vec<(Sort, Pattern)>> =
    LazyLock::new(|| FORMS.iter().map(|(sort, form)| (*sort, Pattern::new(form))).collect());

/// An error, with its parts.
#[derive(Debug, PartialEq, Eq)]
struct Missing<'m> {
    sort: Sort,
    name: &'m str,
    from: Option<&'m str>,
}

/// Returns the fixes for names and modules that were not found.
pub(in crate::quickfix) fn find_fixes(tools: &ToolContext<'_>) -> Result<Findings, NoResult> {
    let failures = tools.report.failures.iter().filter(|failure| failure.toolchain == "node");
    let missing: Vec<_> =
        failures.filter_map(|failure| Some((failure, read(&failure.message)?))).collect();
    if missing.is_empty() {
        return Err(NoResult::Unconcerned);
    }
    let mut context = DiagnosticContext::new(tools);
    for (failure, missing) in &missing {
        let Some(at) = place(&context, failure, missing) else { continue };
        context.judge("node", failure, &at, |context, spot| apply_rule(context, spot, missing));
    }
    Ok(context.into_findings(count_errors("node", missing.len())))
}

/// Returns the parts of a message of a known form.
fn read(message: &str) -> Option<Missing<'_>> {
    message.lines().find_map(|line| {
        PATTERNS.iter().find_map(|(sort, pattern)| {
            let found = pattern.captures(line)?;
            let name = group(&found, "name")?;
            Some(Missing { sort: *sort, name, from: group(&found, "from") })
        })
    })
}

/// Returns the file that imports, or else the innermost frame inside the repository.
fn place(
    context: &DiagnosticContext<'_>,
    failure: &Failure,
    missing: &Missing<'_>,
) -> Option<Location> {
    if let (Sort::Imported, Some(from)) = (missing.sort, missing.from) {
        return Some(Location { path: from.to_owned(), line: None, column: None });
    }
    let is_own = |at: &&Location| context.find_file(&at.path).is_some();
    // A place with a line shows the use; a file alone is the last choice.
    let with_line = failure.locations.iter().filter(|at| at.line.is_some()).find(is_own);
    with_line.or_else(|| failure.locations.iter().find(is_own)).cloned()
}

/// Returns the verdict of the rule for the kind of an error.
fn apply_rule(context: &DiagnosticContext<'_>, spot: &Spot, missing: &Missing<'_>) -> Verdict {
    match missing.sort {
        Sort::Name => name::fix_name(context, spot, missing.name),
        Sort::Member => name::fix_member(context, spot, missing.name),
        Sort::Builtin => import::fix_builtin(spot, missing.name),
        Sort::Module => module_path::fix_specifier(context, spot, missing.name),
        Sort::Imported => {
            let root = context.tools.tree.root();
            let path = std::path::Path::new(missing.name).strip_prefix(root).ok();
            let specifier = path
                .and_then(|path| path.to_str())
                .and_then(|path| module_path::specifier_of(spot, path));
            match specifier {
                Some(specifier) => module_path::fix_specifier(context, spot, &specifier),
                None => Verdict::hint("the file does not contain the path"),
            }
        }
        Sort::Export => {
            name::fix_export(context, spot, missing.name, missing.from.unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_says_what_is_missing() {
        assert!(PATTERNS.iter().all(|(_, pattern)| pattern.is_valid()));
        for (message, sort, name, from) in [
            ("ReferenceError: slugfy is not defined", Sort::Name, "slugfy", None),
            ("TypeError: s.slugfy is not a function", Sort::Member, "slugfy", None),
            ("TypeError: a.b.Crt is not a constructor", Sort::Member, "Crt", None),
            ("Error: Cannot find module './slg'", Sort::Module, "./slg", None),
            (
                "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/r/slg.mjs' imported from /r/a.mjs",
                Sort::Imported,
                "/r/slg.mjs",
                Some("/r/a.mjs"),
            ),
            (
                "SyntaxError: The requested module './a.mjs' does not provide an export named 'totl'",
                Sort::Export,
                "totl",
                Some("./a.mjs"),
            ),
        ] {
            assert_eq!(read(message), Some(Missing { sort, name, from }), "{message}");
        }
        for other in ["", "Error: Cannot find module 'leftpad'", "TypeError: x is not a function"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
