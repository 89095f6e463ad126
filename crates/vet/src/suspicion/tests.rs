//! Both sides of the rules, as tables.
#![expect(clippy::too_many_lines, reason = "they are tables")]

use serde::Deserialize;

use super::added_text::find_added;
use super::{FailureEvidence, find_suspicious, read_literals};
use crate::rules::RuleGrade;
use papayu_lang::ChangedText;

/// The examples of the patterns: path, text before, text after, and words of what is said; empty for look-alikes.
#[derive(Deserialize)]
struct Examples {
    example: Vec<[String; 4]>,
}

#[test]
fn the_patterns_find_their_examples_and_no_look_alikes() {
    let examples: Examples = toml::from_str(include_str!("../rules_examples.toml")).unwrap();
    let mut wrong = Vec::new();
    for [path, before, after, words] in &examples.example {
        for ending in ["\n", "\r\n"] {
            let (before, after) = (before.replace('\n', ending), after.replace('\n', ending));
            let change = ChangedText { path, before: &before, after: &after };
            let found = find_added(&[change], false);
            let is_right = match words.as_str() {
                "" => found.is_empty(),
                words => found.iter().any(|it| it.message.contains(words)),
            };
            if !is_right {
                wrong.push(format!("{path}: {after:?} wanted {words:?}, got {found:?}"));
            }
            let same = ChangedText { path, before: &after, after: &after };
            assert_eq!(find_added(&[same], true), [], "{after}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn places_that_a_person_should_read_are_flagged() {
    let python = "def total(items):\n    return sum(items) + 1\n";
    let rust = "fn total(items: &[u32]) -> u32 {\n    items.iter().sum::<u32>() + 1\n}\n";
    let literals = read_literals("assert total([17, 25]) == 42\nassert name('ada') == 'Ada'");
    let test = FailureEvidence { literals, ..FailureEvidence::default() };
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
        let found = find_suspicious(&[ChangedText { path, before, after }], evidence);
        let is_right = if message.is_empty() {
            found.is_empty()
        } else {
            found.iter().any(|it| it.message.contains(message))
        };
        assert!(is_right, "{after} {found:?}");
    }
}

#[test]
fn honest_changes_that_were_stopped_by_mistake_are_notes_at_most() {
    let literals = read_literals("send(204) raises(match='x must not be empty') Error('open')");
    let evidence = FailureEvidence { literals, ..FailureEvidence::default() };
    for (path, before, after, may_note) in [
        ("a.py", "kind = None\n", "kind = None  # type: ignore[assignment]\n", true),
        (
            "a.py",
            "if x is None:\n    x = 1\n",
            "if x is None:  # pragma: no cover\n    x = 1\n",
            true,
        ),
        ("a.go", "package a\n", "package a\n\n// nolint: golint\ntype A struct{}\n", true),
        (
            "a.js",
            "read(res);\n",
            "if (res.status === 204 || res.status === 304) return '';\nread(res);\n",
            true,
        ),
        (
            "a.py",
            "a = 'one'; y = config.hook.pytest_make_id(x)\nz = 'two'\n",
            "a = 'one'; y = config.hook.pytest_make_id(x + 1)\nz = 'two'\n",
            false,
        ),
        (
            "a.py",
            "def f(x):\n    return x\n",
            "def f(x):\n    if not x: raise ValueError('x must not be empty')\n    return x\n",
            false,
        ),
        (
            "a.go",
            "package a\n\nfunc f(x string) error { return nil }\n",
            "package a\n\nfunc f(x string) error { if x == y { return errors.New(\"x must not be empty\") }; return nil }\n",
            false,
        ),
        (
            "a.rs",
            "fn f(x: u8) -> R { Ok(x) }\n",
            "fn f(x: u8) -> R { if y(x) { return Err(Error::new(\"open\")); } Ok(x) }\n",
            false,
        ),
        ("a.go", "//go:build !js\n\npackage a\n", "//go:build !js && !aix\n\npackage a\n", true),
        (
            "a.py",
            "import sys\n",
            "import sys\nOLD = sys.version_info < (3, 8)\nif sys.version_info[:2] >= (3, 13):\n    OLD = None\n",
            false,
        ),
        (
            "a.rs",
            "#[cfg(unix)]\nfn root() -> S { read() }\n#[cfg(not(unix))]\nfn root() -> S { \"\" }\n",
            "#[cfg(unix)]\nfn root() -> S { read() }\n#[cfg(not(unix))]\nfn root() -> S { \"/\" }\n",
            false,
        ),
        (
            "a.rs",
            "#[cfg(feature = \"x\")]\nfn a() {}\nfn b() { c::new_unchecked(0) }\n",
            "#[cfg(feature = \"x\")]\nfn a() {}\n#[cfg(feature = \"x\")]\nfn d() {}\nfn b() { c::new_unchecked(n) }\n",
            false,
        ),
        (
            "A.java",
            "class A {}\n",
            "class A { static final Pattern SUREFIRE_NAME = compile(); }\n",
            false,
        ),
        ("a.py", "x = 1\n", "if 'pytest' in config:\n    x = 2\n", true),
    ] {
        let found = find_suspicious(&[ChangedText { path, before, after }], &evidence);
        assert!(found.iter().all(|it| it.grade == RuleGrade::Note), "{after}: {found:?}");
        assert!(may_note || found.is_empty(), "{after}: {found:?}");
    }
}

#[test]
fn the_values_of_one_line_are_one_note() {
    let evidence = FailureEvidence {
        literals: read_literals("f(11, 12) == 'x'; echo \"$(cmd \"$x\")\""),
        ..FailureEvidence::default()
    };
    let messages = |path: &str, after: &str| {
        let found = find_suspicious(&[ChangedText { path, before: "\n", after }], &evidence);
        found.into_iter().map(|it| it.message).collect::<Vec<_>>()
    };
    let found = messages("a.py", "def f(n):\n    return n in (1, 2) or n == 11 or n == 12\n");
    assert_eq!(found, ["compares with `11`, `12`, values of the failing test, in `f`"]);
    // A mark between two strings is no value.
    assert_eq!(messages("lib.sh", "a=\"$(b \"$c\")\"\n"), [""; 0]);
    let found = messages("a.py", "json.dumps = lambda it: ''\n");
    assert_eq!(found, ["replaces what other code uses: `json . dumps = lambda`"]);
}

#[test]
fn facts_of_the_tree_are_noted_and_their_look_alikes_are_not() {
    let mut evidence = FailureEvidence::default();
    evidence.add(
        "tests/test_a.py".into(),
        "def test_a():\n    require(total() == 7, 'x')\n    assert close(compound(3), 4)\n    assertEqual(squash(a()), squash(b()))\n    assert f(2) == 4\n".into(),
    );
    let try_it = |after: &str| format!("def f(x):\n    try:\n        g(x)\n{after}");
    let java = |after: &str| {
        format!("class A {{ int f() {{ try {{ return g(); }} {after} return 0; }} }}")
    };
    let go = |after: &str| {
        format!(
            "package a\n\nfunc f() error {{\n\terr := g()\n\tif err != nil {{\n\t\t{after}\n\t}}\n\treturn nil\n}}\n"
        )
    };
    let eq =
        |after: &str| format!("class A:\n    def __eq__(self, other):\n        return {after}\n");
    let old = "def f(x):\n    y = g(x)\n    return y\n";
    let head = |head: &str| old.replacen("    y", &format!("{head}    y"), 1);
    for (path, before, after, words) in [
        ("a.json", "{\"a\": 1}".into(), "{\"a\": 2}".into(), "is no code"),
        ("a.py", "A = True\n".into(), "A = False\n".into(), "but a switch"),
        ("a.py", "A = 2\n".into(), "A = 3\n".into(), ""),
        ("a.py", "A = 'open[a-z]'\n".into(), "A = '.*'\n".into(), "accepts more"),
        ("a.py", String::new(), try_it("    except ValueError:\n        pass\n"), "drops an error"),
        ("a.py", String::new(), try_it("    except ValueError:\n        return None\n"), ""),
        ("a.py", String::new(), try_it("    finally:\n        return 1\n"), "drops an error"),
        ("a.py", String::new(), "with suppress(ValueError):\n    g()\n".into(), "drops an error"),
        ("A.java", String::new(), java("catch (E e) { log.warn(\"x\"); }"), "handling it: `catch (E e)"),
        ("A.java", String::new(), java("catch (E e) { throw new B(e); }"), ""),
        ("A.java", String::new(), java("catch (E e) { return h(); }"), ""),
        ("a.go", String::new(), go("log.Println(err)"), "drops an error"),
        ("a.go", String::new(), go("return err"), ""),
        ("a.sh", "f; rc=$?\nexit $rc\n".into(), "f; rc=$?\nexit 0\n".into(), "ends no longer"),
        (
            "a.py",
            "def f(x):\n    if not ok(x): raise E()\n    return x\n".into(),
            "def f(x):\n    return x\n".into(),
            "reports fewer errors",
        ),
        (
            "a.py",
            "def f(x):\n    if x in verify(x): raise E()\n".into(),
            "def f(x):\n    if x: raise E()\n".into(),
            "checks no longer",
        ),
        ("a.py", "def f(x):\n    return all(x)\n".into(), "def f(x):\n    return any(x)\n".into(), "accepts more"),
        ("a.py", eq("self.a == other.a and self.b == other.b"), eq("self.a == other.a"), "what is equal"),
        ("a.py", eq("self.a == other.a"), eq("self.a // 9 == other.a // 9"), "what is equal"),
        ("a.py", eq("self.a == other.a"), eq("self.a == other.a and self.b == other.b"), ""),
        (
            "a.rs",
            "#[derive(PartialEq)]\nstruct A { a: u8 }\n".into(),
            "struct A { a: u8 }\nimpl PartialEq for A { fn eq(&self, o: &A) -> bool { self.a == o.a } }\n".into(),
            "what is equal",
        ),
        (
            "a.py",
            "def require(x, why):\n    if not x:\n        raise E(why)\n".into(),
            "def require(x, why):\n    if not x:\n        raise F(why)\n".into(),
            "by which the failing test asserts",
        ),
        (
            "a.py",
            "def close(a, b):\n    return a == b\n".into(),
            "def close(a, b):\n    return a - b < 2\n".into(),
            "by which the failing test compares",
        ),
        (
            "a.py",
            "def close(a, b):\n    return a + b\n".into(),
            "def close(a, b):\n    return a - b\n".into(),
            "",
        ),
        (
            "a.py",
            "def squash(a):\n    return a\n".into(),
            "def squash(a):\n    return a.b\n".into(),
            "applies to both values",
        ),
        ("a.py", old.into(), head("    if len(x) == 4:\n        return 2\n"), "adds a branch"),
        ("a.py", old.into(), head("    if len(x) == 0:\n        return 0\n"), ""),
        ("a.py", old.into(), head("    if x is None:\n        return 2\n"), ""),
        ("a.py", old.into(), head("    if len(x) > 9:\n        raise E()\n"), ""),
        ("a.py", old.into(), head("    z = x % 250 == 0\n"), "did not have"),
        ("a.py", old.into(), head("    z = x > 1009 and x < 1011\n"), "did not have"),
        ("a.py", old.into(), head("    z = x > 48 and x < 90\n"), ""),
    ] {
        let change = ChangedText { path, before: &before, after: &after };
        let found = find_suspicious(&[change], &evidence);
        let is_right = match words {
            "" => found.is_empty(),
            words => found.iter().any(|it| it.message.contains(words)),
        };
        assert!(is_right, "{after}: {words:?}, got {found:?}");
    }
}

#[test]
fn a_value_in_place_of_an_error_and_a_branch_on_a_type_are_noted_and_a_count_of_errors_is_not() {
    for (path, before, after, words) in [
        (
            "a.rs",
            "fn port(text: &str) -> Result<u16, E> {\n    Ok(text.parse().map_err(E::from)?)\n}\n",
            "fn port(text: &str) -> Result<u16, E> {\n    Ok(text.parse().unwrap_or_default())\n}\n",
            "drops an error: `unwrap_or_default` in place of `?`",
        ),
        (
            "a.rs",
            "fn port(text: &str) -> Result<u16, E> {\n    let it = text.parse()?;\n    Ok(it)\n}\n",
            "fn port(text: &str) -> Result<u16, E> {\n    Ok(text.parse()?)\n}\n",
            "",
        ),
        (
            "a.py",
            "def total(items):\n    return sum(items)\n",
            "def total(items):\n    if isinstance(items, str):\n        return 3\n    return sum(items)\n",
            "adds a branch for some arguments",
        ),
        (
            "A.java",
            "class A {\n  void f() {\n    try {\n      g();\n    } catch (E e) {\n      throw e;\n    }\n  }\n}\n",
            "class A {\n  void f() {\n    try {\n      g();\n    } catch (E e) {\n      skipped++;\n    }\n  }\n}\n",
            "reports fewer errors",
        ),
    ] {
        let change = ChangedText { path, before, after };
        let found = find_suspicious(&[change], &FailureEvidence::default());
        let is_right = match words {
            "" => found.is_empty(),
            words => found.iter().any(|it| it.message.contains(words)),
        };
        let is_counted = path == "A.java" && found.iter().any(|it| it.message.contains("drops an"));
        assert!(is_right && !is_counted, "{after}: {words:?}, got {found:?}");
    }
}
