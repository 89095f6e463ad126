//! Tests before and after, as a table; hostile spellings; and sizes that must stay linear.
#![expect(
    clippy::too_many_lines,
    clippy::disallowed_methods,
    reason = "they are tables, and one takes the time"
)]

use std::time::{Duration, Instant};

use super::*;
use papayu_lang::ChangedText;

/// Path, before, after, and a part of what is said of it; empty for what passes.
type Row = (&'static str, &'static str, &'static str, &'static str);

fn verdict(path: &str, before: &str, after: &str) -> Vec<String> {
    let found = judge(&[ChangedText { path, before, after }]);
    found.into_iter().map(|it| format!("{}:{} {}", it.path, it.line, it.rule)).collect()
}

fn hold(rows: &[Row]) {
    let mut wrong = Vec::new();
    for (at, (path, before, after, wanted)) in rows.iter().enumerate() {
        for (style, ending) in [("LF", "\n"), ("CRLF", "\r\n")] {
            let text = |text: &str| text.replace('\n', ending);
            let found = verdict(path, &text(before), &text(after));
            let right = match *wanted {
                "" => found.is_empty(),
                wanted => found.iter().any(|it| it.contains(wanted)),
            };
            if !right {
                wrong.push(format!(
                    "{at} {style} {path}: {after:?} wanted {wanted:?}, got {found:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const RUST: &str = "pub fn add(a: i32, b: i32) -> i32 { a - b }
#[cfg(test)]
mod tests {
    use super::*;
    fn two() -> i32 { 2 }
    fn same(a: i32, b: i32) { assert_eq!(a, b); }
    #[test]
    fn adds() {
        assert_eq!(add(1, two()), 3);
        same(add(0, 0), 0);
    }
    #[test]
    fn adds_none() {
        let sum = add(0, 0);
        assert!(sum == 0, \"none\");
    }
}
";

/// Returns the Rust file with one text in another's place.
fn rust(from: &str, to: &str) -> (String, String) {
    assert!(RUST.contains(from), "{from}");
    (RUST.to_owned(), RUST.replace(from, to))
}

#[test]
fn tests_inside_rust_files_may_grow_and_be_renamed_and_nothing_else() {
    let last = "    #[test]\n    fn adds_none";
    for (from, to, wanted) in [
        // What passes.
        ("a - b", "a + b", ""),
        ("two()", "pair()", ""),
        ("fn adds()", "fn sums()", ""),
        ("add(1, two())", "add(1, two(), None)", ""),
        ("add(1, two())", "add(1, two()).unwrap()", ""),
        ("add(1, two())", "add(&1, two() )", ""),
        (", 3);", ", 3, \"one and two\");", ""),
        (", 3);", ",\n            3,\n        );", ""),
        (", 3);", ", 3_i32);", ""),
        ("let sum = add(0, 0);", "let sum = add(0, 0);\n        assert!(sum >= 0);", ""),
        ("let sum", "let mut sum", ""),
        (
            last,
            "    #[test]\n    fn more() { assert_eq!(add(2, 2), 4); }\n    #[test]\n    fn adds_none",
            "",
        ),
        (
            last,
            "    #[test]\n    #[should_panic]\n    fn overflows() { add(i32::MAX, 1); }\n    #[test]\n    fn adds_none",
            "",
        ),
        ("    use super::*;\n", "    use super::add;\n", ""),
        ("a - b", "a + b // was a - b", ""),
        // What does not.
        (", 3);", ", -1);", "an assertion of the test `adds`"),
        (", 3);", ", 4);", "an assertion of the test `adds`"),
        (", 3);", ", add(1, 2));", "an assertion of the test `adds`"),
        ("assert_eq!(add(1, two()), 3);", "", "an assertion of the test `adds`"),
        (
            "assert_eq!(add(1, two()), 3);",
            "// assert_eq!(add(1, two()), 3);",
            "an assertion of the test `adds`",
        ),
        ("assert_eq!(add", "assert_ne!(add", "an assertion of the test `adds`"),
        ("assert!(sum == 0,", "assert!(sum == 0 || true,", "an assertion of the test `adds_none`"),
        ("assert!(sum == 0,", "assert!(!(sum == 0),", "an assertion of the test `adds_none`"),
        ("assert!(sum == 0,", "assert!(sum.max(0) == 0,", "an assertion of the test `adds_none`"),
        ("let sum = add(0, 0);", "let sum = 0;", "out of the test `adds_none`"),
        (
            "let sum = add(0, 0);",
            "return;\n        let sum = add(0, 0);",
            "puts `return` into the test `adds_none`",
        ),
        (
            "assert!(sum == 0, \"none\");",
            "if false { assert!(sum == 0, \"none\"); }",
            "a constant condition",
        ),
        ("same(add(0, 0), 0);", "", "out of the test `adds`"),
        ("assert_eq!(a, b);", "", "tests share"),
        ("    #[test]\n    fn adds_none", "    fn adds_none", "takes the test `adds_none` away"),
        (
            "    #[test]\n    fn adds_none",
            "    #[test]\n    #[cfg(target_os = \"none\")]\n    fn adds_none",
            "to the test `adds_none`",
        ),
        (
            "    #[test]\n    fn adds_none",
            "    #[should_panic]\n    #[test]\n    fn adds_none",
            "should_panic",
        ),
    ] {
        let (before, after) = rust(from, to);
        let found = verdict("src/lib.rs", &before, &after);
        let right = if wanted.is_empty() {
            found.is_empty()
        } else {
            found.iter().any(|it| it.contains(wanted))
        };
        assert!(right, "{from:?} → {to:?}: wanted {wanted:?}, got {found:?}");
    }
}

#[test]
fn tests_of_other_languages_are_compared_too() {
    let (python, script) =
        ("def test_a():\n    assert f() == 1\n", "it('a', () => { expect(f()).toBe(1); });\n");
    hold(&[
        (
            "test_a.py",
            python,
            "def test_a():\n    assert f() == 2\n",
            "assertion of the test `test_a`",
        ),
        (
            "test_a.py",
            python,
            "def test_a():\n    assert f() == 1\n\ndef test_b():\n    assert f() == 1\n",
            "",
        ),
        ("test_a.py", python, "def f(): return 1\n", "takes the test `test_a` away"),
        (
            "a.test.mjs",
            script,
            "it('a', () => { expect(f()).toBeTruthy(); });\n",
            "an assertion of the test `a`",
        ),
        (
            "a.test.mjs",
            script,
            "it('a', () => { expect(f()).toBe(1); expect(g()).toBe(2); });\n",
            "",
        ),
        (
            "a.test.mjs",
            script,
            "it('a', () => { try { expect(f()).toBe(1); } catch {} });\n",
            "puts `try` into the test",
        ),
        ("a.test.mjs", "it('a', f);\n", "it.\\u{73}kip('a', f);\n", "takes the test `a` away"),
    ]);
}

#[test]
fn what_moves_from_one_file_to_another_nets_out() {
    let test = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert!(f()); }\n}\n";
    let moved = [
        ChangedText { path: "src/a.rs", before: test, after: "#[cfg(test)]\nmod tests;\n" },
        ChangedText {
            path: "src/a/tests.rs",
            before: "",
            after: "#[test]\nfn a() { assert!(f()); }\n",
        },
    ];
    assert_eq!(judge(&moved), []);
    let lost = judge(&moved[..1]);
    assert_eq!(lost.len(), 1, "{lost:?}");
}

#[test]
fn the_same_text_never_weakens_and_odd_bytes_break_nothing() {
    for path in [
        "a.rs", "a.py", "a.ts", "package.json", "x.toml", "a.yml", "Makefile", "a", "A.java",
        "a.rb",
    ] {
        for text in [
            RUST, "\u{feff}\0\r\r\n'\"`\\", "((((([[[[{{{{", "]]]}}}", "r#\"", "'''", "/*/*", "#[",
            "'a",
        ] {
            assert_eq!(verdict(path, text, text), Vec::<String>::new(), "{path} {text:?}");
            let _ = verdict(path, "", text);
            let _ = verdict(path, text, "");
        }
    }
}

#[test]
fn a_huge_file_is_judged_in_linear_time() {
    for (path, unit) in [
        ("a.rs", "#[test]\nfn a() { assert_eq!(f(), 1); }\n"),
        ("a.rs", "#[test] fn a() { ((((( "),
        ("a.rs", "#[a]"),
        ("a.js", "it('a', () => { it('b', "),
        ("a.py", "def test_a(): assert f("),
        ("a.py", "class TestA:\n  def test_a(self):\n    assert 1\n"),
        ("A.java", "@Test void a() { assertEquals(1, 2); }\n"),
    ] {
        let (before, after) =
            (unit.repeat(200_000 / unit.len()), unit.repeat(199_000 / unit.len()));
        let start = Instant::now();
        let _ = verdict(path, &before, &after);
        assert!(start.elapsed() < Duration::from_mins(5), "{path} {unit:?}: {:?}", start.elapsed());
    }
}
