//! Reads which name PHP did not find, and applies the rule for its kind.

use std::collections::BTreeSet;
use std::path::Path;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, has_ending};
use super::super::findings::ToolFindings;
use super::super::messages::{Form, Missing, form, read_message};
use super::super::misspelling;
use super::super::tool_context::{NoResult, ToolContext};
use super::class;
use papayu_base::domain::Failure;
use papayu_base::text::{join_path, spelling};

/// The kind of a missing name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PhpNameKind {
    Variable,
    Member,
    Function,
    Class,
    /// A file that `require` did not find, by its absolute path.
    File,
}

static FORMS: [Form<PhpNameKind>; 7] = [
    form(PhpNameKind::Variable, r"Undefined variable:? \$?(?P<name>\w+)"),
    form(PhpNameKind::Member, r"Undefined property: (?P<of>[\w\\]+)::\$(?P<name>\w+)"),
    form(PhpNameKind::Member, r"Call to undefined method (?P<of>[\w\\]+)::(?P<name>\w+)\(\)"),
    form(PhpNameKind::Member, r"Undefined constant (?P<of>[\w\\]+)::(?P<name>\w+)"),
    form(PhpNameKind::Function, r"Call to undefined function (?:[\w\\]+\\)?(?P<name>\w+)\(\)"),
    form(PhpNameKind::File, r"Failed opening required '(?P<name>/[^']+)'"),
    form(PhpNameKind::Class, r#"(?:Class|Interface|Trait) ["'](?P<name>[\w\\]+)["'] not found"#),
];

/// Functions of PHP itself.
const FUNCTIONS: &str = "array_combine array_diff array_fill array_filter array_flip array_key_exists array_keys array_map \
    array_merge array_pop array_push array_reduce array_reverse array_search array_shift array_slice array_splice \
    array_sum array_unique array_unshift array_values array_walk basename ceil count date dirname explode fclose \
    file_exists file_get_contents file_put_contents floor fopen fwrite htmlspecialchars implode in_array intdiv intval \
    is_array is_file is_int is_null is_numeric is_string json_decode json_encode lcfirst ltrim mb_strlen mb_strtolower \
    mb_strtoupper mb_substr microtime mkdir number_format preg_match preg_match_all preg_replace preg_split printf \
    random_int range realpath round rtrim sprintf str_contains str_ends_with str_pad str_repeat str_replace str_split \
    str_starts_with strcmp strlen strpos strrev strtolower strtotime strtoupper strval substr trim ucfirst ucwords \
    unlink urlencode usort uksort var_dump";

/// Returns the fixes for names that were not found.
///
/// Fails with [`NoResult::Unconcerned`] if no failure is about such a name.
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    misspelling::judge_each(tools, "php", read_failure, apply_rule)
}

/// Returns what PHP reports as missing; its uncaught errors are read as lines with a place.
fn read_failure(failure: &Failure) -> Option<Missing<PhpNameKind>> {
    let is_php = failure.toolchain == "php"
        || failure.locations.first().is_some_and(|at| has_ending(&at.path, "php"));
    if is_php { read_message(&FORMS, &failure.message) } else { None }
}

/// Returns the verdict of the rule for the kind of a name.
fn apply_rule(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    missing: &Missing<PhpNameKind>,
) -> RuleDecision {
    let name = missing.name.as_str();
    let defined = misspelling::definitions(context, "php");
    match missing.sort {
        PhpNameKind::Class => class::fix_class(context, spot, name),
        PhpNameKind::File => fix_required(context, spot, name),
        PhpNameKind::Variable => {
            let source = &spot.source;
            let variables = source.all_words().filter(|word| word.starts_with('$'));
            let known: BTreeSet<&str> =
                variables.map(|word| word.trim_start_matches('$')).collect();
            match spelling::find_only(name, known.into_iter()) {
                Some(right) => {
                    misspelling::replace_all(spot, &format!("${name}"), &format!("${right}"))
                }
                None => RuleDecision::hint("no variable of the file is clearly meant"),
            }
        }
        PhpNameKind::Member => {
            let of = missing.of.as_deref().unwrap_or_default();
            let of = of.rsplit('\\').next().unwrap_or_default();
            let members = defined.iter().filter(|it| it.parent.as_deref() == Some(of));
            let known: BTreeSet<&str> = members.map(|it| it.name.trim_start_matches('$')).collect();
            misspelling::correct(spot, name, None, &known)
        }
        PhpNameKind::Function => {
            let own = defined.iter().filter(|it| it.parent.is_none()).map(|it| it.name.as_str());
            let known: BTreeSet<&str> = own.chain(FUNCTIONS.split_ascii_whitespace()).collect();
            misspelling::correct(spot, name, None, &known)
        }
    }
}

/// Corrects the name of a file that is required, if one file of its folder differs by a letter.
fn fix_required(context: &DiagnosticContext<'_>, spot: &Spot, path: &str) -> RuleDecision {
    let below = Path::new(path).strip_prefix(context.tools.tree.root()).ok().and_then(Path::to_str);
    let Some(path) = below.and_then(|below| join_path("", below)) else {
        return RuleDecision::hint("the path leads out of the repository");
    };
    let (folder, wrong) = path.rsplit_once('/').unwrap_or(("", &path));
    let files = context.files().iter().filter(|file| !papayu_lang::is_test(file));
    let siblings = files.filter_map(|file| {
        let (at, name) = file.rsplit_once('/').unwrap_or(("", file));
        (at == folder && name != wrong).then_some(name)
    });
    let Some(right) = spelling::find_only(wrong, siblings) else {
        return RuleDecision::hint("no file of the folder is clearly meant");
    };
    let start = spot.source.line_start(spot.line);
    let mut places = spot.source.line_text(spot.line).match_indices(wrong);
    match (places.next(), places.next()) {
        (Some((at, _)), None) => spot.replace(start + at..start + at + wrong.len(), right),
        _ => RuleDecision::hint("the line does not have the name exactly once"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_php_is_read() {
        for (message, sort, name, of) in [
            ("Undefined variable $amuont", PhpNameKind::Variable, "amuont", None),
            (
                "Undefined property: Shop\\Money::$cnets",
                PhpNameKind::Member,
                "cnets",
                Some("Shop\\Money"),
            ),
            (
                "Error: Call to undefined method Shop\\Money::puls()",
                PhpNameKind::Member,
                "puls",
                Some("Shop\\Money"),
            ),
            (
                "Error: Call to undefined function Shop\\conut()",
                PhpNameKind::Function,
                "conut",
                None,
            ),
            ("Error: Class \"Shop\\Mony\" not found", PhpNameKind::Class, "Shop\\Mony", None),
            (
                "Uncaught Error: Failed opening required '/r/lib/nams.php' (include_path='.')",
                PhpNameKind::File,
                "/r/lib/nams.php",
                None,
            ),
        ] {
            let missing = read_message(&FORMS, message).unwrap();
            assert_eq!(
                (missing.sort, missing.name.as_str(), missing.of.as_deref()),
                (sort, name, of)
            );
        }
        assert!(read_message(&FORMS, "Failed asserting that 1 is identical to 3.").is_none());
    }
}
