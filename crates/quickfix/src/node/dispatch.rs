//! Reads which name or module was not found, and leads it to the rule for its sort.

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, count_errors};
use super::super::findings::ToolFindings;
use super::super::messages::{Form, Missing, form, read_message};
use super::super::module_path;
use super::super::tool_context::{NoResult, ToolContext};
use super::{import, name, package};
use papayu_base::domain::{Failure, Location};

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeErrorKind {
    Name,
    Member,
    Module,
    /// A module with an absolute path, imported from a file that the message names.
    Imported,
    /// A name that a module does not export.
    Export,
    /// A file of a package that it does not give away any more.
    Subpath,
    /// A file that a package does not have.
    File,
    /// A package that is no function and no class any more.
    Default,
    /// A module of Node.js itself.
    Builtin,
}

static FORMS: [Form<NodeErrorKind>; 9] = [
    form(NodeErrorKind::Name, r"ReferenceError: (?P<name>[\w$]+) is not defined"),
    form(
        NodeErrorKind::Member,
        r"TypeError: \S.*\.(?P<name>[\w$]+) is not a (?:function|constructor)",
    ),
    form(
        NodeErrorKind::Default,
        r"TypeError: (?P<name>[A-Za-z_$][\w$]*) is not a (?:function|constructor)$",
    ),
    form(
        NodeErrorKind::File,
        r"Cannot find module '(?P<of>@[\w.-]+/[\w.-]+|[\w-][\w.-]*)/(?P<name>[\w$-]+)'",
    ),
    form(
        NodeErrorKind::Imported,
        r"Cannot find module '(?P<name>/[^']+)' imported from '?(?P<of>/[^'\s]+)",
    ),
    form(NodeErrorKind::Module, r"Cannot find module '(?P<name>\.[^']*)'"),
    form(NodeErrorKind::Builtin, r"No such built-in module: node:(?P<name>\w+)"),
    form(
        NodeErrorKind::Export,
        r"SyntaxError: The requested module '(?P<of>[^']+)' does not provide an export named '(?P<name>[\w$]+)'",
    ),
    form(
        NodeErrorKind::Subpath,
        r#"Package subpath '\./(?P<name>[\w$]+)(?:\.js)?' is not defined by "exports" in \S*node_modules/(?P<of>(?:@[^/\s]+/)?[^/\s]+)/package\.json"#,
    ),
];

/// Returns the fixes for names and modules that were not found.
///
/// Fails with [`NoResult::Unconcerned`] if no failure is about such a name.
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
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

/// Returns the parts of the first line of a known form.
fn read(message: &str) -> Option<Missing<NodeErrorKind>> {
    message.lines().find_map(|line| read_message(&FORMS, line))
}

/// Returns the file that imports, or else the innermost frame inside the repository.
fn place(
    context: &DiagnosticContext<'_>,
    failure: &Failure,
    missing: &Missing<NodeErrorKind>,
) -> Option<Location> {
    if let (NodeErrorKind::Imported, Some(from)) = (missing.sort, &missing.of) {
        return Some(Location { path: from.clone(), line: None, column: None });
    }
    let is_own = |at: &&Location| context.find_file(&at.path).is_some();
    // A place with a line shows the use; a file alone is the last choice.
    let with_line = failure.locations.iter().filter(|at| at.line.is_some()).find(is_own);
    with_line.or_else(|| failure.locations.iter().find(is_own)).cloned()
}

/// Returns the verdict of the rule for the kind of an error.
fn apply_rule(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    missing: &Missing<NodeErrorKind>,
) -> RuleDecision {
    let name = missing.name.as_str();
    match missing.sort {
        NodeErrorKind::Name => name::fix_name(context, spot, name),
        NodeErrorKind::Member => name::fix_member(context, spot, name),
        NodeErrorKind::Builtin => import::fix_builtin(spot, name),
        NodeErrorKind::Module => module_path::fix_specifier(context, spot, name),
        NodeErrorKind::Imported => module_path::fix_absolute(context, spot, name),
        NodeErrorKind::Subpath => {
            import::fix_subpath(spot, name, missing.of.as_deref().unwrap_or_default())
        }
        NodeErrorKind::Default => package::fix_default(context, spot, name),
        NodeErrorKind::File => {
            package::fix_file(context, spot, name, missing.of.as_deref().unwrap_or_default())
        }
        NodeErrorKind::Export => {
            name::fix_export(context, spot, name, missing.of.as_deref().unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::messages::are_valid;
    use super::*;

    #[test]
    fn every_form_says_what_is_missing() {
        assert!(are_valid(&FORMS));
        for (message, sort, name, from) in [
            ("ReferenceError: slugfy is not defined", NodeErrorKind::Name, "slugfy", None),
            ("TypeError: s.slugfy is not a function", NodeErrorKind::Member, "slugfy", None),
            ("TypeError: a.b.Crt is not a constructor", NodeErrorKind::Member, "Crt", None),
            ("TypeError: LRU is not a constructor", NodeErrorKind::Default, "LRU", None),
            (
                "Error: Cannot find module 'date-fns/add_days'",
                NodeErrorKind::File,
                "add_days",
                Some("date-fns"),
            ),
            ("Error: Cannot find module './slg'", NodeErrorKind::Module, "./slg", None),
            (
                "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/r/slg.mjs' imported from /r/a.mjs",
                NodeErrorKind::Imported,
                "/r/slg.mjs",
                Some("/r/a.mjs"),
            ),
            (
                "SyntaxError: The requested module './a.mjs' does not provide an export named 'totl'",
                NodeErrorKind::Export,
                "totl",
                Some("./a.mjs"),
            ),
            (
                "Error [ERR_PACKAGE_PATH_NOT_EXPORTED]: Package subpath './v4' is not defined by \"exports\" in /r/node_modules/@a/uuid/package.json",
                NodeErrorKind::Subpath,
                "v4",
                Some("@a/uuid"),
            ),
        ] {
            let missing = read(message).unwrap();
            let parts = (missing.sort, missing.name.as_str(), missing.of.as_deref());
            assert_eq!(parts, (sort, name, from), "{message}");
        }
        for other in [
            "",
            "Error: Cannot find module 'leftpad'",
            "TypeError: x(...).y(...) is not a function of z",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
