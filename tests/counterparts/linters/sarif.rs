//! Fixes in SARIF as ruff writes it: given as a log, they land as ruff's own `--fix` lands them.

use crate::linters::rig::Folder;

const PROGRAM: &str = ".venv/bin/ruff";

fn folder() -> Folder {
    let source = "\u{feff}import os, json\r\nx = \"é😀\"\r\ny = f\"z\"\r\ndef f(a): return not a in [json]\r\n";
    Folder::new(&[("a b.py", source)])
}

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&[PROGRAM, "check", "--isolated", "--no-cache", "--quiet", "--select", "F541,E713,F401"], more]
        .concat()
}

#[test]
fn the_fixes_of_a_report_are_landed_without_running_anything() {
    let (ours, theirs) = (folder(), folder());
    let report = ours.run(&arguments(&["--output-format", "sarif", "."]));
    assert!(report.contains("artifactChanges"), "{report}");
    let proposed = ours.asked_about(None, &report);
    theirs.run(&arguments(&["--fix", "."]));
    let expected = [("a b.py".to_owned(), theirs.read("a b.py"))];
    assert_eq!(proposed.files, expected.into(), "{}", proposed.summary);
}

#[test]
fn a_report_of_a_file_that_is_shorter_by_now_is_left_with_the_reason() {
    let folder = folder();
    let report = folder.run(&arguments(&["--output-format", "sarif", "."]));
    folder.write("a b.py", "x = 1\n");
    let proposed = folder.asked_about(None, &report);
    assert!(proposed.files.is_empty(), "{proposed:?}");
    assert!(proposed.summary.contains("(left out: its region is not in the file)"), "{proposed:?}");
}
