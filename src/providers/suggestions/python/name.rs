//! Names that nothing binds: misspelt, or their import is missing.

use std::ops::Range;

use super::super::findings::Edit;
use super::super::ground::{Ground, Spot, Verdict, has_ending};
use super::super::lookup::Lookup;
use super::super::near;
use super::super::page::{Columns, Page};
use super::import::{Wanted, add, dotted};
use super::tell::Missing;
use crate::domain::RepoPath;
use crate::protocol;

/// What a name can have been meant for.
enum Meaning {
    /// A module of the standard library.
    Standard,
    /// A definition of another file.
    Defined(String),
    /// Another name of this file.
    Misspelt(String),
}

/// Mends the name where it can mean one thing only.
pub(super) fn mend(ground: &Ground<'_>, spot: &Spot, missing: &Missing<'_>) -> Verdict {
    let (page, name) = (&spot.page, missing.name);
    let Some(range) = page.pointed((spot.line, spot.column), name, Columns::Chars) else {
        return Verdict::Hint("the line does not hold the name exactly once".to_owned());
    };
    let Some(lookup) = ground.probe.lookup else {
        return Verdict::Hint("nothing is known of the name".to_owned());
    };
    if lookup.outline(spot.path.as_str()).iter().any(|it| it.name == name && it.parent.is_none()) {
        return Verdict::Hint("the file defines it, and not for where it is used".to_owned());
    }
    let meanings = meanings(lookup, spot, &range, missing);
    let wanted = match meanings.as_slice() {
        [Meaning::Standard] => Wanted::Module(name.to_owned()),
        [Meaning::Defined(target)] => match dotted(lookup, ground.files(), &spot.path, target) {
            Some(module) => Wanted::Name { module, name: name.to_owned() },
            None => return Verdict::Hint(format!("{target} defines it")),
        },
        [Meaning::Misspelt(right)] => return rename(spot, range, name, right),
        [] => return Verdict::Hint("nothing like it is defined once".to_owned()),
        _ => return Verdict::Hint(format!("it can mean: {}", listed(&meanings))),
    };
    Verdict::Fix(vec![add(lookup, (&spot.path, page), &wanted)])
}

fn meanings(
    lookup: &dyn Lookup,
    spot: &Spot,
    range: &Range<usize>,
    missing: &Missing<'_>,
) -> Vec<Meaning> {
    let (page, name) = (&spot.page, missing.name);
    let mut meanings = Vec::new();
    let is_owner = page.text.get(range.end..).is_some_and(|rest| rest.starts_with('.'));
    if lookup.is_python_standard(name) && (is_owner || missing.forgotten) {
        meanings.push(Meaning::Standard);
    }
    meanings.extend(definers(lookup, spot.path.as_str(), name).into_iter().map(Meaning::Defined));
    let right = match missing.proposed {
        // One that is not clear is in the way of any other meaning all the same.
        Some(right) if !meanings.is_empty() => Some(right),
        Some(right) => Some(right).filter(|right| near::is_clear(name, right, page.all_words())),
        None => near::only(name, page.all_words()),
    };
    meanings.extend(right.map(|right| Meaning::Misspelt(right.to_owned())));
    meanings
}

/// Returns the Python files, tests left out, that define a name at their top for others.
pub(super) fn definers(lookup: &dyn Lookup, from: &str, name: &str) -> Vec<String> {
    let found =
        lookup.definitions(name).into_iter().filter(|it| it.exported && it.parent.is_none());
    let mut paths: Vec<String> = found.map(|it| it.path).collect();
    paths.dedup();
    paths.retain(|path| has_ending(path, "py") && path != from);
    paths.retain(|path| RepoPath::parse(path).is_ok_and(|path| !protocol::is_test(&path)));
    paths
}

fn listed(meanings: &[Meaning]) -> String {
    let shown = meanings.iter().map(|meaning| match meaning {
        Meaning::Standard => "the standard library's module".to_owned(),
        Meaning::Defined(path) => format!("the one of {path}"),
        Meaning::Misspelt(right) => format!("`{right}`"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Renames every use where the file binds the name nowhere, else the one that failed.
fn rename(spot: &Spot, range: Range<usize>, name: &str, right: &str) -> Verdict {
    let page = &spot.page;
    let all = page.words(name);
    let places = if all.iter().any(|at| is_bound(page, at)) { vec![range] } else { all };
    let edit = |range| Edit { path: spot.path.clone(), range, text: right.to_owned() };
    Verdict::Fix(places.into_iter().map(edit).collect())
}

/// Tells whether a use may be a binding, or the name of something else: an attribute, a keyword.
fn is_bound(page: &Page, at: &Range<usize>) -> bool {
    let line = page.line_text(page.number(at.start)).trim_start();
    let before = page.text.get(..at.start).unwrap_or_default();
    let after = page.text.get(at.end..).unwrap_or_default().trim_start_matches(' ');
    let heads = [
        "def ",
        "async def ",
        "class ",
        "for ",
        "import ",
        "from ",
        "global ",
        "nonlocal ",
        "with ",
        "except ",
    ];
    before.ends_with('.')
        || heads.iter().any(|head| line.starts_with(head))
        || before.ends_with("as ")
        || before.ends_with("for ")
        || before.ends_with("lambda ")
        || after.starts_with(":=")
        || after.starts_with(": ")
        || (after.starts_with('=') && !after.starts_with("=="))
}
