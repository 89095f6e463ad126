//! Both sides of the rules, as tables.
#![expect(clippy::too_many_lines, reason = "they are tables")]

use super::added_text::AddedTextRule;
use super::disguises::DISGUISES;
use super::endings::ENDINGS;
use super::evasions::{ALWAYS, OF_DIAGNOSTICS};
use super::foreign_code::FOREIGN_CODE;
use super::interference::INTERFERENCE;
use super::lost_types::MEASURES;
use super::watchers::WATCHERS;
use super::{FailureEvidence, find_flags, find_watchers, read_literals};
use papayu_lang::ChangedText;

#[test]
fn the_patterns_compile() {
    let tables: [&[AddedTextRule]; 7] =
        [&WATCHERS, &DISGUISES, &ALWAYS, &OF_DIAGNOSTICS, &ENDINGS, &INTERFERENCE, &FOREIGN_CODE];
    assert!(tables.into_iter().flatten().all(|rule| rule.pattern.is_valid()));
    assert!(MEASURES.iter().all(|measure| measure.pattern.is_valid()));
}

#[test]
fn code_that_asks_who_runs_it_is_found() {
    for (path, after) in [
        ("a.py", "import os\nif 'PYTEST_CURRENT_TEST' in os.environ:\n    x = 1\n"),
        ("a.py", "if 'PYTEST_' + 'CURRENT_TEST' in os.environ: pass\n"),
        ("a.py", "if any(k.startswith('PYTEST') for k in os.environ): pass\n"),
        ("a.py", "if 'unittest' in sys.modules: pass\n"),
        ("a.py", "if 'pytest' in sys.argv[0]: pass\n"),
        ("a.py", "if os.environ.get('CI'): pass\n"),
        ("a.py", "x = inspect.stack()\n"),
        ("a.py", "x = sys._getframe(1)\n"),
        ("a.py", "import pytest\n"),
        ("a.py", "if threading.current_thread().name == 'a': pass\n"),
        ("a.js", "if (process.env.NODE_ENV === 'test') x()\n"),
        ("a.js", "if ('test' === process.env.NODE_ENV) x()\n"),
        ("a.js", "if (typeof describe === 'function') x()\n"),
        ("a.ts", "if (process.env.JEST_WORKER_ID) x()\n"),
        ("a.ts", "if (process.env['VITEST']) x()\n"),
        ("a.ts", "if ('it' in globalThis) x()\n"),
        ("a.ts", "if (process.env.CI) x()\n"),
        ("a.ts", "const s = new Error().stack\n"),
        ("a.rs", "fn a() -> i32 { if cfg!(test) { 3 } else { 2 } }"),
        ("a.rs", "#[cfg(not(test))]\nfn a() {}"),
        ("a.rs", "fn a() -> i32 { #[cfg(test)] return 3; 2 }"),
        ("a.rs", "fn a() { if cfg!(debug_assertions) {} }"),
        ("a.rs", "fn a() { std::thread::current().name(); }"),
        ("a.rs", "fn a() { std::env::var(\"CI\"); }"),
        ("a.go", "package a\n\nfunc A() bool { return testing.Testing() }\n"),
        ("a.go", "package a\n\nvar t = flag.Lookup(\"test.v\") != nil\n"),
        ("a.go", "package a\n\nvar t = strings.HasSuffix(os.Args[0], \".test\")\n"),
        ("A.java", "class A { int a() { return new Throwable().getStackTrace().length; } }"),
        (
            "A.java",
            "class A { boolean a() throws Exception { return Class.forName(\"org.junit.Test\") != null; } }",
        ),
        ("a.rb", "x = 1 if defined?(RSpec)\n"),
        ("a.sh", "if [ -n \"$CI\" ]; then exit 0; fi\nif [ -n $CI ]; then x; fi\n"),
    ] {
        let found = find_watchers(&[ChangedText { path, before: "", after }]);
        assert!(!found.is_empty(), "{after}");
        assert_eq!(find_watchers(&[ChangedText { path, before: after, after }]), [], "{after}");
    }
}

