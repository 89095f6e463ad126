//! Decides which of an error's suggestions, if any, is applied.

use std::ops::Range;
use std::path::PathBuf;

use rustfix::diagnostics::Applicability;

use super::message::{CompilerError, RustcDiagnostic, RustcSpan};
use papayu_base::text::is_word_char;
use papayu_base::text::spelling;

/// A suggestion that qualifies: edits of one file that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RustcProposal {
    /// Absolute path of the package's `Cargo.toml`.
    pub(super) manifest_path: PathBuf,
    /// The file as rustc names it: absolute, or relative to the workspace.
    pub(super) file_name: String,
    /// The error and what is suggested for it, without the place.
    pub(super) note: String,
    /// True if it removes an import that is reported as unused.
    pub(super) drops_import: bool,
    /// 1-based line and column of the error.
    pub(super) at: (usize, usize),
    /// In the order suggested; none overlaps another.
    pub(super) edits: Vec<RustcEdit>,
    /// Lines of the file as the compiler saw them, by 1-based number: those of the error and those
    /// of the suggestion.
    pub(super) seen: Vec<(usize, String)>,
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RustcEdit {
    /// Bytes of the file.
    pub(super) range: Range<usize>,
    /// The text that replaces them.
    pub(super) replacement: String,
}

/// Returns the one suggestion of an error that may be applied. Machine-applicable ones go first;
/// where there is none, [`is_provable`] ones count, of which those with another name are the ones that `fits` accepts, given the
/// wrong name and the proposed one. Two that qualify are a tie, and a tie is refused.
pub(super) fn choose(error: &CompilerError, fits: fn(&str, &str) -> bool) -> Option<RustcProposal> {
    let children = &error.diagnostic.children;
    let sure: Vec<_> = children
        .iter()
        .filter(|child| has_applicability(child, Applicability::MachineApplicable))
        .collect();
    // `MaybeIncorrect` counts only where the compiler is sure of nothing else.
    let chosen = if sure.is_empty() {
        children
            .iter()
            .filter(|child| has_applicability(child, Applicability::MaybeIncorrect))
            .filter(|child| is_provable(&child.message) && is_same_name(child, fits))
            .collect()
    } else {
        sure
    };
    let [child] = chosen.as_slice() else { return None };
    if can_panic(child) || binds_anything(child) || changes_meaning(error) {
        None
    } else {
        propose(error, child)
    }
}

/// Lints with a sure suggestion that gives another result for some types or values, or renames what others name.
const MEANING: [&str; 28] = [
    // `is_empty` of a type need not agree with its `len`.
    "clippy::len_zero",
    "clippy::comparison_to_empty",
    // `x + 0` and `x * 0` are something else for NaN, for overloaded operators and where `x` has effects.
    "clippy::identity_op",
    "clippy::erasing_op",
    "clippy::neg_multiply",
    // Other roundings of floats.
    "clippy::suboptimal_flops",
    "clippy::imprecise_flops",
    // Overloaded operators need not agree.
    "clippy::assign_op_pattern",
    "clippy::misrefactored_assign_op",
    "clippy::neg_cmp_op_on_partial_ord",
    "clippy::nonminimal_bool",
    "clippy::float_cmp",
    "clippy::eq_op",
    "clippy::op_ref",
    "clippy::ptr_eq",
    // NaN is in no range, and no comparison with it is true.
    "clippy::manual_range_contains",
    "clippy::double_comparisons",
    // A call without a result may have an effect.
    "clippy::no_effect",
    "clippy::unnecessary_operation",
    // Callers may name the parameters, or the item at its path.
    "clippy::extra_unused_lifetimes",
    "clippy::extra_unused_type_parameters",
    "clippy::redundant_pub_crate",
    "clippy::enum_variant_names",
    "clippy::upper_case_acronyms",
    "clippy::partialeq_ne_impl",
    "non_snake_case",
    "non_camel_case_types",
    "non_upper_case_globals",
];

fn changes_meaning(error: &CompilerError) -> bool {
    error.diagnostic.code.as_ref().is_some_and(|code| MEANING.contains(&code.code.as_str()))
}

/// Returns whether a suggestion turns a compile error into a panic: `try_into().unwrap()` for two widths of
/// integers compiles, and is no repair.
fn can_panic(child: &RustcDiagnostic) -> bool {
    let mut written = child.spans.iter().filter_map(|span| span.suggested_replacement.as_deref());
    written.any(|text| {
        [".unwrap()", ".expect(", "panic!(", "todo!("].iter().any(|it| text.contains(it))
    })
}

