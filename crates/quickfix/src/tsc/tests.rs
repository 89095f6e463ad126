//! Import statements of every form, and texts that are none.

use super::super::line_index::LineIndex;
use super::statement::{TypeScriptImport, statements};

fn source(text: &str) -> LineIndex {
    LineIndex::new("a.ts", text.to_owned())
}

/// Module, names between the braces, and whether it has a default and counts for types alone.
fn told(source: &LineIndex) -> Vec<(String, Vec<String>, bool, bool)> {
    let part = |range: &std::ops::Range<usize>| source.text.get(range.clone()).unwrap().to_owned();
    let told = |it: &TypeScriptImport| {
        let names = it.named.iter().map(|it| part(&it.name)).collect();
        (it.module(source).to_owned(), names, it.default.is_some(), it.type_only)
    };
    statements(source).iter().map(told).collect()
}

#[test]
fn every_form_of_an_import_is_read() {
    for (text, module, names, default, type_only) in [
        ("import { a } from './m';", "./m", vec!["a"], false, false),
        ("import { a, type b, c as d, } from \"./m\"", "./m", vec!["a", "b", "c"], false, false),
        ("import {\r\n  a,\r\n  b\r\n} from './m'\r\n", "./m", vec!["a", "b"], false, false),
        ("import type { a } from './m'", "./m", vec!["a"], false, true),
        ("import a from './m'", "./m", vec![], true, false),
        ("import a, { type } from './m'", "./m", vec!["type"], true, false),
        ("import * as a from './m'", "./m", vec![], false, false),
    ] {
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        assert_eq!(told(&source(text)), [(module.to_owned(), names, default, type_only)], "{text}");
    }
}

#[test]
fn what_is_no_plain_import_is_left_alone() {
    for text in [
        "import './m'",
        "import('./m')",
        "import { a // b\n } from './m'",
        "/*\nimport { a } from './m'\n*/",
        "`\nimport { a } from './m'\n`",
        "import { a from './m'",
        "import {",
        "",
    ] {
        assert_eq!(told(&source(text)), [], "{text}");
    }
    for hostile in ["import {".repeat(50_000), format!("import {{{}", "a,".repeat(500_000))] {
        assert_eq!(told(&source(&hostile)), []);
    }
}

#[test]
fn a_name_goes_with_its_comma_and_the_last_one_with_the_statement() {
    for (text, at, expected) in [
        ("import { a, b, c } from './m'\n", 0, "import { b, c } from './m'\n"),
        ("import { a, b, c } from './m'\n", 1, "import { a, c } from './m'\n"),
        ("import { a, b, c } from './m'\n", 2, "import { a, b } from './m'\n"),
        ("import {\n  a,\n  b,\n} from './m'\n", 1, "import {\n  a,\n} from './m'\n"),
        ("import a, { b } from './m'\n", 0, "import a from './m'\n"),
        ("import { a } from './m'\n\nb()\n", 0, "b()\n"),
        ("c()\nimport { a } from './m'\n\nb()\n", 0, "c()\n\nb()\n"),
    ] {
        let source = source(text);
        let found = statements(&source);
        let range = found.first().unwrap().without(&source, at).unwrap();
        let mut left = text.to_owned();
        left.replace_range(range, "");
        assert_eq!(left, expected);
    }
}
