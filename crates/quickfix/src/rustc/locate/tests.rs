//! Files as the compiler names them, and files that are not as it saw them.

use super::super::super::land::land;
use super::super::super::tool_context::ToolContext;
use super::super::choose;
use super::*;
use crate::tests::{Outside, config};
use papayu_base::domain::FailureReport;
use papayu_system::in_memory::{MemoryNode, MemoryTree, Nodes};

const SOURCE: &str = "fn main() {\n    let total = 1;\n    print(totl);\n}\n";

fn tree(files: &[(&str, &[u8])]) -> MemoryTree {
    let node = |bytes: &[u8]| MemoryNode::File(bytes.to_vec(), 0o644);
    MemoryTree::new(
        files.iter().map(|(path, bytes)| ((*path).to_owned(), node(bytes))).collect::<Nodes>(),
    )
}

/// The misspelt name of [`SOURCE`], as a file and a package name it.
fn proposal(file_name: &str, manifest_path: &str) -> RustcProposal {
    let start = SOURCE.find("totl").unwrap();
    RustcProposal {
        manifest_path: manifest_path.into(),
        file_name: file_name.to_owned(),
        drops_import: false,
        note: "note".to_owned(),
        at: (3, 11),
        edits: vec![choose::RustcEdit { range: start..start + 4, replacement: "total".to_owned() }],
        seen: vec![(3, "    print(totl);".to_owned())],
    }
}

/// Path and text of each fixed file, and the lines left out.
fn placed(
    files: &[(&str, &[u8])],
    proposals: &[RustcProposal],
) -> (Vec<(String, String)>, Vec<String>) {
    let (tree, outside) =
        (tree(files), Outside::holding(&files.iter().map(|(path, _)| *path).collect::<Vec<_>>()));
    let (config, report) = (config(None), FailureReport::default());
    let tools = ToolContext {
        system: outside.system(),
        tree: &tree,
        config: &config,
        report: &report,
        names: None,
        changes: None,
        time_limit: std::time::Duration::ZERO,
    };
    let mut context = DiagnosticContext::new(&tools);
    locate_all(&mut context, proposals);
    let findings = context.into_findings(String::new());
    let placed = land(&findings, &findings.fixes);
    let left_out = findings.unfixed.into_iter().chain(placed.left_out).collect();
    let texts = placed.files.into_iter().map(|fix| (fix.path.to_string(), fix.after));
    (texts.collect(), left_out)
}

fn fixed(path: &str) -> (Vec<(String, String)>, Vec<String>) {
    (vec![(path.to_owned(), SOURCE.replace("totl", "total"))], Vec::new())
}

fn left(name: &str, reason: &str) -> (Vec<(String, String)>, Vec<String>) {
    (Vec::new(), vec![format!("{name}:3:11 note (left out: {reason})")])
}

#[test]
fn files_are_found_as_the_compiler_names_them() {
    for (file, named, manifest) in [
        ("src/main.rs", "src/main.rs", "/memory/Cargo.toml"),
        ("a/src/main.rs", "a/src/main.rs", "/memory/a/Cargo.toml"),
        ("ws/a/src/main.rs", "a/src/main.rs", "/memory/ws/a/Cargo.toml"),
        ("a/src/main.rs", "/memory/a/src/main.rs", "/memory/a/Cargo.toml"),
        ("src/main.rs", "src/deep/../main.rs", "/memory/Cargo.toml"),
    ] {
        let files = [(file, SOURCE.as_bytes())];
        assert_eq!(placed(&files, &[proposal(named, manifest)]), fixed(file), "{named}");
    }
}

#[test]
fn files_outside_the_repository_are_left_out() {
    let files = [("src/main.rs", SOURCE.as_bytes())];
    for (named, manifest) in [
        ("/registry/x/src/main.rs", "/registry/x/Cargo.toml"),
        ("src/main.rs", "/registry/x/Cargo.toml"),
        ("../src/main.rs", "/memory/Cargo.toml"),
        ("/memory/../memory/../etc/passwd", "/memory/Cargo.toml"),
        ("target/debug/build/x/out/main.rs", "/memory/Cargo.toml"),
    ] {
        let expected = left(named, "the file is not one of the repository's");
        assert_eq!(placed(&files, &[proposal(named, manifest)]), expected, "{named}");
    }
}

#[test]
fn a_file_that_is_not_as_the_compiler_saw_it_is_left_out() {
    let one = [proposal("a.rs", "/memory/Cargo.toml")];
    let moved = format!("// new first line\n{SOURCE}");
    for (bytes, reason) in [
        (moved.as_bytes(), "the file is not as the compiler saw it"),
        (b"", "the file is not as the compiler saw it"),
        (b"fn main() {\n    let total = 1;\n", "the file is not as the compiler saw it"),
        (b"caf\xe9\n", "the file is not UTF-8"),
    ] {
        assert_eq!(placed(&[("a.rs", bytes)], &one), left("a.rs", reason));
    }
}

#[test]
fn the_first_of_two_overlapping_proposals_is_kept_and_a_repeated_edit_lands_once() {
    let first = proposal("a.rs", "/memory/Cargo.toml");
    let mut second = first.clone();
    second.edits =
        vec![choose::RustcEdit { replacement: "other".to_owned(), ..first.edits[0].clone() }];
    let (files, left_out) = placed(&[("a.rs", SOURCE.as_bytes())], &[first.clone(), first, second]);
    assert_eq!(files, fixed("a.rs").0);
    assert_eq!(left_out, left("a.rs", "it overlaps another suggestion").1);
}

#[test]
fn an_import_lands_with_the_file_s_own_line_endings() {
    let crlf = SOURCE.replace('\n', "\r\n");
    let mut import = proposal("a.rs", "/memory/Cargo.toml");
    import.edits = vec![choose::RustcEdit { range: 0..0, replacement: "use a::B;\n\n".to_owned() }];
    let expected = format!("use a::B;\r\n\r\n{crlf}");
    assert_eq!(
        placed(&[("a.rs", crlf.as_bytes())], &[import]),
        (vec![("a.rs".to_owned(), expected)], Vec::new())
    );
}

#[test]
fn a_byte_order_mark_is_counted_and_stays_first() {
    let marked = format!("{MARK}{SOURCE}");
    let mut one = proposal("a.rs", "/memory/Cargo.toml");
    one.edits[0].range = one.edits[0].range.start + 3..one.edits[0].range.end + 3;
    let expected = marked.replace("totl", "total");
    assert_eq!(
        placed(&[("a.rs", marked.as_bytes())], &[one.clone()]),
        (vec![("a.rs".to_owned(), expected)], Vec::new())
    );
    one.edits[0].range = 0..0;
    assert_eq!(
        placed(&[("a.rs", marked.as_bytes())], &[one]),
        left("a.rs", "the file is not as the compiler saw it")
    );
}

#[test]
fn a_range_that_cuts_a_character_is_left_out() {
    let source = "// é\n";
    let mut one = proposal("a.rs", "/memory/Cargo.toml");
    one.edits = vec![choose::RustcEdit { range: 4..6, replacement: String::new() }];
    one.seen = vec![(1, "// é".to_owned())];
    assert_eq!(
        placed(&[("a.rs", source.as_bytes())], &[one]),
        left("a.rs", "the file is not as the compiler saw it")
    );
}
