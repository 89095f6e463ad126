//! TypeScript and JavaScript have two readers, which say the same of every text that both can read.

use super::SOURCES;
use crate::index::language::{Language, Parsed, by_grammar, script};

/// Snippets, each below a line with the extensions of the languages it may be in.
const SNIPPETS: &str = include_str!("samples/scripts.txt");

/// Returns what both readers say of a text; `None` when not both can read all of it.
fn both(language: Language, text: &str) -> Option<(Parsed, Parsed)> {
    let by_grammar = by_grammar(language, text);
    let typed = script::typed::read(language, text)?;
    (!by_grammar.facts.parse_error).then_some((typed, by_grammar))
}

#[test]
fn snippets_are_read_alike() {
    let mut read = 0;
    for part in SNIPPETS.split("---- ").skip(1) {
        let (languages, text) = part.split_once('\n').unwrap();
        for extension in languages.split(' ') {
            let language = Language::of_path(&format!("a.{extension}")).unwrap();
            for text in [text, text.trim_end(), &text.replace('\n', "\r\n")] {
                let Some((typed, by_grammar)) = both(language, text) else { continue };
                assert_eq!(typed, by_grammar, "{extension}: {text}");
                read += 1;
            }
        }
    }
    // The others are TypeScript in JavaScript, or what one of the two takes for an error.
    assert_eq!(read, READ);
}

/// Snippets that both can read, in all their languages, with all ends of lines.
const READ: usize = 417;

#[test]
fn sources_are_read_alike() {
    let mut read = 0;
    for (name, text) in SOURCES {
        let language = Language::of_path(name).unwrap();
        if let Some((typed, by_grammar)) = both(language, text) {
            assert_eq!(typed, by_grammar, "{name}");
            read += 1;
        }
    }
    assert_eq!(read, 9);
}

#[test]
fn a_text_with_an_error_loses_nothing() {
    let text = "export function whole() {}\nexport function cut(a: {";
    assert_eq!(script::typed::read(Language::TypeScript, text), None);
    let facts = super::parse(Language::TypeScript, text).facts;
    assert!(facts.parse_error && facts.symbols.iter().any(|symbol| &*symbol.name == "whole"));
}

#[test]
fn chains_are_read_without_a_level_of_stack_for_each_link() {
    for (chain, end) in [
        ("!", "a"),
        ("a=", "a"),
        ("a=>", "a"),
        ("a+", "a"),
        ("a.", "a"),
        ("a?b:", "a"),
        ("a**", "a"),
        ("new ", "a"),
        ("a:", ";"),
        ("for(;;)", ";"),
        ("if(a){}else ", ";"),
        ("()=>", "a"),
        ("(a)=>", "a"),
        ("a<b>", ""),
    ] {
        let text = chain.repeat(20_000) + end;
        let parsed = script::typed::read(Language::TypeScript, &text);
        assert!(parsed.is_some_and(|parsed| parsed.facts.complexity.loc == 1), "{chain}");
    }
    let text = format!("let a: import('b'){}", "[]".repeat(20_000));
    let parsed = script::typed::read(Language::TypeScript, &text).unwrap();
    assert_eq!(parsed.facts.imports.len(), 1);
}

#[test]
fn nests_that_would_be_read_again_on_every_level_are_left_to_the_grammar() {
    for nest in
        ["(a=", "a<(", "f<", "[", "{", "`${", "(a=')',", "(a=/)/,", "(a=b/1,')'/c,", "(/*)*/"]
    {
        let text = nest.repeat(2_000);
        assert_eq!(script::typed::read(Language::TypeScript, &text), None, "{nest}");
    }
    // Only the parser knows which brackets are text; how long such a file may be bounds its depth.
    let text = "(a=<a>)</a>,b=".repeat(1_500);
    assert_eq!(script::typed::read(Language::Tsx, &text), None);
}
