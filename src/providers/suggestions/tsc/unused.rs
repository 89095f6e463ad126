//! Imports that nothing uses.

use std::collections::HashSet;

use super::super::findings::Edit;
use super::super::ground::Verdict;
use super::statement::{Statement, around};
use super::tell::Case;
use crate::domain::RepoPath;

/// Takes the import away; `None` where its own error has to be mended first.
pub(super) fn import(case: &Case<'_>, broken: &HashSet<(RepoPath, String)>) -> Option<Verdict> {
    let (path, page) = (&case.spot.path, &case.spot.page);
    let Some(statement) = around(page, case.at) else {
        let why = "what is not used may be missing where it should be used".to_owned();
        return Some(Verdict::Hint(why));
    };
    let is_broken = statement.named.iter().any(|it| {
        let name = page.text.get(it.name.clone()).unwrap_or_default();
        broken.contains(&(path.clone(), name.to_owned()))
    });
    if is_broken {
        return None;
    }
    Some(match removed(case, &statement) {
        Some(range) => Verdict::Fix(vec![Edit { path: path.clone(), range, text: String::new() }]),
        None => Verdict::Hint("the statement is not of a form that can be rewritten".to_owned()),
    })
}

fn removed(case: &Case<'_>, statement: &Statement) -> Option<std::ops::Range<usize>> {
    let page = &case.spot.page;
    // The compiler points at the statement where all of it is meant.
    if case.at == statement.range.start {
        return Some(statement.lines(page));
    }
    if let Some(at) = statement.named.iter().position(|it| it.range.contains(&case.at)) {
        return statement.without(page, at);
    }
    let default = statement.default.clone().filter(|default| default.start == case.at)?;
    let rest = statement.braces.as_ref().or(statement.all.as_ref())?;
    Some(default.start..rest.start)
}
