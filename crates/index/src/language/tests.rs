//! Sources in `tests/sources`, read whole, and texts that would hang, overflow or mislead a careless reader.

mod declarations;
mod hostile;
mod readers;
mod samples;

use std::fmt::Write as _;

use proptest::prelude::*;

use super::{ParsedFile, parse};
use crate::facts::{Export, FileFacts, Import};
use papayu_lang::Language;

macro_rules! sources {
    ($($name:literal)*) => {
        /// The sources with their names.
        const SOURCES: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../../tests/sources/", $name))),)*
        ];
    };
}

sources! {
    "classes.ts"
    "comments.js"
    "commonjs.cjs"
    "data.json"
    "default_function.ts"
    "default_object.js"
    "exports.ts"
    "imports.ts"
    "listed.py"
    "module.py"
    "suites.test.tsx"
    "variables.ts"
    "workflow.yml"
}

/// The languages of this file's hostile texts.
const LANGUAGES: [Language; 7] = [
    Language::TypeScript,
    Language::Tsx,
    Language::JavaScript,
    Language::Jsx,
    Language::Json,
    Language::Yaml,
    Language::Python,
];

#[test]
fn every_source_gives_the_facts_beside_it() {
    insta::with_settings!({ snapshot_path => "../../../../tests/sources", prepend_module_to_snapshot => false, omit_expression => true }, {
        for (name, text) in SOURCES {
            let parsed = parse(Language::of_path(name).unwrap(), text);
            insta::assert_snapshot!(*name, outline(&parsed));
        }
    });
}

#[test]
fn line_endings_and_marks_change_no_fact() {
    for (name, text) in SOURCES {
        let language = Language::of_path(name).unwrap();
        let plain = outline(&parse(language, text));
        if language != Language::Yaml {
            assert_eq!(outline(&parse(language, &text.replace('\n', "\r\n"))), plain, "{name}");
        }
        if !text.starts_with("#!") {
            assert_eq!(outline(&parse(language, &format!("\u{feff}{text}"))), plain, "{name}");
        }
    }
}

#[test]
fn deep_nesting_is_read_or_given_up_but_never_overflows() {
    for open in [
        "[", "(", "{", "f(", "{a:", "<a>", "if(x){", "()=>", "class A{m(){", "- ", "? ", "f'{",
        "lambda: ", "!",
    ] {
        let text = open.repeat(if open.len() < 4 { 30_000 } else { 4_000 });
        for language in LANGUAGES {
            let _ = parse(language, &text);
        }
    }
}

#[test]
fn a_stair_of_indents_is_given_up() {
    for step in ["if x:\n", "- a:\n", "f'{(\n", "a:\n"] {
        let text: String = (0..1_500).map(|depth| " ".repeat(depth) + step).collect();
        for language in LANGUAGES {
            let _ = parse(language, &text);
        }
    }
}

#[test]
fn a_long_line_is_not_parsed() {
    let text = "a;".repeat(5 << 20);
    let facts = parse(Language::TypeScript, &text).facts;
    assert!(facts.parse_error && facts.symbols.is_empty());
    assert_eq!(facts.complexity.loc, 1);
}

#[test]
fn noise_is_given_up_in_the_end() {
    let noises = [
        "\0", "'", "\"", "`${", "/*", "\u{1f600}", "<", "@", "\\", "}", "\n ", "\t\n", "? : ", "=>",
    ];
    for noise in noises {
        let text = noise.repeat(10_000 / noise.len());
        for language in LANGUAGES {
            let _ = parse(language, &text);
        }
    }
}

#[test]
fn what_stands_before_a_cut_is_still_read() {
    for (name, text) in SOURCES {
        let language = Language::of_path(name).unwrap();
        for (at, _) in text.char_indices().step_by(41) {
            inside(&parse(language, text.split_at(at).0), text);
        }
    }
    let cut =
        parse(Language::TypeScript, "export function whole() {}\nexport function cut(a: {").facts;
    assert!(cut.parse_error);
    assert!(cut.symbols.iter().any(|symbol| &*symbol.name == "whole" && symbol.exported));
}

#[test]
fn a_file_in_another_language_has_errors_and_lines_of_its_own() {
    for (_, text) in SOURCES {
        for language in LANGUAGES {
            inside(&parse(language, text), text);
        }
    }
}

