//! Reads which name the interpreter did not find, and applies the rule for its kind.

use std::collections::BTreeSet;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot};
use super::super::findings::ToolFindings;
use super::super::messages::{Form, Missing, form, read_message};
use super::super::misspelling;
use super::super::tool_context::{NoResult, ToolContext};
use super::require;
use papayu_base::domain::Failure;
use papayu_base::text::{Pattern, group};

/// The kind of a missing name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RubyNameKind {
    Variable,
    Method,
    Constant,
    File,
}

/// Ruby quotes with `` `x' `` before 3.4, with `'x'` since.
static FORMS: [Form<RubyNameKind>; 4] = [
    form(RubyNameKind::Variable, r"undefined local variable or method [`'](?P<name>\w+[?!]?)'"),
    form(RubyNameKind::Method, r"undefined method [`'](?P<name>\w+)[?!]?'"),
    form(RubyNameKind::Constant, r"uninitialized constant (?:[\w:]+::)?(?P<name>\w+)"),
    form(RubyNameKind::File, r"cannot load such file -- (?P<name>\S+)"),
];

static PROPOSED: Pattern = Pattern::new(r"Did you mean\?\s+(?:[\w:]+::)?(?P<name>\w+)");

/// Methods of Ruby's own classes.
const METHODS: &str = "capitalize chomp collect compact count delete detect downcase each each_key each_value \
    each_with_index each_with_object empty? end_with? fetch filter filter_map find first flat_map flatten format freeze \
    gsub group_by include? index inject join keys last length lines map match merge min_by max_by none? partition push \
    reduce reject reverse round select shift size slice sort sort_by split start_with? strip sub sum swapcase tally \
    times to_a to_f to_h to_i to_s to_sym transform_keys transform_values uniq upcase values zip";

/// Returns the fixes for names that were not found.
///
/// Fails with [`NoResult::Unconcerned`] if no failure is about such a name.
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let is_ruby = |failure: &Failure| failure.toolchain == "ruby";
    let read_failure = |failure: &Failure| read(&failure.message).filter(|_| is_ruby(failure));
    misspelling::judge_each(tools, "ruby", read_failure, apply_rule)
}

/// Returns what a message reports as missing, with the name that the interpreter proposes.
fn read(message: &str) -> Option<Missing<RubyNameKind>> {
    let proposed = PROPOSED.captures(message);
    let proposed = proposed.as_ref().and_then(|found| group(found, "name")).map(str::to_owned);
    read_message(&FORMS, message).map(|missing| Missing { proposed, ..missing })
}

/// Returns the verdict of the rule for the kind of a name.
fn apply_rule(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    missing: &Missing<RubyNameKind>,
) -> RuleDecision {
    let (source, name) = (&spot.source, missing.name.as_str());
    let defined = misspelling::definitions(context, "rb");
    let own = || defined.iter().map(|it| it.name.as_str());
    let proposed = missing.proposed.as_deref();
    match missing.sort {
        RubyNameKind::File => require::fix_file(context, spot, name),
        RubyNameKind::Constant => {
            if let Some(file) = require::standard_file(name) {
                return RuleDecision::Fix(vec![require::add_require(spot, file)]);
            }
            let is_constant = |word: &&str| word.starts_with(char::is_uppercase);
            let known: BTreeSet<&str> =
                source.all_words().chain(own()).filter(is_constant).collect();
            misspelling::correct(spot, name, proposed, &known)
        }
        RubyNameKind::Method => {
            let known: BTreeSet<&str> =
                own().chain(source.all_words()).chain(METHODS.split_ascii_whitespace()).collect();
            misspelling::correct(spot, name, proposed, &known)
        }
        RubyNameKind::Variable => {
            let known: BTreeSet<&str> = own().chain(source.all_words()).collect();
            match misspelling::find_right(name, proposed, &known) {
                // The interpreter stops at the first of all places.
                Some(right) => misspelling::replace_all(spot, name, right),
                None => misspelling::correct(spot, name, proposed, &known),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_old_and_new_interpreters_is_read() {
        for (message, sort, name, proposed) in [
            (
                "NameError: undefined local variable or method `amuont' for #<Cart>\n    amuont\nDid you mean?  amount",
                RubyNameKind::Variable,
                "amuont",
                Some("amount"),
            ),
            (
                "NoMethodError: undefined method 'puls' for an instance of Money",
                RubyNameKind::Method,
                "puls",
                None,
            ),
            ("NameError: uninitialized constant Cart::JSON", RubyNameKind::Constant, "JSON", None),
            ("cannot load such file -- mony (LoadError)", RubyNameKind::File, "mony", None),
        ] {
            let missing = read(message).unwrap();
            assert_eq!(
                (missing.sort, missing.name.as_str(), missing.proposed.as_deref()),
                (sort, name, proposed)
            );
        }
        assert!(read("ZeroDivisionError: divided by 0").is_none());
    }
}