/// Returns `true` if a suggestion marks a name that is written like a constant or a variant as an unused variable: the
/// name is not in scope, and the pattern would match every value.
fn binds_anything(child: &RustcDiagnostic) -> bool {
    child.spans.iter().any(|span| {
        let written = span.suggested_replacement.as_deref().unwrap_or_default();
        // A field is kept with its name: `NAME: _`.
        let name = written.strip_prefix('_').or_else(|| written.strip_suffix(": _"));
        name.is_some_and(|name| name.starts_with(char::is_uppercase))
    })
}

/// Suggestions that rustc is not sure of, and that the user's command proves or refutes: each
/// replaces one name, or adds the one import, that the compiler's own search found.
///
/// - `a local variable with a similar name exists`, `there is a method `x` with a similar name`,
///   the same for functions, structs, fields, modules …
/// - `try using a conversion method`, `try wrapping the expression in …`: a value of a type close to the expected one.
/// - `consider importing this struct`, `… this trait`: the singular is used when there is one
///   candidate; several are `consider importing one of these …`.
fn is_provable(help: &str) -> bool {
    help.contains("similar name")
        || help.starts_with("consider importing this ")
        || help.starts_with("try using a conversion method")
        || help.starts_with("try wrapping the expression in ")
}

/// Returns whether a name is a misspelling of another: the compiler's search takes `price1` for `price3`.
pub(super) fn is_misspelling(wrong: &str, right: &str) -> bool {
    spelling::count_letters(wrong, right).is_some()
}

/// Returns whether what a suggestion replaces fits what it proposes, if that is another name.
fn is_same_name(child: &RustcDiagnostic, fits: fn(&str, &str) -> bool) -> bool {
    if !child.message.contains("similar name") {
        return true;
    }
    let is_name = |text: &str| text.chars().all(is_word_char);
    child.spans.iter().all(|span| {
        let right = span.suggested_replacement.as_deref().unwrap_or_default();
        let line = span.text.first().map_or("", |line| line.text.as_str());
        let start = line.char_indices().nth(span.column_start.saturating_sub(1));
        let end = span.byte_end.saturating_sub(span.byte_start);
        let wrong = start.and_then(|(start, _)| line.get(start..start + end)).unwrap_or_default();
        !is_name(wrong) || !is_name(right) || fits(wrong, right)
    })
}

/// A suggestion may have parts; all of them must be of that applicability.
fn has_applicability(child: &RustcDiagnostic, wanted: Applicability) -> bool {
    let mut parts =
        child.spans.iter().filter(|span| span.suggested_replacement.is_some()).peekable();
    parts.peek().is_some() && parts.all(|span| span.suggestion_applicability == Some(wanted))
}

/// Returns the proposal of a `help` message; `None` for one without replacements.
fn propose(error: &CompilerError, child: &RustcDiagnostic) -> Option<RustcProposal> {
    let first = child.spans.first()?;
    // Text that a macro wrote is not text of the file, and a suggestion over two files is rare
    // enough to leave to a person.
    if child.spans.iter().any(|span| span.in_macro || span.file_name != first.file_name) {
        return None;
    }
    let edits: Vec<RustcEdit> = child.spans.iter().filter_map(edit).collect();
    // Alternatives come as parts of one suggestion that replace the same place.
    let is_apart = |(at, edit): (usize, &RustcEdit)| {
        edits.iter().skip(at + 1).all(|other| !overlap(&edit.range, &other.range))
    };
    if edits.is_empty() || !edits.iter().enumerate().all(is_apart) {
        return None;
    }
    let in_file = error.diagnostic.spans.iter().chain(&child.spans);
    let seen = in_file.filter(|span| span.file_name == first.file_name).flat_map(lines).collect();
    let place = primary(&error.diagnostic)
        .filter(|span| span.file_name == first.file_name)
        .unwrap_or(first);
    Some(RustcProposal {
        manifest_path: error.manifest_path.clone(),
        file_name: first.file_name.clone(),
        drops_import: error
            .diagnostic
            .code
            .as_ref()
            .is_some_and(|code| code.code == "unused_imports"),
        note: format!("{}: {}", title(&error.diagnostic), help(child, &edits)),
        at: (place.line_start, place.column_start),
        edits,
        seen,
    })
}