proptest! {
    #[test]
    fn no_text_panics_and_every_line_lies_inside(text in "(?s)([ -~\n]|\\PC|import |export |class |function |def |const |\\{|\\}|\\(|\\)|: |=> |\n    ){0,120}") {
        for language in LANGUAGES {
            inside(&parse(language, &text), &text);
        }
    }
}

/// Asserts that parents come first, and that lines lie in the text and in the right order.
fn inside(parsed: &ParsedFile, text: &str) {
    let lines = u32::try_from(text.split('\n').count()).unwrap();
    let FileFacts { symbols, imports, exports, todos, complexity, .. } = &parsed.facts;
    for (symbol, at) in symbols.iter().zip(0..) {
        let ordered = 1 <= symbol.start && symbol.start <= symbol.line && symbol.line <= symbol.end;
        assert!(ordered && symbol.end <= lines, "{symbol:?} of {lines} lines");
        assert!(symbol.parent.is_none_or(|parent| parent < at), "{symbol:?}");
        assert!(!symbol.name.is_empty() && symbol.signature.chars().count() <= 200);
    }
    let places = imports.iter().map(|import| import.line);
    let places = places.chain(exports.iter().map(|export| export.line));
    let places = places.chain(todos.iter().map(|todo| todo.line));
    let mut places = places.chain(parsed.calls.iter().map(|call| call.line));
    assert!(places.all(|line| 1 <= line && line <= lines));
    let callers = parsed.calls.iter().filter_map(|call| call.caller);
    assert!(callers.into_iter().all(|caller| (caller as usize) < symbols.len()));
    assert!(complexity.loc <= lines && complexity.score <= 100);
}

/// Returns everything that was read, a line for each.
fn outline(parsed: &ParsedFile) -> String {
    let facts = &parsed.facts;
    let mut out =
        format!("{:?} errors: {}\n{:?}\n", facts.language, facts.parse_error, facts.complexity);
    facts.imports.iter().for_each(|import| import_line(&mut out, import));
    facts.exports.iter().for_each(|export| export_line(&mut out, export));
    for symbol in &facts.symbols {
        let mut depth = 0;
        let mut above = symbol.parent;
        while let Some(parent) = above.and_then(|above| facts.symbols.get(above as usize)) {
            depth += 1;
            above = parent.parent;
        }
        let mark = if symbol.exported { "+" } else { "-" };
        let kind = format!("{:?}", symbol.kind).to_lowercase();
        let lines = format!("{}-{}@{}", symbol.start, symbol.end, symbol.line);
        let _ = writeln!(
            out,
            "{:depth$}{mark} {kind} {} {lines} | {}",
            "",
            symbol.name,
            symbol.signature,
            depth = depth * 2
        );
    }
    for call in &parsed.calls {
        let caller = call.caller.and_then(|at| facts.symbols.get(at as usize));
        let caller = caller.map_or("-", |symbol| &*symbol.name);
        let _ = writeln!(out, "call {caller} > {} {}", call.callee, call.line);
    }
    for todo in &facts.todos {
        let _ = writeln!(out, "{} {} {}", todo.tag, todo.line, todo.text);
    }
    out
}

fn import_line(out: &mut String, import: &Import) {
    let name = |name: &crate::facts::ImportedName| match &name.alias {
        Some(alias) => format!("{} as {alias}", name.name),
        None => name.name.to_string(),
    };
    let names: Vec<_> = import.names.iter().map(name).collect();
    let kind = format!("{:?}", import.kind).to_lowercase();
    let types = if import.type_only { " type" } else { "" };
    let alias = import.alias.as_deref().unwrap_or("-");
    let names = names.join(", ");
    let _ = writeln!(out, "{kind}{types} {} {{{names}}} {alias} {}", import.module, import.line);
}

fn export_line(out: &mut String, export: &Export) {
    let local = export.local.as_deref().map(|local| format!(" = {local}")).unwrap_or_default();
    let from = export.from.as_deref().map(|from| format!(" from {from}")).unwrap_or_default();
    let _ = writeln!(out, "export {}{local}{from} {}", export.name, export.line);
}

#[test]
fn a_secret_in_the_head_of_a_function_or_in_a_note_is_not_kept() {
    let text = "def login(user, password='orchard7lane'):\n    # TODO: drop token=kq3Zp0Xw9Lr2\n    pass\n";
    let parsed = format!("{:?}", parse(Language::Python, text));
    assert!(parsed.contains("password='***'") && parsed.contains("token=***"), "{parsed}");
}
