//! typos: its own `--write-changes` is the oracle; a word with two corrections is left.

use std::collections::BTreeMap;

use crate::linters::rig::Folder;

#[test]
fn words_with_one_correction_are_corrected_wherever_they_stand() {
    let files = [
        ("a.txt", "\u{feff}teh é😀 langauge, teh\r\nrecieve\r\n"),
        ("src/deep/b.py", "def recieve(langauge):  # 日本 seperate\n    return langauge\n"),
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
fn words_are_left_where_nobody_asked_about_them() {
    let folder = Folder::new(&[("a.txt", "teh\n")]);
    let proposed = folder.asked("make test");
    assert!(
        proposed.files.is_empty() && proposed.summary.ends_with("nothing of these"),
        "{proposed:?}"
    );
}
