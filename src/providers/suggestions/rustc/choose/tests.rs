use super::super::message::MessageReader;
use super::*;

fn errors(recorded: &str) -> Vec<CompilerError> {
    let mut reader = MessageReader::default();
    reader.take(recorded.as_bytes());
    reader.finish()
}

/// The chosen edits of each error.
fn chosen(recorded: &str) -> Vec<Option<Vec<(Range<usize>, String)>>> {
    let edits = |proposal: Proposal| {
        proposal.edits.into_iter().map(|edit| (edit.range, edit.replacement)).collect()
    };
    errors(recorded).iter().map(|error| choose(error).map(edits)).collect()
}

fn one(range: Range<usize>, replacement: &str) -> Option<Vec<(Range<usize>, String)>> {
    Some(vec![(range, replacement.to_owned())])
}

#[test]
fn the_compiler_s_sure_suggestions_are_chosen() {
    assert_eq!(chosen(include_str!("../recorded/missing_mut.jsonl")), [one(46..46, "mut ")]);
    assert_eq!(chosen(include_str!("../recorded/denied_unused_mut.jsonl")), [one(49..53, "")]);
    assert_eq!(
        chosen(include_str!("../recorded/denied_warnings.jsonl")),
        [
            one(19..62, ""),
            Some(vec![(134..135, String::new()), (140..141, String::new())]),
            one(107..111, ""),
        ]
    );
}

#[test]
fn similar_names_and_the_one_import_are_chosen() {
    assert_eq!(
        chosen(include_str!("../recorded/misspelt_variable.jsonl")),
        [one(58..64, "height")]
    );
    assert_eq!(
        chosen(include_str!("../recorded/misspelt_method.jsonl")),
        [one(53..64, "to_uppercase")]
    );
    let import = one(0..0, "use std::collections::HashMap;\n\n");
    assert_eq!(chosen(include_str!("../recorded/missing_import.jsonl")), [import.clone(), import]);
}

#[test]
fn ties_macros_and_errors_without_a_suggestion_are_left() {
    for (recorded, expected) in [
        (include_str!("../recorded/two_candidates.jsonl"), vec![None, None]),
        (include_str!("../recorded/inside_macro.jsonl"), vec![None]),
        (include_str!("../recorded/no_suggestion.jsonl"), vec![None]),
    ] {
        assert_eq!(chosen(recorded), expected);
    }
}

#[test]
fn a_suggestion_with_placeholders_or_an_unknown_meaning_is_left() {
    let recorded = include_str!("../recorded/misspelt_variable.jsonl");
    for other in ["HasPlaceholders", "Unspecified"] {
        assert_eq!(chosen(&recorded.replace("MaybeIncorrect", other)), [None], "{other}");
    }
    let help = "a local variable with a similar name exists";
    let unsure = recorded.replace(help, "you might have meant this");
    assert_eq!(chosen(&unsure), [None]);
}

#[test]
fn two_suggestions_that_qualify_are_a_tie() {
    let mut errors = errors(include_str!("../recorded/missing_mut.jsonl"));
    let error = errors.first_mut().unwrap();
    let mut second = error.diagnostic.children.first().unwrap().clone();
    second.message = "consider something else".to_owned();
    error.diagnostic.children.push(second);
    assert_eq!(choose(error), None);
}

#[test]
fn notes_name_the_tool_the_code_and_the_words() {
    let errors = errors(include_str!("../recorded/misspelt_variable.jsonl"));
    let proposal = choose(errors.first().unwrap()).unwrap();
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
