//! Writes a new name in the place of one that a package does not have any more.

use super::super::diagnostic_context::{RuleDecision, Spot, has_ending};
use super::super::line_index::Unit;
use super::super::python;
use papayu_base::text::is_word_char;
use papayu_logs::failure::{ReplacedName, last_part};

/// The words with which a line takes names from a module.
const IMPORTS: [&str; 6] = ["import ", "from ", "use ", "pub use ", "export ", "const {"];

/// Writes the new name wherever the file uses the old one in the way of the line; in an import, also where it uses what is imported.
pub(in super::super) fn write_replacement(
    spot: &Spot,
    name: &str,
    found: ReplacedName<'_>,
) -> RuleDecision {
    if has_ending(spot.path.as_str(), "py") {
        return python::write_successor(spot, name, found);
    }
    let source = &spot.source;
    let new = last_part(found.new);
    let Some(range) = spot.find_name(name, Unit::Char) else {
        return RuleDecision::hint("the line does not contain the name exactly once");
    };
    let own = source.owner_before(range.start);
    // Another module or type needs more than another name.
    let (old_owner, new_owner) = (owner_of(found.old), owner_of(found.new));
    // A method is called on a value, whatever its type is called.
    let is_type = |owner: &str| last_part(owner).starts_with(char::is_uppercase);
    let is_method = own.ends_with('.') && is_type(old_owner) && is_type(new_owner);
    let is_same_owner = new_owner.is_empty()
        || is_method
        || last_part(new_owner) == last_part(old_owner)
        || last_part(new_owner) == last_part(own.trim_end_matches(['.', ':']));
    let is_name = new.chars().all(|c| is_word_char(c) || c == '$');
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
    let mut uses = source.word_places(name);
    uses.retain(|place| {
        let other = source.owner_before(place.start);
        other == own || is_import && other.is_empty()
    });
    spot.replace_all(uses, new)
}

/// Returns a name without its last part.
fn owner_of(name: &str) -> &str {
    let end = name.len() - last_part(name).len();
    name.get(..end).unwrap_or_default().trim_end_matches(['.', ':', '#', '/'])
}
