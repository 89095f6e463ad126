//! Names that a package has no more, where a message or a warning names what took their place.

use super::super::diagnostic_context::{RuleDecision, Spot};
use super::super::line_index::Unit;
use super::super::messages::Missing;
use super::import::{WantedImport, add_import, top};
use super::message::PythonNameKind;
use super::module::{misspelt, take_from};
use super::statement::{head, read};
use papayu_lang::is_python_standard;

/// Writes the successor of a name that a module does not have, `name` or `module.name`, wherever the file uses it.
pub(super) fn write_successor(
    spot: &Spot,
    missing: &Missing<PythonNameKind>,
    successor: &str,
) -> RuleDecision {
    let (source, name) = (&spot.source, missing.name.as_str());
    let (module, new) = successor.rsplit_once('.').unwrap_or(("", successor));
    let owner = spot.find_name(name, Unit::Char).map(|it| source.owner_before(it.start));
    let is_owner = |it: &str| owner.is_some_and(|owner| owner.trim_end_matches('.') == it);
    let is_own = |it: &str| it.is_empty() || Some(it) == missing.of.as_deref() || is_owner(it);
    let other = Some(module).filter(|it| !is_own(it));
    let statement = read(source, spot.line).filter(|it| it.is_from);
    match (statement, other) {
        (Some(statement), None) => misspelt(spot, &statement, name, new),
        (Some(_), Some(_)) if name != new && !source.word_places(new).is_empty() => {
            RuleDecision::Hint(format!("`{successor}` takes its place"))
        }
        (Some(statement), Some(module)) => take_from(spot, &statement, name, (module, new)),
        (None, None) => {
            let Some(range) = spot.find_name(name, Unit::Char) else {
                return RuleDecision::hint("the line does not contain the name exactly once");
            };
            let own = source.owner_before(range.start);
            let uses = source.word_places(name).into_iter();
            let uses = uses.filter(|it| source.owner_before(it.start) == own);
            // `np.int` becomes `int`.
            let dropped = if new == name { own.len() } else { 0 };
            spot.replace_all(uses.map(|it| it.start - dropped..it.end).collect(), new)
        }
        (None, Some(_)) => take_elsewhere(spot, name, successor),
    }
}

/// Writes the successor `module.name` of another module wherever the file uses `owner.name`, and imports that module if it is not
/// imported yet.
pub(in super::super) fn take_elsewhere(spot: &Spot, name: &str, successor: &str) -> RuleDecision {
    let source = &spot.source;
    let owner = spot.find_name(name, Unit::Char).map(|it| source.owner_before(it.start));
    let module = successor.rsplit_once('.').map_or("", |(module, _)| module);
    let first = top(module);
    let known = head(source);
    let is_imported = known.iter().any(|it| !it.is_from && it.module == module);
    // Other words before a name are objects and aliases more often than modules.
    let is_module = is_python_standard(first) || known.iter().any(|it| top(&it.module) == first);
    let is_bound = !is_imported && !source.word_places(first).is_empty();
    let Some(owner) = owner.filter(|it| !it.is_empty() && is_module && !is_bound) else {
        return RuleDecision::Hint(format!("`{successor}` takes its place"));
    };
    let uses = source.word_places(name).into_iter();
    let uses = uses.filter(|it| source.owner_before(it.start) == owner);
    let written = uses.map(|it| spot.edit(it.start - owner.len()..it.end, successor));
    let wanted = WantedImport::Module(module.to_owned());
    let import = (!is_imported).then(|| add_import(&spot.path, source, &wanted));
    RuleDecision::Fix(import.into_iter().chain(written).collect())
}
