//! A fix drops nothing of its match: no word that the pattern does not have, and no comment.

mod rig;

use rig::{Rig, rewrite, rule};

#[test]
fn a_word_that_the_pattern_does_not_have_is_no_match() {
    let python = rule(
        "python",
        "with open_it($A) as $X:\n    $$$B",
        "with start($A) as $X:\n    $$$B",
        ["open_it from acme", "start from acme"],
    );
    let each = rule(
        "javascript",
        "for (const $X of load($A)) { $$$B }",
        "for (const $X of read($A)) { $$$B }",
        ["load from acme", "read from acme"],
    );
    for (rule, path, import, kept, changed) in [
        (
            &python,
            "a.py",
            "from acme import open_it\n",
            "async def f(x):\n    async with open_it(x) as y:\n        return y\n",
            "def f(x):\n    with open_it(x) as y:\n        return y\n",
        ),
        (
            &each,
            "a.js",
            "import { load } from 'acme';\n",
            "async function f() {\n  for await (const x of load(1)) { g(x); }\n}\n",
            "function f() {\n  for (const x of load(1)) { g(x); }\n}\n",
        ),
    ] {
        let text = format!("{import}{kept}");
        assert_eq!(rewrite(rule, path, &text), text);
        let text = format!("{import}{changed}");
        assert_ne!(rewrite(rule, path, &text), text, "{path} {changed}");
    }
}

#[test]
fn a_part_that_the_pattern_does_not_have_is_no_match() {
    let call = |language: &str| {
        rule(language, "old($A)", "new_one($A)", ["old from acme", "new_one from acme"])
    };
    let class =
        rule("java", "new Old($A)", "New.of($A)", ["Old from com.acme", "New from com.acme"]);
    for (rule, path, import, kept, changed) in [
        (
            &call("typescript"),
            "a.ts",
            "import { old } from 'acme';\n",
            "old<string>(1);\n",
            "old(1);\n",
        ),
        (
            &call("rust"),
            "src/a.rs",
            "use acme::old;\n",
            "fn f() { old::<u8>(1); }\n",
            "fn f() { old(1); }\n",
        ),
        (
            &class,
            "A.java",
            "import com.acme.Old;\n",
            "class A { Object x = new Old(1) { int y; }; }\n",
            "class A { Object x = new Old(1); }\n",
        ),
        (
            &class,
            "A.java",
            "import com.acme.Old;\n",
            "class A { Object x = new Old<String>(1); }\n",
            "class A { Object x = new Old(1); }\n",
        ),
    ] {
        let text = format!("{import}{kept}");
        assert_eq!(rewrite(rule, path, &text), text);
        let text = format!("{import}{changed}");
        assert_ne!(rewrite(rule, path, &text), text, "{path} {changed}");
    }
}

#[test]
fn an_else_after_a_loop_is_kept() {
    let rule = rule(
        "python",
        "for $X in walk($A):\n    $$$B",
        "for $X in visit($A):\n    $$$B",
        ["walk from acme", "visit from acme"],
    );
    let text = "from acme import walk\n\nfor x in walk(1):\n    g(x)\nelse:\n    h()\n";
    assert_eq!(rewrite(&rule, "a.py", text), text.replace("walk", "visit"));
}

#[test]
fn what_only_a_formatter_decides_is_no_difference() {
    let call = rule("python", "old($A, $B)", "new($A, $B)", ["old from acme", "new from acme"]);
    for call_text in ["old(1, 2,)", "old(\n    1,\n    2,\n)", "old (1, 2)"] {
        let text = format!("from acme import old\n\nx = {call_text}\n");
        assert!(rewrite(&call, "a.py", &text).contains("new(1, 2)"), "{call_text}");
    }
}

#[test]
fn a_comment_that_the_fix_does_not_carry_over_keeps_its_place() {
    for (language, path, head, call) in [
        ("python", "a.py", "from acme import old\n", "old(\n    1,  # type: ignore\n)"),
        ("python", "a.py", "from acme import old\n", "old(  # first\n    1\n)"),
        ("javascript", "a.js", "import { old } from 'acme';\n", "old(/* size */ 1)"),
        ("typescript", "a.ts", "import { old } from 'acme';\n", "old(\n  // @ts-ignore\n  1,\n)"),
        ("rust", "src/a.rs", "use acme::old;\nfn f() { ", "old(1 /* one */); }"),
    ] {
        let rule = rule(language, "old($A)", "fresh($A)", ["old from acme", "fresh from acme"]);
        let text = format!("{head}{call}\n");
        let rig = Rig::of(path, &text);
        assert!(rig.apply(&rule).is_empty(), "{text}");
        let left = rig.left.borrow();
        assert!(left.iter().any(|it| it.contains("would delete a comment")), "{text} {left:?}");
    }
    let go = rule("go", "Old($A)", "New($A)", ["Old from acme.com/x", "New from acme.com/x"]);
    let text = "package r\n\nimport \"acme.com/x\"\n\nvar y = x.Old(1 /* one */)\n";
    assert_eq!(rewrite(&go, "a.go", text), text);
}

#[test]
fn a_comment_in_what_a_variable_stands_for_is_carried_over() {
    let rule = rule("python", "old($$$A)", "new($$$A)", ["old from acme", "new from acme"]);
    let text = "from acme import old\n\nx = old(\n    1,  # one\n    2,\n)\n";
    let made = rewrite(&rule, "a.py", text);
    assert!(made.contains("1,  # one") && made.contains("new("), "{made}");
    // A variable that the fix leaves out takes its comment with it.
    let shorter = rule_without_size();
    let text = "from acme import old\n\nx = old(1, size=(\n    2  # two\n))\n";
    assert_eq!(rewrite(&shorter, "a.py", text), text);
    assert!(
        rewrite(&shorter, "a.py", "from acme import old\n\nx = old(1, size=2)\n")
            .contains("old(1)")
    );
}

fn rule_without_size() -> String {
    "language: python\nrule:\n  pattern: old($A, size=$N)\nfix: old($A)\nimports:\n  old: old from acme\n".to_owned()
}

#[test]
fn a_call_of_go_with_one_argument_is_a_call() {
    let rule =
        rule("go", "Title($S)", "ToUpper($S)", ["Title from strings", "ToUpper from strings"]);
    for alias in ["", "str "] {
        let name = if alias.is_empty() { "strings" } else { "str" };
        let text = |function: &str| {
            format!(
                "package r\n\nimport {alias}\"strings\"\n\nfunc Top(s string) string {{\n\tgo {name}.{function}(s)\n\treturn {name}.{function}({name}.{function}(s))\n}}\n\nvar x = {name}.{function}(\"a\")\n"
            )
        };
        assert_eq!(rewrite(&rule, "a.go", &text("Title")), text("ToUpper"));
    }
    // A conversion is one still.
    let bytes = "language: go\nrule:\n  pattern: '[]byte($S)'\nfix: toBytes($S)\n";
    let text = "package r\n\nfunc f(s string) []byte { return []byte(s) }\n";
    assert!(rewrite(bytes, "a.go", text).contains("return toBytes(s)"));
}
