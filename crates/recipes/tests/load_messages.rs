//! The message about a refused recipe: the fault, its line, and what is allowed instead.

#![expect(
    clippy::unwrap_used,
    reason = "these are tests, in functions that clippy does not know as such"
)]

use papayu_recipes::Recipe;

fn refusal(yaml: &str) -> (Option<usize>, String) {
    let error = Recipe::parse("r.yml", yaml).map(|it| it.id).unwrap_err();
    (error.line, error.to_string())
}

#[test]
fn a_name_that_the_rule_does_not_have_is_refused_at_its_line() {
    let head = "id: x\nlanguage: python\nrule:\n  pattern: fetch($A, retries=$N)\nfix: send($A)\n";
    for (fields, line, part) in [
        ("imports: {h: h from acme}\n", 6, "`imports` names `h`"),
        ("imports:\n  fetch: fetch from acme\n  g: g from acme\n", 8, "`imports` names `g`"),
        ("imports:\n  send: send from acme\n", 7, "`becomes` is for new names"),
        ("becomes: {zz: q from acme}\n", 6, "`becomes` names `zz`"),
        ("becomes:\n  fetch: q from acme\n", 7, "`becomes` names `fetch`"),
        ("typed: {Q: acme}\n", 6, "`typed` names `Q`"),
        ("typed:\n  A: acme\n  B: acme\n", 8, "`typed` names `B`"),
    ] {
        let (at, text) = refusal(&format!("{head}{fields}"));
        assert!(text.contains(part), "{text}");
        assert_eq!(at, Some(line), "{text}");
    }
    let good =
        "imports:\n  fetch: fetch from acme\nbecomes:\n  send: send from acme\ntyped:\n  A: acme\n";
    assert!(Recipe::parse("r.yml", &format!("{head}{good}")).is_ok());
}

#[test]
fn an_unknown_field_is_named_with_all_that_are_known() {
    for (yaml, line, fields) in [
        (
            "id: x\nlanguage: python\nimport: {a: b}\nrule: {pattern: f($A)}\nfix: g($A)\n",
            3,
            "imports becomes typed when examples constraints files",
        ),
        ("language: python\nmove: a from b\nto: c from d\nfix: x\n", 4, "language move to when"),
        ("file: a.toml\nremove: b\nkey: c\n", 3, "file rename remove set value was when"),
        ("file: a.toml\nremove: b\n---\nfile: a.toml\n  \nremoves: b\n", 6, "rename remove"),
    ] {
        let (at, text) = refusal(yaml);
        assert_eq!(at, Some(line), "{text}");
        for field in fields.split(' ') {
            assert!(text.contains(&format!("`{field}`")), "{field}: {text}");
        }
    }
}

#[test]
fn the_line_is_that_of_the_fault() {
    for (yaml, line) in [
        ("id: x\nlanguage: python\nfix: g($A)\nrule: {kind: nonsense}\n", 4),
        ("id: x\nrule: {pattern: f}\nfix: g\nlanguage: klingon\n", 4),
        ("id: x\nmessage: m\nwhen: {tol: x}\nlanguage: python\nrule: {pattern: f}\nfix: g\n", 3),
        ("language: python\nrule: {pattern: f}\nfix: g\ntried: many\n", 4),
        ("language: python\nmove: a from b\nto: 'c; d'\n", 3),
        ("language: python\nmove: a from b\nto: a from b\n", 3),
        (
            "language: python\nrule: {pattern: f}\nfix: g\n---\nfile: a.toml\nset: b\nvalue: {c: 1}\n",
            7,
        ),
        ("language: python\nrule:\n  pattern: f($A)\nfix: g($B)\n", 4),
    ] {
        let (at, text) = refusal(yaml);
        assert_eq!(at, Some(line), "{text}");
    }
}

#[test]
fn a_fault_of_yaml_has_its_line_once() {
    let (line, text) = refusal("id: x\nlanguage: [python\nrule: {a: b\n");
    assert!(line.is_some(), "{text}");
    assert_eq!(text.matches("line ").count(), 1, "{text}");
    assert!(!text.contains("error:"), "{text}");
}
