//! Snippets of TypeScript and JavaScript: rare forms of imports, exports, definitions and calls.

use super::{outline, parse};
use papayu_lang::Language;

/// Snippets, each below a line with the extensions of the languages it may be in.
const SNIPPETS: &str = include_str!("samples/scripts.txt");

/// Returns what every snippet says, in its first language.
fn read_snippets() -> String {
    let mut shown = String::new();
    for part in SNIPPETS.split("---- ").skip(1) {
        let (extensions, text) = part.split_once('\n').unwrap();
        for extension in extensions.split(' ').take(1) {
            let language = Language::of_path(&format!("a.{extension}")).unwrap();
            let parsed = outline(&parse(language, text));
            shown = shown + "---- " + extension + "\n" + text + &parsed;
            let windows = outline(&parse(language, &text.replace('\n', "\r\n")));
            assert_eq!(windows, parsed, "{extension}: {text}");
        }
    }
    shown
}

#[test]
fn every_snippet_gives_the_facts_below_it() {
    insta::assert_snapshot!("scripts", read_snippets());
}

#[test]
fn a_text_with_an_error_loses_nothing() {
    let text = "export function whole() {}\nexport function cut(a: {";
    let facts = parse(Language::TypeScript, text).facts;
    assert!(facts.parse_error && facts.symbols.iter().any(|symbol| &*symbol.name == "whole"));
}

#[test]
fn long_chains_of_operators_are_read() {
    for (chain, end) in [("a=", "a"), ("a=>", "a"), ("a+", "a"), ("a.", "a"), ("new ", "a")] {
        let text = chain.repeat(2_000) + end;
        let parsed = parse(Language::TypeScript, &text);
        assert_eq!(parsed.facts.complexity.loc, 1, "{chain}");
    }
}