/// Returns the lines of a span with their numbers, as the compiler saw them.
fn lines(span: &RustcSpan) -> impl Iterator<Item = (usize, String)> {
    span.text.iter().enumerate().map(|(at, line)| (span.line_start + at, line.text.clone()))
}

/// Returns a span with a replacement as an edit. `byte_start` and `byte_end` count from the start
/// of the file (doc.rust-lang.org/rustc/json.html).
fn edit(span: &RustcSpan) -> Option<RustcEdit> {
    Some(RustcEdit {
        range: span.byte_start..span.byte_end,
        replacement: span.suggested_replacement.clone()?,
    })
}

/// Returns `true` if two ranges overlap or are equal; two insertions at one place overlap.
fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a == b || (a.start < b.end && b.start < a.end)
}

/// Returns the span that the compiler marks as the cause.
fn primary(diagnostic: &RustcDiagnostic) -> Option<&RustcSpan> {
    diagnostic.spans.iter().find(|span| span.is_primary)
}

/// Returns the error without a suggestion in one line, its place first.
pub(super) fn describe(error: &CompilerError) -> String {
    let title = title(&error.diagnostic);
    match primary(&error.diagnostic) {
        Some(span) => {
            format!("{}:{}:{} {title}", span.file_name, span.line_start, span.column_start)
        }
        None => title,
    }
}

/// Returns the description of an error without a fix, with the reason if the compiler's sure suggestion is left out.
pub(super) fn describe_unfixed(error: &CompilerError) -> String {
    let described = describe(error);
    let is_sure = |child| has_applicability(child, Applicability::MachineApplicable);
    if changes_meaning(error) && error.diagnostic.children.iter().any(is_sure) {
        format!(
            "{described} (left out: its suggestion can change a result, or a name that others use)"
        )
    } else {
        described
    }
}

/// Returns an error as hints name it: its tool, code and first line.
fn title(diagnostic: &RustcDiagnostic) -> String {
    let message = diagnostic.message.lines().next().unwrap_or_default();
    match &diagnostic.code {
        Some(code) if code.code.starts_with("clippy::") => format!("{}: {message}", code.code),
        Some(code) => format!("rustc {}: {message}", code.code),
        None => format!("rustc: {message}"),
    }
}

