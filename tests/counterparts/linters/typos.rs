//! typos: its own `--write-changes` is the oracle; a word with two corrections is left.

use std::collections::BTreeMap;

use crate::linters::rig::Folder;

#[test]
fn words_of_prose_and_comments_with_one_correction_are_corrected() {
    let files = [
        ("a.txt", "\u{feff}teh é😀 langauge, teh\r\nrecieve\r\n"),
        ("src/deep/b.py", "def f(a):  # 日本 seperate\n    langauge = a\n    return langauge\n"),
        ("c.md", "Ths foo ba is teh best.\n"),
    ];
    let (ours, theirs) = (Folder::new(&files), Folder::new(&files));
    let proposed = ours.asked("typos");
    theirs.run(&[".venv/bin/typos", "--write-changes"]);
    let after = files.map(|(path, _)| (path.to_owned(), theirs.read(path)));
    assert_eq!(proposed.files, BTreeMap::from(after), "{}", proposed.summary);
    assert!(
        proposed.summary.contains("c.md:1:9 typos: `ba` should be `by` or `be`"),
        "{}",
        proposed.summary
    );
}

#[test]
fn names_and_texts_that_other_code_may_use_are_hints() {
    let folder = Folder::new(&[
        ("b.py", "def recieve(langauge):\n    return {\"seperate\": langauge}\n"),
        ("c.json", "{\"recieve\": 1}\n"),
    ]);
    let proposed = folder.asked("typos");
    assert_eq!(proposed.files, BTreeMap::new(), "{}", proposed.summary);
    assert!(
        proposed
            .summary
            .contains("`recieve` should be `receive` (left out: other code may use the name)"),
        "{}",
        proposed.summary
    );
}

#[test]
fn words_are_left_where_nobody_asked_about_them() {
    let folder = Folder::new(&[("a.txt", "teh\n")]);
    let proposed = folder.asked("make test");
    assert!(
        proposed.files.is_empty() && proposed.summary.ends_with("nothing of these"),
        "{proposed:?}"
    );
}
