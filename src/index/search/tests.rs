//! Searches of files in many encodings.
#![expect(clippy::disallowed_methods, reason = "the tests write the files they search")]

use std::fs;

use super::*;
use crate::system::os::OsTree;

fn query(text: &str) -> Query {
    Query {
        text: text.to_owned(),
        is_regex: false,
        ignore_case: false,
        glob: None,
        limit: 100,
        max_file_bytes: 1 << 20,
    }
}

fn rig(files: &[(&str, &[u8])]) -> (tempfile::TempDir, OsTree, Vec<String>) {
    let root = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let tree = OsTree::open(root.path()).unwrap();
    let mut paths: Vec<_> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    paths.sort();
    (root, tree, paths)
}

fn shown_hits(hits: &Hits) -> Vec<String> {
    hits.hits.iter().map(|hit| format!("{}:{}:{}", hit.path, hit.line, hit.text)).collect()
}

#[test]
fn odd_files_are_searched_as_people_read_them_or_not_at_all() {
    let utf16: Vec<u8> =
        "\u{feff}first\nдва needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cyrillic = encoding_rs::WINDOWS_1251
        .encode("# Здесь стоит комментарий, который написан по-русски\n# имя файла needle\n")
        .0
        .into_owned();
    let long = [vec![b'x'; 300_000], b"needle".to_vec(), vec![b'y'; 300_000]].concat();
    let (_root, tree, files) = rig(&[
        ("binary.o", b"needle\0needle"),
        ("crlf.txt", b"one\r\nneedle\r\n"),
        ("cyrillic.py", &cyrillic),
        ("empty.txt", b""),
        ("last.txt", b"no end of line needle"),
        ("long.js", &long),
        ("utf16.txt", &utf16),
    ]);
    let mut files = files;
    files.push("missing.txt".to_owned());
    for place in [Place::Tree(&tree), Place::Survey(&tree)] {
        let hits = search(place, &files, &query("needle")).unwrap();
        let hits: Vec<_> = hits.hits.iter().map(|hit| (hit.path.as_str(), hit.line)).collect();
        let expected = [
            ("crlf.txt", 2),
            ("cyrillic.py", 2),
            ("last.txt", 1),
            ("long.js", 1),
            ("utf16.txt", 2),
        ];
        assert_eq!(hits, expected);
    }
    let hits = search(Place::Tree(&tree), &files, &query("файла")).unwrap();
    assert_eq!(shown_hits(&hits), ["cyrillic.py:2:# имя файла needle"]);
    let hits = search(Place::Tree(&tree), &files, &query("два")).unwrap();
    assert_eq!(shown_hits(&hits), ["utf16.txt:2:два needle"]);
}

#[test]
fn the_first_hits_are_the_same_every_time_and_whether_there_are_more_is_said() {
    let texts: Vec<_> = (0..500).map(|n| format!("{n:03}.txt")).collect();
    let files: Vec<(&str, &[u8])> =
        texts.iter().map(|path| (path.as_str(), &b"hit\nno\nhit\n"[..])).collect();
    let (_root, tree, files) = rig(&files);
    for limit in [0, 1, 7, 999, 1000] {
        let limited = Query { limit, ..query("hit") };
        let found = search(Place::Survey(&tree), &files, &limited).unwrap();
        assert_eq!((found.hits.len(), found.more), (limit, limit < 1000));
        let expected: Vec<_> =
            files.iter().flat_map(|path| [(path, 1), (path, 3)]).take(limit).collect();
        let found: Vec<_> = found.hits.iter().map(|hit| (&hit.path, hit.line)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_query_is_a_text_or_a_pattern_in_files_that_fit_the_glob() {
    let (_root, tree, files) =
        rig(&[("a.ts", b"f(x)\nF(y)\n"), ("src/b.ts", b"f(x)\n"), ("src/c.py", b"f(x)\nfx\n")]);
    let lines = |query: Query| shown_hits(&search(Place::Tree(&tree), &files, &query).unwrap());
    assert_eq!(lines(query("f(x)")), ["a.ts:1:f(x)", "src/b.ts:1:f(x)", "src/c.py:1:f(x)"]);
    assert_eq!(lines(Query { is_regex: true, ..query("^f(x)$") }), ["src/c.py:2:fx"]);
    let any_case = Query { ignore_case: true, glob: Some("*.ts".into()), ..query("f(") };
    assert_eq!(lines(any_case), ["a.ts:1:f(x)", "a.ts:2:F(y)", "src/b.ts:1:f(x)"]);
    assert_eq!(lines(Query { glob: Some("src/*.py".into()), ..query("fx") }), ["src/c.py:2:fx"]);
}

#[test]
fn queries_that_cannot_be_asked_say_why() {
    let (_root, tree, files) = rig(&[("a.ts", b"x")]);
    let fault = |query: Query| search(Place::Tree(&tree), &files, &query).unwrap_err();
    assert_eq!(fault(query("")), QueryFault::Empty);
    assert!(matches!(fault(query("two\nlines")), QueryFault::Pattern(_)));
    for pattern in ["(", "a{1000}{1000}{1000}", "\\p{Nothing}"] {
        let fault = fault(Query { is_regex: true, ..query(pattern) });
        assert!(matches!(fault, QueryFault::Pattern(_)), "{pattern}");
    }
    assert!(matches!(fault(Query { glob: Some("[".into()), ..query("x") }), QueryFault::Glob(_)));
}
