//! Attributes that an object of a class does not have.

use std::collections::BTreeSet;

use super::super::findings::Edit;
use super::super::ground::{Ground, Spot, Verdict, has_ending};
use super::super::near;
use super::super::page::Columns;
use super::name::unclear;
use super::tell::Missing;
use crate::domain::RepoPath;

/// Writes the attribute that is meant, as the tool proposes it or as the class alone has one like it.
pub(super) fn mend(ground: &mut Ground<'_>, spot: &Spot, missing: &Missing<'_>) -> Verdict {
    let (page, name) = (&spot.page, missing.name);
    let range = page.pointed((spot.line, None), name, Columns::Chars);
    let is_attribute = |start: usize| page.text.get(..start).is_some_and(|it| it.ends_with('.'));
    let Some(range) = range.filter(|range| is_attribute(range.start)) else {
        return Verdict::Hint("the line does not hold the attribute exactly once".to_owned());
    };
    let known = attributes(ground, missing.of.unwrap_or_default());
    let known = || known.iter().map(String::as_str);
    let right = match missing.proposed {
        Some(right) => Some(right).filter(|right| near::is_clear(name, right, known())),
        None => near::only(name, known()),
    };
    match right {
        Some(right) => {
            Verdict::Fix(vec![Edit { path: spot.path.clone(), range, text: right.to_owned() }])
        }
        None => Verdict::Hint(unclear(missing, known())),
    }
}

/// Returns the members of the one class of a name, and what its methods set on `self`.
fn attributes(ground: &mut Ground<'_>, class: &str) -> BTreeSet<String> {
    let Some(lookup) = ground.probe.names else { return BTreeSet::new() };
    let classes: Vec<_> =
        lookup.definitions(class).into_iter().filter(|it| has_ending(&it.path, "py")).collect();
    let [only] = classes.as_slice() else { return BTreeSet::new() };
    let outline = lookup.outline(&only.path).into_iter();
    let members = outline.filter(|it| it.parent.as_deref() == Some(class)).map(|it| it.name);
    let mut names: BTreeSet<String> = members.collect();
    let page = RepoPath::parse(&only.path).ok().and_then(|path| ground.page(&path).ok());
    for line in page.iter().flat_map(|page| page.text.lines()) {
        let own = line.trim_start().strip_prefix("self.");
        let Some((name, _)) = own.and_then(|it| it.split_once([' ', ':', '='])) else { continue };
        if name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            names.insert(name.to_owned());
        }
    }
    names
}
