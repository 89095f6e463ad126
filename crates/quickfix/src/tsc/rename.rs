//! Misspelt names for which the compiler proposes the right one.

use super::super::diagnostic_context::RuleDecision;
use super::super::line_index::Unit;
use super::super::packages::{is_later_name, write_replacement};
use super::case::CompilerCase;
use papayu_base::text::Pattern;
use papayu_base::text::spelling;
use papayu_logs::failure::ReplacedName;

/// `Did you mean 'x'?`, `Did you mean to write 'x'?`, `Did you mean the static member 'A.x'?`
static PROPOSED: Pattern =
    Pattern::new(r"Did you mean(?: to write| the \w+ member)? '([\w$.]+)'\?");

static WRONG: Pattern = Pattern::new(
    r"(?:^Property|^Cannot find name|^Could not find name|^Cannot find namespace|, but|no exported member named) '([\w$]+)'",
);

/// Returns the name that the message proposes. `None` for a message of another form.
pub(super) fn proposed(message: &str) -> Option<&str> {
    Some(PROPOSED.captures(message)?.get(1)?.as_str())
}

/// Returns the name that the message is about. `None` for a message of another form.
pub(super) fn wrong(message: &str) -> Option<&str> {
    Some(WRONG.captures(message)?.get(1)?.as_str())
}

/// Writes the proposed name in the place of the wrong one.
pub(super) fn replace_word(case: &CompilerCase<'_>) -> RuleDecision {
    let (Some(wrong), Some(right)) = (wrong(case.message), proposed(case.message)) else {
        return RuleDecision::hint("the message is not of a known form");
    };
    if case.is_of_moved && is_later_name(wrong, right) {
        return write_replacement(&case.spot, wrong, ReplacedName { old: wrong, new: right });
    }
    if !spelling::is_clear(wrong, right, case.spot.source.all_words()) {
        return RuleDecision::Hint(format!("`{right}` need not be what `{wrong}` means"));
    }
    replace(case, wrong, right)
}

/// Writes `this.name` or `Class.name` in the place of the bare name.
pub(super) fn replace_by_member(case: &CompilerCase<'_>) -> RuleDecision {
    let (Some(wrong), Some(right)) = (wrong(case.message), proposed(case.message)) else {
        return RuleDecision::hint("the message is not of a known form");
    };
    replace(case, wrong, right)
}

/// Replaces the word that the compiler points at.
pub(super) fn replace(case: &CompilerCase<'_>, wrong: &str, right: &str) -> RuleDecision {
    let spot = &case.spot;
    match spot.source.find_word(spot.line, spot.column, wrong, Unit::Utf16) {
        Some(range) => spot.replace(range, right),
        None => RuleDecision::hint("the name is not where the compiler points"),
    }
}
