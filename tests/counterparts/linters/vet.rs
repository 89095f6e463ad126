//! go vet of a version that suggests fixes: what it says is mended, it no longer says.

use crate::linters::rig::Folder;

const MODULE: (&str, &str) = ("go.mod", "module example.com/a\n\ngo 1.24\n");

#[test]
fn the_format_that_it_wants_is_written_and_what_it_has_no_fix_for_is_named() {
    let source = "package a\n\nimport \"fmt\"\n\nfunc F(é string) {\n\t/* 😀 */ fmt.Printf(é)\n\tfmt.Printf(\"%d\", é)\n}\n";
    let folder = Folder::new(&[MODULE, ("a.go", source)]);
    let proposed = folder.asked("go build ./... && go vet ./...");
    let after = source.replace("Printf(é)", "Printf(\"%s\", é)");
    assert_eq!(proposed.files, [("a.go".to_owned(), after)].into(), "{}", proposed.summary);
    assert!(
        proposed.summary.contains(
            "a.go:7:2 go vet printf: fmt.Printf format %d has arg é of wrong type string"
        ),
        "{}",
        proposed.summary
    );
}

#[test]
fn a_test_run_that_vet_stopped_is_asked_of_the_same_packages() {
    let source = "package a\n\nimport \"fmt\"\n\nfunc F(s string) {\n\tfmt.Printf(s)\n}\n";
    let folder = Folder::new(&[MODULE, ("a.go", source)]);
    let log =
        "# example.com/a\nvet: ./a.go:6:13: non-constant format string in call to fmt.Printf\n";
    let proposed = folder.asked_about(Some("go test -count=1 ./..."), log);
    assert_eq!(proposed.files.len(), 1, "{}", proposed.summary);
    let without = folder.asked_about(Some("go test ./..."), "--- FAIL: TestF (0.00s)\n");
    assert!(without.summary.ends_with("nothing of these"), "{}", without.summary);
}
