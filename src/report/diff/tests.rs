//! Patches as people see them, those that are none first.

use super::*;

fn shown(patch: &str) -> Vec<(String, Vec<String>)> {
    let line = |line: &DiffLine| {
        let mark = match line.kind {
            LineKind::Head => "",
            LineKind::Context => " ",
            LineKind::Deleted => "-",
            LineKind::Added => "+",
        };
        let spans = line.spans.iter().map(|span| {
            let text = match span.ink {
                "plain" => span.text.clone(),
                ink => format!("{}:{}", ink.get(..1).unwrap(), span.text),
            };
            if span.changed { format!("[{text}]") } else { text }
        });
        format!("{mark}{}", spans.collect::<Vec<_>>().join("~"))
    };
    read(patch)
        .into_iter()
        .map(|file| (file.path.clone(), file.lines.iter().map(line).collect()))
        .collect()
}

#[test]
fn what_is_no_patch_has_no_files_and_a_cut_one_shows_what_there_is() {
    assert_eq!(shown(""), []);
    assert_eq!(shown("+ a\n@@ -1 +1 @@\n-x\n+y\n"), []);
    let cut = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b";
    let lines = ["@@ -1,9 +1,9 @@", " a", "-b"].map(str::to_owned).to_vec();
    assert_eq!(shown(cut), [("x".to_owned(), lines)]);
}

#[test]
fn changed_words_are_marked_and_deleted_lines_of_dashes_are_no_headers() {
    let patch = "diff --git a/q.sql b/q.sql\nindex 1..2 100644\n--- a/q.sql\n+++ b/q.sql\n\
        @@ -1,2 +1,2 @@ head\n--- old name\n-x\n+-- new name\n+completely other words here\n\
        diff --git a/a.rs b/a.rs\n@@ -3 +3 @@\n-let a = prase(\"x\"); // 1\n+let a = parse(\"x\"); // 1\n";
    let expected = [
        (
            "q.sql",
            vec![
                "@@ -1,2 +1,2 @@ head", "--- ~[old]~ name", "-x", "+-- ~[new]~ name",
                "+completely other words here",
            ],
        ),
        (
            "a.rs",
            vec![
                "@@ -3 +3 @@",
                "-k:let~ a = ~[prase]~(~s:\"x\"~); ~c:// 1",
                "+k:let~ a = ~[parse]~(~s:\"x\"~); ~c:// 1",
            ],
        ),
    ];
    let expected = expected.map(|(path, lines)| {
        (path.to_owned(), lines.into_iter().map(str::to_owned).collect::<Vec<_>>())
    });
    assert_eq!(shown(patch), expected);
}

#[test]
fn a_comment_over_several_lines_is_one_on_each_and_letters_outside_ascii_do_no_harm() {
    let patch = "diff --git a/é.py b/é.py\n@@ -1,2 +1,3 @@\n \"\"\"о\n+вот\n end\"\"\"\n";
    let expected = ["@@ -1,2 +1,3 @@", " s:\"\"\"о", "+s:вот", " s:end\"\"\""].map(str::to_owned);
    assert_eq!(shown(patch), [("é.py".to_owned(), expected.to_vec())]);
}
