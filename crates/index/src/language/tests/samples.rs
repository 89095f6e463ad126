//! One file of each language, with what is hard to read in it, against all that is read of it.

use std::fmt::Write as _;

use crate::language::{ParsedFile, parse};
use papayu_lang::Language;

/// Returns a kind as it is written in JSON.
fn word(kind: impl serde::Serialize) -> String {
    serde_json::to_string(&kind).unwrap().replace('"', "")
}

/// Returns all of a file's facts and calls, one on a line.
fn shown(parsed: &ParsedFile) -> String {
    let mut shown = String::new();
    let facts = &parsed.facts;
    let of = |place: Option<u32>| {
        let symbol = place.and_then(|place| facts.symbols.get(place as usize));
        symbol.map_or("-", |symbol| &*symbol.name)
    };
    writeln!(shown, "errors: {}, {:?}", facts.parse_error, facts.complexity).unwrap();
    for import in &facts.imports {
        let names: Vec<_> = import
            .names
            .iter()
            .map(|name| match &name.alias {
                Some(alias) => format!("{} as {alias}", name.name),
                None => name.name.to_string(),
            })
            .collect();
        let alias = import.alias.as_deref().unwrap_or("-");
        let (module, names, line) = (&import.module, names.join(", "), import.line);
        writeln!(shown, "{line}: {} {module} {{{names}}} {alias}", word(import.kind)).unwrap();
    }
    for export in &facts.exports {
        let (local, from) = (export.local.as_deref(), export.from.as_deref());
        let (local, from) = (local.unwrap_or("-"), from.unwrap_or("-"));
        writeln!(shown, "{}: gives {} ({local} of {from})", export.line, export.name).unwrap();
    }
    for symbol in &facts.symbols {
        let exported = if symbol.exported { "pub " } else { "" };
        let (start, end, line) = (symbol.start, symbol.end, symbol.line);
        let (name, parent) = (&symbol.name, of(symbol.parent));
        let word = word(symbol.kind);
        writeln!(shown, "{start}-{end} @{line}: {exported}{word} {name} in {parent}").unwrap();
        writeln!(shown, "    {}", symbol.signature).unwrap();
    }
    for call in &parsed.calls {
        writeln!(shown, "{}: {} calls {}", call.line, of(call.caller), call.callee).unwrap();
    }
    shown
}

/// Defines the list of samples, and a test of each.
macro_rules! samples {
    ($($name:ident: $language:ident,)*) => {
        /// Each language with its sample.
        pub(super) const SAMPLES: &[(Language, &str)] = &[$(
            (Language::$language, include_str!(concat!("samples/", stringify!($name), ".txt"))),
        )*];

        $(
            #[test]
            fn $name() {
                let text = include_str!(concat!("samples/", stringify!($name), ".txt"));
                insta::assert_snapshot!(stringify!($name), shown(&parse(Language::$language, text)));
            }
        )*
    };
}

// Scripts, Python, JSON and YAML have tests of their own.
samples! {
    rust: Rust,
    go: Go,
    java: Java,
    c: C,
    cpp: Cpp,
    csharp: CSharp,
    ruby: Ruby,
    php: Php,
}
