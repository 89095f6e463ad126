//! Classes that are not found: their `use` is missing or wrong, or their name is misspelt.

use std::collections::BTreeSet;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, has_ending};
use super::super::findings::TextEdit;
use super::super::misspelling;
use papayu_base::domain::RepoPath;
use papayu_base::text::spelling;
use papayu_base::text::{Pattern, group};

static NAMESPACE: Pattern = Pattern::new(r"^namespace\s+(?P<name>[\w\\]+)\s*;");

/// Fixes a class that is not found under its full name.
pub(super) fn fix_class(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    full: &str,
) -> RuleDecision {
    let full = full.trim_start_matches('\\');
    let name = full.rsplit('\\').next().unwrap_or(full);
    let source = &spot.source;
    let used = (1..=source.line_count()).find(|line| {
        let text = source.line_text(*line).trim_end();
        text.starts_with("use ") && text.trim_end_matches(';').ends_with(&format!(" {full}"))
    });
    let own = own_names(context, name);
    match (own.as_slice(), used) {
        ([right], Some(line)) if right != full => {
            let start = source.line_start(line) + "use ".len();
            spot.replace(start..start + full.len(), right)
        }
        ([right], None) if right != full && !source.text.contains(&format!("use {right}")) => {
            RuleDecision::Fix(vec![add_use(spot, right)])
        }
        ([], None) => {
            let defined = misspelling::definitions(context, "php");
            let defined = defined.iter().filter(|it| it.parent.is_none());
            let known: BTreeSet<&str> = defined.map(|it| it.name.as_str()).collect();
            misspelling::correct(spot, name, None, &known)
        }
        ([], Some(line)) => fix_used_class(context, spot, line, full),
        ([_], _) => RuleDecision::hint(
            "the class exists, and the autoloader does not find it; run `composer dump-autoload`",
        ),
        _ => RuleDecision::Hint(format!("several namespaces have it: {}", own.join(", "))),
    }
}

/// Corrects the name of a class in a `use`, and its uses.
fn fix_used_class(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    line: u32,
    full: &str,
) -> RuleDecision {
    let name = full.rsplit('\\').next().unwrap_or(full);
    let defined = misspelling::definitions(context, "php");
    let classes = defined.iter().filter(|it| it.parent.is_none()).map(|it| it.name.as_str());
    let Some(right) = spelling::find_only(name, classes) else {
        return RuleDecision::Hint(format!(
            "no class of the repository is clearly meant; if `{full}` is one of a package, add it with `composer require`"
        ));
    };
    let is_used = spot.source.all_words().any(|word| word == right);
    let spot = Spot { line, path: spot.path.clone(), source: spot.source.clone(), column: None };
    if is_used {
        return misspelling::replace(&spot, name, right);
    }
    misspelling::replace_all(&spot, name, right)
}

/// Returns the full names of the classes of the repository with a name, tests left out.
fn own_names(context: &mut DiagnosticContext<'_>, name: &str) -> Vec<String> {
    let Some(lookup) = context.tools.names else { return Vec::new() };
    let defined = lookup.definitions(name).into_iter();
    let files = defined.filter(|it| it.parent.is_none() && !papayu_lang::is_test(&it.path));
    let paths: Vec<RepoPath> = files.filter_map(|it| RepoPath::parse(&it.path).ok()).collect();
    let php = paths.into_iter().filter(|path| has_ending(path.as_str(), "php"));
    let full = |path: RepoPath| {
        let source = context.read(&path).ok()?;
        Some(match namespace(&source.text) {
            Some(namespace) => format!("{namespace}\\{name}"),
            None => name.to_owned(),
        })
    };
    let mut names: Vec<String> = php.filter_map(full).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the namespace that a text declares.
fn namespace(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let found = NAMESPACE.captures(line)?;
        group(&found, "name").map(str::to_owned)
    })
}

/// Adds a `use` in the order of the others, or below the namespace.
fn add_use(spot: &Spot, full: &str) -> TextEdit {
    let line = format!("use {full};");
    let is_head = |number: &u32| {
        let text = spot.source.line_text(*number);
        text.starts_with("namespace ") || text.starts_with("<?php") || text.starts_with("declare(")
    };
    spot.insert_among("use ", &line).unwrap_or_else(|| {
        let head = (1..=spot.source.line_count()).rfind(is_head).unwrap_or(0);
        spot.insert_line(head + 1, &format!("{}{line}", spot.source.line_ending()))
    })
}
