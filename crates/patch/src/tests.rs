//! What lands, where, and what is refused.

use proptest::prelude::*;

use super::{PatchFault, apply_patch};
use papayu_base::domain::hunk::HunkStrategy;

fn landed(before: &str, patch: &str) -> Result<String, String> {
    apply_patch(before, patch, "f").map(|landed| landed.after).map_err(|fault| fault.to_string())
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
    let landed = apply_patch(FILE, patch, "f").unwrap();
    assert_eq!(
        (landed.after.as_str(), landed.strategies.as_slice()),
        ("one\ntwo\nthree\nfour\nfive\nSIX\n", &[HunkStrategy::Offset][..])
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
    let Err(PatchFault::Hunk(fault, _)) =
        apply_patch(FILE, "@@ -2,2 +2,2 @@\n two\n-TREE\n+THREE\n", "f")
    else {
        panic!("landed");
    };
    assert_eq!(fault.hunk, 1);
    assert!(fault.real.contains(&"three".to_owned()), "{fault:?}");
}

#[test]
fn a_patch_applied_before_is_recognised() {
    let refused = landed("one\nTWO\nthree\n", "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n");
    assert_eq!(
        refused.unwrap_err(),
        "hunk 1 does not apply: its new lines are already there, at line 1"
    );
}

#[test]
fn what_is_no_patch_of_one_file_is_refused() {
    for (patch, fault) in [
        ("", PatchFault::NoHunks),
        ("just words", PatchFault::NoHunks),
        ("@@ -1 +1 @@\n one\n", PatchFault::ChangesNothing),
        (
            "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+1\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
            PatchFault::SeveralFiles(vec!["x".into(), "y".into()]),
        ),
        (
            "--- a/src/values.py\n+++ b/src/values.py\n@@ -1 +1 @@\n-one\n+1\n",
            PatchFault::OtherFile("src/values.py".into()),
        ),
        (
            "diff --git a/src/values.py b/src/values.py\n@@ -1 +1 @@\n-one\n+1\n",
            PatchFault::OtherFile("src/values.py".into()),
        ),
        (
            "Index: src/values.py\n@@ -1 +1 @@\n-one\n+1\n",
            PatchFault::OtherFile("src/values.py".into()),
        ),
        ("--- a/v.py\n@@ -1 +1 @@\n-one\n+1\n", PatchFault::OtherFile("v.py".into())),
        ("+++ b/v.py\n@@ -1 +1 @@\n-one\n+1\n", PatchFault::OtherFile("v.py".into())),
    ] {
        assert_eq!(apply_patch(FILE, patch, "f").map(|l| l.after), Err(fault), "{patch}");
    }
}

#[test]
fn a_header_without_a_file_or_with_a_part_of_the_path_is_of_the_action() {
    for name in ["original", "file.py", "path/to/file.py", "parser.py", "repo/src/parser.py"] {
        let patch = format!("--- a/{name}\n+++ b/{name}\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n");
        let patched = apply_patch("one\ntwo\n", &patch, "src/parser.py").map(|it| it.after);
        assert_eq!(patched.as_deref(), Ok("1\ntwo\n"), "{name}");
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
fn a_hunk_without_context_has_a_place_in_the_empty_file_or_where_the_header_says_so() {
    assert_eq!(landed("", "@@ -0,0 +1,2 @@\n+a\n+b\n").as_deref(), Ok("a\nb\n"));
    assert_eq!(landed("x\n", "@@ -1,0 +2 @@\n+a\n").as_deref(), Ok("x\na\n"));
    assert!(landed("x\n", "@@ -2,0 +3 @@\n+a\n").is_err(), "past the end");
    assert!(landed("x\n", "@@ -1 +2 @@\n+a\n").is_err(), "the header promises context");
}

#[test]
fn of_several_files_the_own_hunks_are_taken_and_the_others_named() {
    let patch =
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+1\n--- a/d/f\n+++ b/d/f\n@@ -1 +1 @@\n-one\n+2\n";
    let landed = apply_patch("one\n", patch, "d/f").unwrap();
    assert_eq!((landed.after.as_str(), landed.others), ("2\n", vec!["x".to_owned()]));
    let landed = apply_patch("one\n", patch, "repo/d/f").unwrap();
    assert_eq!(landed.after, "2\n", "leading folders come and go");
}

#[test]
fn a_file_of_equal_lines_and_a_hunk_of_the_same_take_no_more_than_linear_time() {
    // Quadratic work would take minutes; a tie is the answer either way.
    let before = "same line here\n".repeat(50_000);
    let context = " same line here\n".repeat(2_000);
    let patch = format!("@@ ... @@\n{context}-same line here\n+other\n");
    assert!(landed(&before, &patch).unwrap_err().contains("more context"));
    let misspelt = format!("@@ ... @@\n{context}-same lime here\n+other\n");
    assert!(landed(&before, &misspelt).is_err());
}

#[test]
fn lines_that_look_like_headers_are_lines_while_the_counts_ask_for_them() {
    let patch = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n two\n";
    assert_eq!(landed("-- old\ntwo\n", patch).as_deref(), Ok("++ new\ntwo\n"));
}

/// A file of lines that all differ, and the same with some runs of them changed.
fn edited() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let line = ("[a-z]{3,9}", "[a-z]{3,9}", 0_usize..4, prop::bool::ANY);
    let edits = prop::collection::vec((0_usize..60, 0_usize..4, 0_usize..4), 1..4);
    (prop::collection::vec(line, 8..60), edits).prop_map(|(lines, edits)| {
        let text = |index: usize, (one, two, depth, call): &(String, String, usize, bool)| {
            let code =
                if *call { format!("{one}({two}_{one});") } else { format!("{one} = {two};") };
            format!("{}{code} // {}", "    ".repeat(*depth), letters(index))
        };
        let before: Vec<String> = lines.iter().enumerate().map(|(i, line)| text(i, line)).collect();
        let mut after = before.clone();
        for (number, (at, gone, come)) in edits.into_iter().enumerate() {
            let at = at % after.len();
            let end = (at + gone).min(after.len());
            let new =
                (0..come).map(|line| format!("fresh_{}({});", letters(number), letters(line)));
            after.splice(at..end, new);
            if after.is_empty() {
                after.push("rest();".to_owned());
            }
        }
        (before, after)
    })
}

/// A word that is another one for every number.
fn letters(number: usize) -> String {
    let letter = |shift: usize| char::from(b'a' + u8::try_from((number / shift) % 26).unwrap());
    format!("{0}{0}{0}{1}{1}{1}", letter(26), letter(1))
}

fn joined(lines: &[String], ending: &str) -> String {
    lines.iter().flat_map(|line| [line.as_str(), ending]).collect()
}

/// Damages a patch in one of the ways of models; `seed` says where.
fn damaged(patch: &str, kind: usize, seed: usize) -> String {
    let mut lines: Vec<String> = patch.lines().map(str::to_owned).collect();
    let of = |lines: &[String], mark: char| -> Vec<usize> {
        let body = lines.iter().enumerate().skip(2);
        body.filter(|(_, line)| line.starts_with(mark)).map(|(index, _)| index).collect()
    };
    let (context, deleted) = (of(&lines, ' '), of(&lines, '-'));
    let pick = |from: &[usize]| from.get(seed % from.len().max(1)).copied();
    // Without its neighbour a new line has another place: that is another patch.
    let new = |at: usize| lines.get(at).is_some_and(|line| line.starts_with('+'));
    let apart: Vec<usize> =
        context.iter().copied().filter(|at| !new(at - 1) && !new(at + 1)).collect();
    match kind {
        0 => lines
            .iter_mut()
            .filter(|line| line.starts_with("@@"))
            .for_each(|line| *line = "@@ ... @@".into()),
        1 => lines.iter_mut().filter(|line| line.starts_with("@@")).for_each(|line| {
            *line = format!("@@ -{},{} +1,1 @@", seed % 90, seed % 7);
        }),
        2 => drop(pick(&apart).map(|at| lines.remove(at))),
        3 => drop(pick(&context).map(|at| lines[at] = lines[at].replacen('e', "x", 1))),
        4 => drop(pick(&deleted).map(|at| lines[at] = lines[at].replacen('e', "x", 1))),
        5 => lines
            .iter_mut()
            .skip(2)
            .filter(|line| !line.starts_with('@'))
            .for_each(|line| line.insert_str(1, "  ")),
        6 => context.iter().chain(&deleted).for_each(|at| lines[*at].push_str(" \t")),
        7 => lines.iter_mut().for_each(|line| line.push('\r')),
        8 => drop(pick(&context).map(|at| lines[at].remove(0))),
        9 => lines.truncate(lines.len() - lines.len().min(seed % 5)),
        10 => drop(pick(&deleted).map(|at| lines.remove(at))),
        _ => drop(lines.drain(..2)),
    }
    lines.join("\n") + "\n"
}

proptest! {
    #[test]
    fn the_exact_diff_of_any_file_gives_exactly_the_edited_text((before, after) in edited(), crlf: bool, end: bool) {
        let ending = if crlf { "\r\n" } else { "\n" };
        let (mut before, mut after) = (joined(&before, ending), joined(&after, ending));
        prop_assume!(before != after);
        if !end {
            before.truncate(before.len() - ending.len());
            after.truncate(after.len() - ending.len());
        }
        let patch = diffy::create_patch(&before, &after).to_string();
        let landed = apply_patch(&before, &patch, "f");
        prop_assert_eq!(landed.map(|landed| landed.after), Ok(after));
    }

    #[test]
    fn a_damaged_diff_gives_that_text_or_a_refusal((before, after) in edited(), kind in 0_usize..12, seed: usize) {
        let (before, after) = (joined(&before, "\n"), joined(&after, "\n"));
        prop_assume!(before != after);
        let patch = diffy::create_patch(&before, &after).to_string();
        if let Ok(landed) = apply_patch(&before, &damaged(&patch, kind, seed), "f") {
            // A patch cut short, or without a line that was to go, is another patch.
            let same = kind != 9 && kind != 10;
            prop_assert!(!same || landed.after == after, "{patch}\n{}", landed.after);
        }
    }

    #[test]
    fn the_exact_diff_of_any_edit_gives_exactly_the_edited_text(
        before in "(a|b|c|\n|é){0,60}", after in "(a|b|c|\n|d){0,60}",
    ) {
        prop_assume!(before != after);
        let patch = diffy::create_patch(&before, &after).to_string();
        match apply_patch(&before, &patch, "f") {
            Ok(landed) => prop_assert_eq!(landed.after, after),
            Err(fault) => prop_assert!(matches!(fault, PatchFault::Hunk(..)), "{}", fault),
        }
    }

    #[test]
    fn no_patch_text_panics(before in "(a|b|\n){0,20}", patch in "(@@|-1|,|\\+|-| |a|b|\n|\\\\|--- |\\+\\+\\+ ){0,40}") {
        let _ = apply_patch(&before, &patch, "f");
    }
}
