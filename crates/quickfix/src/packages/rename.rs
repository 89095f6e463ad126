//! Writes a new name in the place of one that a package does not have any more.

use std::ops::Range;

use super::super::diagnostic_context::{RuleDecision, Spot};
use super::super::line_index::{LineIndex, Unit};
use papayu_logs::failure::{ReplacedName, last_part};

/// The words with which a line takes names from a module.
const IMPORTS: [&str; 6] = ["import ", "from ", "use ", "pub use ", "export ", "const {"];

/// Writes the new name wherever the file uses the old one in the way of the line; in an import, also where it uses what is imported.
pub(super) fn write_replacement(spot: &Spot, name: &str, found: ReplacedName<'_>) -> RuleDecision {
    let source = &spot.source;
    let new = last_part(found.new);
    let Some(range) = spot.find_name(name, Unit::Char) else {
        return RuleDecision::hint("the line does not contain the name exactly once");
    };
    let own = owner(source, &range);
    // Another module or type needs more than another name.
    let (old_owner, new_owner) = (owner_of(found.old), owner_of(found.new));
    let is_same_owner = new_owner.is_empty()
        || last_part(new_owner) == last_part(old_owner)
        || last_part(new_owner) == last_part(own.trim_end_matches(['.', ':']));
    let is_name = new.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    if !is_same_owner || !is_name {
        return RuleDecision::Hint(format!("`{}` takes its place", found.new));
    }
    let is_import =
        IMPORTS.iter().any(|word| source.line_text(spot.line).trim_start().starts_with(word));
    let is_bare = own.is_empty() || is_import;
    if is_bare && !source.word_places(new).is_empty() {
        return RuleDecision::Hint(format!(
            "`{new}` takes its place, and the file has that name already"
        ));
    }
    let uses = source.word_places(name).into_iter().filter(|place| {
        let other = owner(source, place);
        other == own || is_import && other.is_empty()
    });
    spot.replace_all(uses.collect(), new)
}

/// Returns the owner before a name, with its sign: `a.b.`, `Type::`.
fn owner<'s>(source: &'s LineIndex, name: &Range<usize>) -> &'s str {
    let before = source.text.get(..name.start).unwrap_or_default();
    if !before.ends_with(['.', ':']) {
        return "";
    }
    let rest = before.trim_end_matches(|c: char| c.is_alphanumeric() || "_$.:".contains(c));
    before.get(rest.len()..).unwrap_or_default()
}

/// Returns a name without its last part.
fn owner_of(name: &str) -> &str {
    let end = name.len() - last_part(name).len();
    name.get(..end).unwrap_or_default().trim_end_matches(['.', ':', '#', '/'])
}
