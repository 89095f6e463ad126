//! The book of `docs/` builds with mdBook, and every link in its pages leads to a page and an anchor.

use std::path::Path;
use std::process::Command;

use crate::judges::{home, python};

#[test]
fn the_book_builds_without_warnings_and_has_no_broken_link() {
    let folder = tempfile::tempdir().unwrap();
    let mut mdbook = Command::new(home().join("venv/bin/mdbook"));
    let output = mdbook
        .args(["build", "--dest-dir"])
        .arg(folder.path())
        .arg(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    assert!(!log.contains("WARN") && !log.contains("ERROR"), "{log}");
    assert!(folder.path().join("first-fix.html").is_file());
    let printed = python("book_links.py", &[folder.path()]);
    let checked: usize = printed.split_whitespace().next().unwrap().parse().unwrap();
    assert!(checked > 200, "{printed}");
    assert!(Path::new(&folder.path().join("first-fix.svg")).is_file());
}