/// Repeats the tool's words and, where it is short, what it wants written.
fn help(child: &RustcDiagnostic, edits: &[RustcEdit]) -> String {
    let words = child.message.lines().next().unwrap_or_default();
    match edits {
        [edit] if !edit.replacement.trim().is_empty() && edit.replacement.len() <= 80 => {
            format!("{words}: `{}`", edit.replacement.trim())
        }
        _ => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::read_errors;
    use super::*;

    fn errors(recorded: &str) -> Vec<CompilerError> {
        read_errors(recorded.as_bytes())
    }

    type Edits = Vec<(Range<usize>, String)>;

    /// The chosen edits of each error.
    fn chosen(recorded: &str) -> Vec<Option<Edits>> {
        let edits = |proposal: RustcProposal| {
            proposal.edits.into_iter().map(|edit| (edit.range, edit.replacement)).collect()
        };
        errors(recorded).iter().map(|error| choose(error, is_misspelling).map(edits)).collect()
    }

    fn one(range: Range<usize>, replacement: &str) -> Edits {
        vec![(range, replacement.to_owned())]
    }

    #[test]
    fn the_compiler_s_sure_suggestions_are_chosen() {
        assert_eq!(chosen(include_str!("recorded/missing_mut.jsonl")), [Some(one(46..46, "mut "))]);
        assert_eq!(
            chosen(include_str!("recorded/denied_unused_mut.jsonl")),
            [Some(one(49..53, ""))]
        );
        assert_eq!(
            chosen(include_str!("recorded/denied_warnings.jsonl")),
            [
                Some(one(19..62, "")),
                Some(vec![(134..135, String::new()), (140..141, String::new())]),
                Some(one(107..111, "")),
            ]
        );
    }

    #[test]
    fn similar_names_and_the_one_import_are_chosen() {
        assert_eq!(
            chosen(include_str!("recorded/misspelt_variable.jsonl")),
            [Some(one(58..64, "height"))]
        );
        assert_eq!(
            chosen(include_str!("recorded/misspelt_method.jsonl")),
            [Some(one(53..64, "to_uppercase"))]
        );
        let import = Some(one(0..0, "use std::collections::HashMap;\n\n"));
        assert_eq!(chosen(include_str!("recorded/missing_import.jsonl")), [import.clone(), import]);
    }

    #[test]
    fn a_similar_name_that_is_another_name_is_left() {
        let recorded = include_str!("recorded/misspelt_variable.jsonl");
        for (wrong, right) in [("price3", "price1"), ("getRow", "setRow")] {
            let other = recorded.replace("heigth", wrong).replace("height", right);
            assert_eq!(chosen(&other), [None], "{wrong} {right}");
        }
    }

    #[test]
    fn a_sure_suggestion_that_can_stop_the_program_is_left() {
        let recorded = include_str!("recorded/missing_mut.jsonl");
        for panicking in [".try_into().unwrap()", ".expect(", "todo!()"] {
            let other = recorded.replace("\"mut \"", &format!("\"{panicking}\""));
            assert_ne!(other, recorded);
            assert_eq!(chosen(&other), [None], "{panicking}");
        }
    }

    #[test]
    fn a_constant_that_is_not_in_scope_is_not_made_a_pattern_for_everything() {
        let recorded = include_str!("recorded/missing_mut.jsonl");
        for replacement in ["_NOT_FOUND", "_Missing"] {
            let other = recorded.replace("\"mut \"", &format!("\"{replacement}\""));
            assert_eq!(chosen(&other), [None], "{replacement}");
        }
        assert_ne!(chosen(&recorded.replace("\"mut \"", "\"_count\"")), [None]);
    }

    #[test]
    fn a_sure_suggestion_of_a_lint_that_can_change_a_result_is_left() {
        let recorded = include_str!("recorded/denied_unused_mut.jsonl");
        for lint in [
            "clippy::len_zero",
            "clippy::identity_op",
            "clippy::manual_range_contains",
            "non_snake_case",
        ] {
            let other = recorded.replace("\"unused_mut\"", &format!("\"{lint}\""));
            assert_ne!(other, recorded);
            assert_eq!(chosen(&other), [None], "{lint}");
            let unfixed = describe_unfixed(&errors(&other)[0]);
            assert!(unfixed.contains("(left out: "), "{unfixed}");
        }
    }

    #[test]
    fn ties_macros_and_errors_without_a_suggestion_are_left() {
        for (recorded, expected) in [
            (include_str!("recorded/two_candidates.jsonl"), vec![None, None]),
            (include_str!("recorded/inside_macro.jsonl"), vec![None]),
            (include_str!("recorded/no_suggestion.jsonl"), vec![None]),
        ] {
            assert_eq!(chosen(recorded), expected);
        }
    }

    #[test]
    fn a_suggestion_with_placeholders_or_an_unknown_meaning_is_left() {
        let recorded = include_str!("recorded/misspelt_variable.jsonl");
        for other in ["HasPlaceholders", "Unspecified"] {
            assert_eq!(chosen(&recorded.replace("MaybeIncorrect", other)), [None], "{other}");
        }
        let help = "a local variable with a similar name exists";
        let unsure = recorded.replace(help, "you might have meant this");
        assert_eq!(chosen(&unsure), [None]);
    }

    #[test]
    fn two_suggestions_that_qualify_are_a_tie() {
        let mut errors = errors(include_str!("recorded/missing_mut.jsonl"));
        let error = errors.first_mut().unwrap();
        let mut second = error.diagnostic.children.first().unwrap().clone();
        second.message = "consider something else".to_owned();
        error.diagnostic.children.push(second);
        assert_eq!(choose(error, is_misspelling), None);
    }

    #[test]
    fn notes_name_the_tool_the_code_and_the_words() {
        let errors = errors(include_str!("recorded/misspelt_variable.jsonl"));
        let proposal = choose(errors.first().unwrap(), is_misspelling).unwrap();
        assert_eq!(
            (proposal.note.as_str(), proposal.at),
            (
                "rustc E0425: cannot find value `heigth` in this scope: \
                 a local variable with a similar name exists: `height`",
                (2, 13)
            )
        );
        assert_eq!(
            describe(errors.first().unwrap()),
            "src/lib.rs:2:13 rustc E0425: cannot find value `heigth` in this scope"
        );
    }
}
