//! What is rendered, held against git itself.
#![expect(clippy::disallowed_methods, reason = "git reads patches and files from the disk")]

use std::fs;
use std::path::Path;
use std::process::Command;

use super::*;

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text).unwrap()
}

fn git(folder: &Path, arguments: &[&str]) {
    let run = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
}

fn utf16(text: &str) -> Vec<u8> {
    ["\u{feff}", text].concat().encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn write(name: &str, before: Vec<u8>, after: Vec<u8>) -> Change {
    Change::WriteFile { path: path(name), before, after }
}

/// Lets git apply the patch forwards and, `--reverse`, back.
fn holds(changes: Vec<Change>) {
    let preview = Preview::new(changes);
    let folder = tempfile::Builder::new().prefix("с пробелом ").tempdir().unwrap();
    let at = |path: &RepoPath| folder.path().join(path.as_str());
    git(folder.path(), &["init", "-q"]);
    for RenderedFile { path, before, .. } in changed_files(&preview) {
        fs::create_dir_all(at(path).parent().unwrap()).unwrap();
        before.map_or(Ok(()), |bytes| fs::write(at(path), bytes)).unwrap();
    }
    fs::write(folder.path().join(".git/papayu.patch"), render(&preview)).unwrap();
    git(folder.path(), &["apply", "--check", ".git/papayu.patch"]);
    git(folder.path(), &["apply", ".git/papayu.patch"]);
    for RenderedFile { path, after, .. } in changed_files(&preview) {
        assert_eq!(fs::read(at(path)).ok().as_deref(), after, "{path}");
    }
    git(folder.path(), &["apply", "--reverse", ".git/papayu.patch"]);
    for RenderedFile { path, before, .. } in changed_files(&preview) {
        assert_eq!(fs::read(at(path)).ok().as_deref(), before, "{path}, back");
    }
}

#[test]
fn git_applies_what_is_not_utf8_and_what_it_calls_binary() {
    let cp1251 = |text: &str| encoding_rs::WINDOWS_1251.encode(text).0.into_owned();
    let sjis = |text: &str| encoding_rs::SHIFT_JIS.encode(text).0.into_owned();
    let long = "line é\r\n".repeat(1500) + "line 77\r\n" + &"line é\r\n".repeat(1500);
    holds(vec![
        Change::CreateFile { path: path("new/utf16.txt"), after: utf16("neu\r\n") },
        Change::CreateFile { path: path("new/empty"), after: Vec::new() },
        write("a b/ä.txt", utf16("one\r\ntwo\r\n"), utf16("one\r\n2\r\n")),
        write("long.txt", utf16(&long), utf16(&long.replace("line 77", "Zeile 77"))),
        write("cp1251.c", cp1251("// привет\n// мир\n"), cp1251("// привет\n// миру — мир\n")),
        write("sjis.c", sjis("// 表示\r\n// ソース\r\n"), sjis("// 表示\r\n// 能\r\n")),
        write("bare.txt", b"a\0b\n".to_vec(), b"a\n".to_vec()),
        write("late.txt", [vec![b'a'; 9000], b"\n\0\n".to_vec()].concat(), b"\n".to_vec()),
        write("old mac", b"a\rb\nc\r\n".to_vec(), b"a\rB\nc\r\n".to_vec()),
        write("endless", b"a\nb".to_vec(), b"a\nb\n".to_vec()),
        Change::RemoveFile { path: path("gone.txt"), before: utf16("gone") },
        Change::RemoveFile { path: path("gone.c"), before: cp1251("// пока\n") },
        Change::RemoveFile { path: path("gone empty"), before: Vec::new() },
    ]);
}

#[test]
fn git_refuses_a_binary_patch_for_another_file() {
    let preview = Preview::new(vec![write("a", utf16("old"), utf16("new"))]);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), utf16("other")).unwrap();
    fs::write(folder.path().join("p"), render(&preview)).unwrap();
    git(folder.path(), &["init", "-q"]);
    let run = Command::new("git").args(["apply", "p"]).current_dir(folder.path()).output().unwrap();
    assert!(!run.status.success());
    assert_eq!(fs::read(folder.path().join("a")).unwrap(), utf16("other"));
}

#[test]
fn for_eyes_every_text_is_utf8() {
    let changes = vec![write("a.txt", utf16("é\r\n"), utf16("ж\r\n"))];
    assert_eq!(
        render_shown(&Preview::new(changes)),
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-é\r\n+ж\r\n"
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(20))]

    #[test]
    fn git_applies_any_bytes(
        before in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300),
        after in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300),
    ) {
        proptest::prop_assume!(before != after);
        holds(vec![write("file", before, after)]);
    }
}
