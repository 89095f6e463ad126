//! `set` in files of configuration: every kind of value, at its own place.

mod rig;

use papayu_recipes::Recipe;
use rig::rewrite;

#[test]
fn a_value_of_any_kind_is_set_where_it_is() {
    for (path, key, was, value, before, after) in [
        (
            "p.toml",
            "tool.x.a",
            "1",
            "2",
            "[tool.y]\na = 1\n[tool.x]\na = 1\n",
            "[tool.y]\na = 1\n[tool.x]\na = 2\n",
        ),
        ("p.toml", "a", "1", "2.5", "b = 1\na = 1 # 1\n", "b = 1\na = 2.5 # 1\n"),
        ("p.toml", "a", "1000", "2", "a = 1_000\n", "a = 2\n"),
        ("p.toml", "a", "16", "2", "a = 0x10\n", "a = 2\n"),
        ("p.toml", "a", "true", "false", "b = true\na = true\n", "b = true\na = false\n"),
        ("p.toml", "a", "x", "3", "a = 'x'\n", "a = 3\n"),
        ("p.toml", "a", "[1]", "[2, b]", "c = [1]\na = [1]\n", "c = [1]\na = [2, \"b\"]\n"),
        ("p.toml", "a", "[1]", "[2]", "a = [\n  1,\n]\n", "a = [2]\n"),
        ("p.toml", "a.b", "1", "2", "a = { c = 1, b = 1 }\n", "a = { c = 1, b = 2 }\n"),
        (
            "p.json",
            "a.b",
            "1",
            "2",
            "{\"a\": {\"c\": 1, \"b\": 1}}\n",
            "{\"a\": {\"c\": 1, \"b\": 2}}\n",
        ),
        (
            "p.json",
            "a",
            "-1.5",
            "text",
            "{\"b\": -1.5,\n \"a\": -1.5}\n",
            "{\"b\": -1.5,\n \"a\": \"text\"}\n",
        ),
        ("p.json", "a", "[x]", "[y, 1]", "{\"a\": [\"x\"]}\n", "{\"a\": [\"y\", 1]}\n"),
        ("p.yml", "a.b", "1", "2", "a:\n  # 1\n  b: 1\n", "a:\n  # 1\n  b: 2\n"),
        (
            "p.yml", "a.*.b", "1", "2", "a:\n- b: 1\n- b: 3\n- b: 1\n",
            "a:\n- b: 2\n- b: 3\n- b: 2\n",
        ),
        ("p.yml", "a", "3.11", "'3.12'", "a: 3.11\n", "a: \"3.12\"\n"),
        (
            "p.yml",
            "a",
            "['3.11']",
            "['3.12', '3.13']",
            "a: ['3.11'] # x\n",
            "a: [\"3.12\", \"3.13\"] # x\n",
        ),
        ("p.ini", "a.b", "1", "2", "[c]\nb = 1\n[a]\nb = 1\n", "[c]\nb = 1\n[a]\nb = 2\n"),
    ] {
        let yaml = format!("file: {path}\nset: {key}\nwas: {was}\nvalue: {value}\n");
        assert_eq!(rewrite(&yaml, path, before), after, "{yaml}");
        assert_eq!(rewrite(&yaml, path, after), after, "twice: {yaml}");
        let other = format!("file: {path}\nset: {key}\nwas: 77\nvalue: {value}\n");
        assert_eq!(rewrite(&other, path, before), before, "{other}");
    }
}

#[test]
fn the_place_of_a_value_is_found_behind_many_equal_ones() {
    let many = (0..200).fold(String::new(), |text, at| format!("{text}k{at}: 1\n"));
    let text = format!("{many}a: 1\n");
    let made = rewrite("file: p.yml\nset: a\nvalue: 2\n", "p.yml", &text);
    assert_eq!(made, format!("{many}a: 2\n"));
}

#[test]
fn a_list_with_a_comment_stays() {
    let text = "a = [\n  1, # one\n]\n";
    assert_eq!(rewrite("file: p.toml\nset: a\nvalue: [2]\n", "p.toml", text), text);
}

#[test]
fn a_value_that_cannot_be_set_is_refused_with_the_reason() {
    for (value, part) in [
        ("{b: 1}", "it sets a table"),
        ("[[1]]", "a list of lists"),
        ("[{a: 1}]", "a list of lists or tables"),
        ("[~]", "nothing in it"),
        ("12345678901234567", "too large"),
        ("~", "no edit of one key"),
    ] {
        let yaml = format!("file: p.toml\nset: a\nvalue: {value}\n");
        let error = Recipe::parse("r.yml", &yaml).map(|it| it.id).unwrap_err().to_string();
        assert!(error.contains(part), "{value}: {error}");
    }
}
