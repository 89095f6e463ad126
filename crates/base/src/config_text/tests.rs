//! What each format's texts are read as, and that no text is too much.

use super::*;

/// Returns a tree as one line: tables in braces, lists in brackets, each key with its line.
fn shown(node: &Node) -> String {
    match &node.value {
        ConfigValue::Nothing => "-".to_owned(),
        ConfigValue::Switch(is_on) => is_on.to_string(),
        ConfigValue::Number(number) => number.to_string(),
        ConfigValue::Text(text) => format!("{text:?}"),
        ConfigValue::List(items) => {
            format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(" "))
        }
        ConfigValue::Table(fields) => {
            let field = |it: &Field| format!("{}@{}={}", it.name, it.line, shown(&it.value));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(" "))
        }
    }
}

#[test]
fn each_format_is_read_with_its_keys_and_lines() {
    for (format, text, tree) in [
        (
            ConfigFormat::Toml,
            "[tool.\"a.b\".per-file-ignores]\n\"\\u0061.py\" = ['E1', \"F1\"]\nn = 1_0\nh = 0x10\n",
            "{tool@1={a.b@1={per-file-ignores@1={a.py@2=[\"E1\" \"F1\"] n@3=10 h@4=16}}}}",
        ),
        (
            ConfigFormat::Json,
            "// c\n{\"ru\\u006ces\": {'x': [1, true,],\n y: null,}, /* d */ \"z\": -1}",
            "{rules@2={x@2=[1 true] y@3=-} z@3=-1}",
        ),
        (
            ConfigFormat::Yaml,
            "a:\t{b: c, d: [1, no]}\n? e\n: |\n  f\n",
            "{a@1={b@1=\"c\" d@1=[1 \"no\"]} e@2=\"f\\n\"}",
        ),
        (ConfigFormat::Yaml, "a: &x {b: 1}\nc: *x\n", "{a@1={b@1=1} c@2={b@1=1}}"),
        (
            ConfigFormat::Ini,
            "top = 1\n[flake8] ; x\nIgnore =\n    E1,\n    # no\n    W5\nmax: 3\n[b]\n  c = d\n  e = f\n",
            "{top@1=\"1\" flake8@2={ignore@3=\"\\nE1,\\nW5\" max@7=\"3\"} b@8={c@9=\"d\" e@10=\"f\"}}",
        ),
    ] {
        let parsed = parse(format, text);
        assert_eq!(shown(parsed.root()), tree, "{text:?}");
        assert!(!parsed.is_broken(), "{text:?}: {:?}", parsed.faults);
    }
}

#[test]
fn what_comes_before_a_syntax_error_is_kept_with_the_fault() {
    let toml = parse(ConfigFormat::Toml, "a = 1\nb = = 2\nc = 3\n");
    assert!(toml.is_broken() && shown(toml.root()).starts_with("{a@1=1"), "{toml:?}");
    assert_eq!(shown(parse(ConfigFormat::Yaml, "? a").root()), "{a@1=-}");
    let yaml = parse(ConfigFormat::Yaml, "a: 1\nb: [c\nd: e\n");
    assert!(yaml.is_broken() && shown(yaml.root()).starts_with("{a@1=1"), "{yaml:?}");
    let json = parse(ConfigFormat::Json, "{\"a\": 1,\n\"b\": ]}");
    assert_eq!(json.faults.first().map(|fault| fault.line), Some(2), "{json:?}");
    let strict = parse(ConfigFormat::StrictJson, "{\"a\": 1,}");
    assert!(strict.is_broken() && strict.documents.is_empty(), "{strict:?}");
}

#[test]
fn hostile_texts_are_bounded() {
    let mut laughs = "a0: &a0 x\n".to_owned();
    for n in 1..30 {
        let aliases = format!("*a{},", n - 1).repeat(10);
        laughs.push_str(
            &["a", &n.to_string(), ": &a", &n.to_string(), " [", &aliases, "]\n"].concat(),
        );
    }
    for (format, text) in [
        (ConfigFormat::Yaml, laughs),
        (ConfigFormat::Yaml, "- ".repeat(50_000)),
        (ConfigFormat::Yaml, "[".repeat(50_000)),
        (ConfigFormat::Json, "[".repeat(50_000)),
        (ConfigFormat::Json, "{\"a\":".repeat(50_000)),
        (ConfigFormat::Toml, format!("a = {}", "[".repeat(50_000))),
        (ConfigFormat::Toml, format!("[{}]", "a.".repeat(20_000))),
        (ConfigFormat::Ini, "[".repeat(50_000)),
    ] {
        let parsed = parse(format, &text);
        assert!(format == ConfigFormat::Ini || !parsed.faults.is_empty(), "{format:?}");
    }
}