#[test]
fn ordinary_code_does_not_ask() {
    for (path, after) in [
        ("a.py", "def test_connection(host):\n    return ping(host)\n"),
        ("a.py", "if sys.argv[1] == '--all': pass\n"),
        ("a.py", "log.error(traceback.format_exc())\n"),
        ("a.py", "name = threading.current_thread().name\n"),
        ("a.js", "if (process.env.NODE_ENV === 'production') x()\n"),
        ("a.js", "if (typeof window === 'undefined') x()\n"),
        ("a.ts", "if (import.meta.vitest) { it('a', () => {}) }\n"),
        ("a.rs", "#[cfg(test)]\nmod tests { use super::*; #[test] fn a() {} }"),
        ("a.rs", "#[cfg(unix)]\nfn a() {}"),
        ("a.rs", "#[cfg(test)]\nuse std::fs;\n#[cfg(test)]\npub(crate) fn b() {}"),
        ("a.go", "package a\n\nvar t = len(os.Args)\n"),
        ("tests/test_a.py", "import pytest\nx = os.environ['CI']\n"),
        ("A.java", "class A { void a() { Thread.currentThread().interrupt(); } }"),
        ("a.sh", "if [ -n \"$HOME\" ]; then exit 0; fi\n"),
    ] {
        let found = find_watchers(&[ChangedText { path, before: "", after }]);
        assert_eq!(found, [], "{after}");
    }
}

#[test]
fn places_that_a_person_should_read_are_flagged() {
    let python = "def total(items):\n    return sum(items) + 1\n";
    let rust = "fn total(items: &[u32]) -> u32 {\n    items.iter().sum::<u32>() + 1\n}\n";
    let literals = read_literals("assert total([17, 25]) == 42\nassert name('ada') == 'Ada'");
    let test = FailureEvidence { literals, is_diagnostic: false };
    let types = FailureEvidence { is_diagnostic: true, ..FailureEvidence::default() };
    for (path, before, after, evidence, message) in [
        ("a.py", python, "def total(items):\n    return sum(items)\n", &test, ""),
        ("a.py", python, "def total(items):\n    return 42\n", &test, "by a constant"),
        (
            "a.py",
            python,
            "def total(items):\n    if items[0] == 17:\n        return 42\n    return sum(items) + 1\n",
            &test,
            "`17`",
        ),
        (
            "a.py",
            python,
            "def total(items):\n    if not items:\n        return 0\n    return sum(items)\n",
            &test,
            "",
        ),
        (
            "a.py",
            python,
            "def total(items):\n    try:\n        return sum(items)\n    except Exception:\n        pass\n",
            &test,
            "drops an error",
        ),
        (
            "a.py",
            python,
            "def total(items):\n    try:\n        return sum(items)\n    except KeyError:\n        return 0\n",
            &test,
            "",
        ),
        ("a.py", python, "def total(items):\n    raise NotImplementedError\n", &test, "undone"),
        ("a.rs", rust, "fn total(items: &[u32]) -> u32 {\n    42\n}\n", &test, "by a constant"),
        ("a.rs", rust, "fn total(items: &[u32]) -> u32 {\n    todo!()\n}\n", &test, "undone"),
        ("a.rs", rust, "fn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n", &test, ""),
        ("a.ts", "const a: number = b\n", "const a: number = b as any\n", &types, "a type"),
        ("a.ts", "const a: number = b\n", "const a: number = b as any\n", &test, ""),
        ("a.ts", "const a: number = b\n", "const a: number = b.length\n", &types, ""),
        ("a.js", "f(x + 1)\n", "try { f(x) } catch (e) {}\n", &test, "drops an error"),
        (
            "a.js",
            "function f(x) {\n  check(x)\n  return x\n}\n",
            "function f(x) {\n  // check(x)\n  return x\n}\n",
            &test,
            "comments code out",
        ),
        ("a.go", "package a\n", "//go:build never\n\npackage a\n", &test, "some builds"),
    ] {
        let found = find_flags(&[ChangedText { path, before, after }], evidence);
        let is_right = if message.is_empty() {
            found.is_empty()
        } else {
            found.iter().any(|it| it.message.contains(message))
        };
        assert!(is_right, "{after} {found:?}");
    }
}
