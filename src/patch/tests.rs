//! What lands, where, and what is refused.

use proptest::prelude::*;

use super::{PatchFault, apply};
use crate::domain::hunk::Rung;

fn landed(before: &str, patch: &str) -> Result<String, String> {
    apply(before, patch).map(|landed| landed.after).map_err(|fault| fault.to_string())
}

const FILE: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

#[test]
fn an_exact_hunk_lands_whatever_its_counts_say() {
    for header in ["@@ -2,3 +2,3 @@", "@@ -2,9 +2,1 @@ fn x", "@@ -2 +2 @@", "@@ @@", "@@"] {
        let patch = format!("--- a/f\n+++ b/f\n{header}\n two\n-three\n+THREE\n four\n");
        assert_eq!(
            landed(FILE, &patch).as_deref(),
            Ok("one\ntwo\nTHREE\nfour\nfive\nsix\n"),
            "{header}"
        );
    }
}

#[test]
fn a_wrong_line_number_is_no_obstacle_where_the_place_is_unique() {
    let patch = "@@ -40,2 +40,2 @@\n five\n-six\n+SIX\n";
    let landed = apply(FILE, patch).unwrap();
    assert_eq!(
        (landed.after.as_str(), landed.rungs.as_slice()),
        ("one\ntwo\nthree\nfour\nfive\nSIX\n", &[Rung::Offset][..])
    );
}

#[test]
fn two_places_are_a_refusal_unless_the_header_names_one() {
    let before = "x\na\nx\na\n";
    assert_eq!(landed(before, "@@ -3,2 +3,2 @@\n x\n-a\n+b\n").as_deref(), Ok("x\na\nx\nb\n"));
    let refused = landed(before, "@@ -9,2 +9,2 @@\n x\n-a\n+b\n").unwrap_err();
    assert!(refused.contains("at line 1 and at line 3"), "{refused}");
}

#[test]
fn a_deleted_line_that_is_not_there_is_a_refusal_that_shows_the_real_lines() {
    let Err(PatchFault::Hunk(fault)) = apply(FILE, "@@ -2,2 +2,2 @@\n two\n-tree\n+THREE\n") else {
        panic!("landed");
    };
    assert_eq!(fault.hunk, 1);
    assert!(fault.real.contains(&"three".to_owned()), "{fault:?}");
}

#[test]
fn a_patch_applied_before_is_recognised() {
    let refused = landed("one\nTWO\nthree\n", "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n");
    assert_eq!(refused.unwrap_err(), "hunk 1 does not apply: its new lines are already there");
}

#[test]
fn what_is_no_patch_of_one_file_is_refused() {
    for (patch, fault) in [
        ("", PatchFault::NoHunks),
        ("just words", PatchFault::NoHunks),
        ("@@ -1 +1 @@\n one\n", PatchFault::ChangesNothing),
        (
            "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+1\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
            PatchFault::SeveralFiles,
        ),
    ] {
        assert_eq!(apply(FILE, patch).map(|l| l.after), Err(fault), "{patch}");
    }
}

#[test]
fn fences_and_prose_around_the_diff_are_ignored() {
    let patch = "Here is the change:\n```diff\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n```\nDone.\n";
    assert_eq!(landed("one\ntwo\n", patch).as_deref(), Ok("1\ntwo\n"));
}

#[test]
fn blank_lines_without_a_mark_are_context_inside_and_nothing_at_the_end() {
    assert_eq!(landed("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n\n").as_deref(), Ok("a\n\nB\n"));
}

#[test]
fn line_endings_and_the_last_newline_are_the_files_own() {
    assert_eq!(
        landed("a\r\nb\r\n", "@@ -1,2 +1,3 @@\n a\n+x\n b\n").as_deref(),
        Ok("a\r\nx\r\nb\r\n")
    );
    assert_eq!(landed("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n").as_deref(), Ok("a\nB"));
    assert_eq!(landed("a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n").as_deref(), Ok("a\nb\nc"));
    let adds = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n";
    assert_eq!(landed("a", adds).as_deref(), Ok("b\n"));
    let removes = "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n";
    assert_eq!(landed("a\n", removes).as_deref(), Ok("b"));
}

#[test]
fn a_hunk_without_context_has_a_place_only_in_the_empty_file() {
    assert_eq!(landed("", "@@ -0,0 +1,2 @@\n+a\n+b\n").as_deref(), Ok("a\nb\n"));
    assert!(landed("x\n", "@@ -1,0 +2 @@\n+a\n").is_err());
}

#[test]
fn lines_that_look_like_headers_are_lines_while_the_counts_ask_for_them() {
    let patch = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n two\n";
    assert_eq!(landed("-- old\ntwo\n", patch).as_deref(), Ok("++ new\ntwo\n"));
}

proptest! {
    #[test]
    fn the_exact_diff_of_any_edit_gives_exactly_the_edited_text(
        before in "(a|b|c|\n|é){0,60}", after in "(a|b|c|\n|d){0,60}",
    ) {
        prop_assume!(before != after);
        let patch = diffy::create_patch(&before, &after).to_string();
        match apply(&before, &patch) {
            Ok(landed) => prop_assert_eq!(landed.after, after),
            Err(fault) => prop_assert!(matches!(fault, PatchFault::Hunk(_)), "{}", fault),
        }
    }

    #[test]
    fn no_patch_text_panics(before in "(a|b|\n){0,20}", patch in "(@@|-1|,|\\+|-| |a|b|\n|\\\\|--- |\\+\\+\\+ ){0,40}") {
        let _ = apply(&before, &patch);
    }
}
