//! Modules that are misspelt: in a path, or in the `mod` that declares them. rustc proposes nothing for them.

use std::collections::BTreeSet;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot};
use super::super::misspelling;
use super::message::CompilerError;
use papayu_base::text::{Pattern, group};

static FORMS: [Pattern; 3] = [
    Pattern::new(r"^unresolved import `(?:[\w:]+::)?(?P<name>[a-z]\w*)`$"),
    Pattern::new(
        r"(?:could not find|unlinked crate|undeclared crate or module|module or crate) `(?P<name>[a-z]\w*)`",
    ),
    Pattern::new(r"^file not found for module `(?P<name>\w+)`$"),
];

/// Returns the correction of a misspelt module to the only module of the repository that it can mean; `None` for
/// another error. The modules are the files and folders of Rust, without those that Cargo names.
pub(super) fn correct_module(
    context: &mut DiagnosticContext<'_>,
    error: &CompilerError,
) -> Option<RuleDecision> {
    let message = &error.diagnostic.message;
    let found = FORMS.iter().find_map(|form| form.captures(message))?;
    let name = group(&found, "name")?;
    let span = error.diagnostic.spans.iter().find(|span| span.is_primary && !span.in_macro)?;
    let path = context.find_in("", &span.file_name)?;
    let source = context.read(&path).ok()?;
    let line = u32::try_from(span.line_start).ok()?;
    let spot = Spot { path, source, line, column: None };
    let known: BTreeSet<&str> = context
        .files()
        .iter()
        .filter_map(|file| file.strip_suffix(".rs"))
        .map(|bare| bare.strip_suffix("/mod").unwrap_or(bare))
        .filter_map(|bare| bare.rsplit('/').next())
        .filter(|stem| !["build", "lib", "main"].contains(stem))
        .collect();
    let right = misspelling::find_right(name, None, &known)?;
    Some(misspelling::replace(&spot, name, right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_about_modules_are_read() {
        for (message, name) in [
            ("unresolved import `crate::mony`", Some("mony")),
            ("unresolved import `std::collections::HashMpa`", None),
            ("failed to resolve: could not find `mony` in the crate root", Some("mony")),
            ("cannot find module or crate `mony` in this scope", Some("mony")),
            ("file not found for module `mony`", Some("mony")),
            ("mismatched types", None),
        ] {
            let found = FORMS.iter().find_map(|form| form.captures(message));
            assert_eq!(found.as_ref().and_then(|it| group(it, "name")), name, "{message}");
        }
    }
}
