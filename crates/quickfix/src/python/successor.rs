//! Names that a package has no more, where a message or a warning names what took their place.

use std::ops::Range;

use super::super::diagnostic_context::{RuleDecision, Spot};
use super::super::line_index::Unit;
use super::import::{WantedImport, add_import, top};
use super::module::{misspelt, take_from};
use super::statement::{head, read};
use papayu_lang::is_python_standard;
use papayu_logs::failure::ReplacedName;

/// Writes the name that takes the place of another wherever the file uses that, and takes it from its module.
pub(in super::super) fn write_successor(
    spot: &Spot,
    name: &str,
    found: ReplacedName<'_>,
) -> RuleDecision {
    let source = &spot.source;
    let (module, new) = found.new.rsplit_once('.').unwrap_or(("", found.new));
    let Some(range) = find_use(spot, name) else {
        return RuleDecision::hint("the line does not contain the name exactly once");
    };
    let own = source.owner_before(range.start);
    let statement = read(source, spot.line).filter(|it| it.is_from);
    let taken_from = statement.as_ref().map_or(own.trim_end_matches('.'), |it| &it.module);
    // Both may go by an alias.
    let old_module = found.old.rsplit_once('.').map_or("", |(module, _)| module);
    let is_own = ["", taken_from, old_module].contains(&module);
    let uses = source.word_places(name).into_iter();
    match (statement, is_own) {
        (Some(statement), true) => misspelt(spot, &statement, name, new),
        (Some(_), false) if name != new && !source.word_places(new).is_empty() => {
            RuleDecision::Hint(format!("`{}` takes its place", found.new))
        }
        (Some(statement), false) => take_from(spot, &statement, name, (module, new)),
        (None, true) if is_keyword(spot, &range) => {
            spot.replace_all(uses.filter(|it| is_keyword(spot, it)).collect(), new)
        }
        (None, true) => {
            let uses = uses.filter(|it| source.owner_before(it.start) == own);
            // `np.int` becomes `int`.
            let dropped = if new == name { own.len() } else { 0 };
            spot.replace_all(uses.map(|it| it.start - dropped..it.end).collect(), new)
        }
        (None, false) => take_elsewhere(spot, name, own, found.new),
    }
}

/// Returns the place of a name in the line; of several, the only keyword of an argument.
pub(in super::super) fn find_use(spot: &Spot, name: &str) -> Option<Range<usize>> {
    let line = spot.source.line(spot.line)?;
    let uses = spot.source.word_places(name).into_iter();
    let mut keywords = uses.filter(|it| line.contains(&it.start) && is_keyword(spot, it));
    let only = keywords.next().filter(|_| keywords.next().is_none());
    spot.find_name(name, Unit::Char).or(only)
}

/// Returns whether a name is the keyword of an argument, which binds nothing here.
fn is_keyword(spot: &Spot, name: &Range<usize>) -> bool {
    let source = &spot.source;
    let after = source.text.get(name.end..).unwrap_or_default();
    let line = source.line_text(source.line_number(name.start));
    let is_named = after.starts_with('=') && !after.starts_with("==");
    is_named && !line.contains("def ") && source.owner_before(name.start).is_empty()
}

/// Writes the successor `module.name` of another module wherever the file uses `owner.name`, and imports that module if it is not
/// imported yet.
fn take_elsewhere(spot: &Spot, name: &str, owner: &str, successor: &str) -> RuleDecision {
    let source = &spot.source;
    let module = successor.rsplit_once('.').map_or("", |(module, _)| module);
    let first = top(module);
    let known = head(source);
    let is_imported = known.iter().any(|it| !it.is_from && it.module == module);
    // Other words before a name are objects and aliases more often than modules.
    let is_module = is_python_standard(first) || known.iter().any(|it| top(&it.module) == first);
    let is_bound = !is_imported && !source.word_places(first).is_empty();
    if owner.is_empty() || !is_module || is_bound {
        return RuleDecision::Hint(format!("`{successor}` takes its place"));
    }
    let uses = source.word_places(name).into_iter();
    let uses = uses.filter(|it| source.owner_before(it.start) == owner);
    let written = uses.map(|it| spot.edit(it.start - owner.len()..it.end, successor));
    let wanted = WantedImport::Module(module.to_owned());
    let import = (!is_imported).then(|| add_import(&spot.path, source, &wanted));
    RuleDecision::Fix(import.into_iter().chain(written).collect())
}
