//! Texts that no one would write: cut off, deep, long, of another language.

use super::samples::SAMPLES;
use crate::language::{ParsedFile, parse};
use papayu_lang::Language;

/// Checks that every place lies in the text and every parent before its child.
fn check(parsed: &ParsedFile, text: &str) {
    let lines = u32::try_from(text.split('\n').count()).unwrap();
    let count = u32::try_from(parsed.facts.symbols.len()).unwrap();
    for (place, symbol) in (0..).zip(&parsed.facts.symbols) {
        let in_order =
            1 <= symbol.start && symbol.start <= symbol.line && symbol.line <= symbol.end;
        assert!(in_order && symbol.end <= lines, "{symbol:?} of {lines} lines");
        assert!(symbol.parent.is_none_or(|parent| parent < place), "{symbol:?}");
        assert!(!symbol.name.is_empty() && symbol.signature.chars().count() <= 200, "{symbol:?}");
    }
    let mut places = parsed.facts.imports.iter().map(|import| import.line);
    assert!(places.all(|line| 1 <= line && line <= lines));
    assert!(
        parsed
            .calls
            .iter()
            .all(|call| call.line <= lines && call.caller.is_none_or(|it| it < count))
    );
}

#[test]
fn a_file_cut_off_anywhere_is_read() {
    for &(language, text) in SAMPLES {
        for end in (0..text.len()).step_by(29).filter(|end| text.is_char_boundary(*end)) {
            let (head, _) = text.split_at(end);
            check(&parse(language, head), head);
        }
    }
}

#[test]
fn a_file_of_another_language_is_read() {
    for &(language, _) in SAMPLES {
        for &(_, text) in SAMPLES {
            check(&parse(language, text), text);
        }
    }
}

#[test]
fn nuls_and_foreign_line_endings_are_read() {
    for &(language, text) in SAMPLES {
        for text in [text.replace(' ', "\0"), text.replace('\n', "\r\n"), format!("\u{feff}{text}")]
        {
            check(&parse(language, &text), &text);
        }
    }
}

#[test]
fn texts_that_open_and_never_close_take_no_more_than_their_share() {
    // Of the first, unbounded, 60,000 bytes take more than four gigabytes.
    for (language, part) in [
        (Language::Java, "a<"),
        (Language::Java, "A<B<"),
        (Language::CSharp, "A<B<"),
        (Language::CSharp, "a<"),
        (Language::Ruby, "<<~A,"),
        (Language::Ruby, "<<A\n"),
        (Language::Yaml, "- "),
        (Language::Yaml, "? "),
        (Language::TypeScript, "{a:"),
        (Language::JavaScript, "{a:"),
        (Language::Json, "{a:"),
        (Language::Yaml, "{a:"),
        (Language::Python, "{a:"),
    ] {
        let text = part.repeat(20_000 / part.len());
        check(&parse(language, &text), &text);
    }
}

#[test]
fn deep_and_long_texts_take_no_more_than_their_share() {
    let deep = [
        "(", "{", "[", "<", "a.", "mod a{", "use a::{", "if a {", "do ", "namespace A{", "f(", "*",
        "::a",
    ];
    let long = [
        "int a,b(),", "private $a,", ",a", "pub use a::b;", "mod a;", "private :a\n", "A::b(){}",
        "static int a;",
    ];
    for &(language, _) in SAMPLES {
        for part in deep.iter().chain(&long) {
            let text = part.repeat(8_000 / part.len());
            check(&parse(language, &text), &text);
        }
    }
}
