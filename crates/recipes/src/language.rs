//! The grammars of the workspace as ast-grep uses them.

use std::borrow::Cow;

use ast_grep_core::Language as AstGrepLanguage;
use ast_grep_core::matcher::{Pattern, PatternBuilder, PatternError};
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use papayu_lang::Language;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::macro_calls::parse_calls;

/// The names that a rule may give a language, in lower case; the first is the one that is written, the last the ending of files.
const NAMES: &[(Language, &[&str])] = &[
    (Language::TypeScript, &["typescript", "ts"]),
    (Language::Tsx, &["tsx"]),
    (Language::JavaScript, &["javascript", "js"]),
    (Language::Jsx, &["jsx"]),
    (Language::Json, &["json"]),
    (Language::Yaml, &["yaml", "yml"]),
    (Language::Python, &["python", "py"]),
    (Language::Rust, &["rust", "rs"]),
    (Language::Go, &["go", "golang", "go"]),
    (Language::Java, &["java"]),
    (Language::C, &["c"]),
    (Language::Cpp, &["cpp", "c++", "cc"]),
    (Language::CSharp, &["csharp", "c#", "cs"]),
    (Language::Ruby, &["ruby", "rb"]),
    (Language::Php, &["php"]),
];

/// A language with a grammar that is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GrammarLanguage(Language);

impl GrammarLanguage {
    /// Returns the language; `None` without a grammar.
    pub(crate) fn new(language: Language) -> Option<Self> {
        language.tree_sitter().map(|_| Self(language))
    }

    /// Parses a text within the bounds of the workspace's parser.
    pub(crate) fn parse(self, text: &str) -> Option<StrDoc<Self>> {
        let tree = parse_calls(self.0, text)?;
        Some(StrDoc { src: text.to_owned(), lang: self, tree })
    }

    fn grammar(self) -> TSLanguage {
        // `new` has refused a language without a grammar.
        self.0.tree_sitter().unwrap_or_else(|| tree_sitter_json::LANGUAGE.into())
    }
}

/// Returns the language of a name in a rule; `None` for an unknown one.
pub(crate) fn language_of(name: &str) -> Option<Language> {
    let name = name.to_lowercase();
    NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(language, _)| *language)
}

/// Returns the name that is written for a language.
pub(crate) fn name_of(language: Language) -> &'static str {
    NAMES.iter().find(|(it, _)| *it == language).map_or("", |(_, names)| names[0])
}

/// Returns the ending of files in a language.
pub(crate) fn ending_of(language: Language) -> &'static str {
    let names = NAMES.iter().find(|(it, _)| *it == language).map_or(&[][..], |(_, names)| names);
    names.last().copied().unwrap_or_default()
}

/// Returns whether a rule in one language is meant for files in another: JavaScript and TypeScript use the same packages.
pub(crate) fn shares_rules(rule: Language, file: Language) -> bool {
    rule == file || is_script(rule) && is_script(file)
}

/// Returns whether imports name a module by a string, and the file chooses its name.
pub(crate) fn is_script(language: Language) -> bool {
    matches!(language, Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx)
}

impl AstGrepLanguage for GrammarLanguage {
    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        let expando = self.expando_char();
        if expando == '$' {
            return Cow::Borrowed(query);
        }
        let mut text = String::with_capacity(query.len());
        let mut dollars = 0;
        for c in query.chars().map(Some).chain([None]) {
            if c == Some('$') {
                dollars += 1;
                continue;
            }
            let is_variable = dollars == 3 || matches!(c, Some('A'..='Z' | '_'));
            let sigil = if is_variable { expando } else { '$' };
            text.extend(std::iter::repeat_n(sigil, dollars));
            dollars = 0;
            text.extend(c);
        }
        Cow::Owned(text)
    }

    fn expando_char(&self) -> char {
        match self.0 {
            Language::TypeScript
            | Language::Tsx
            | Language::JavaScript
            | Language::Jsx
            | Language::Java
            | Language::Json
            | Language::Yaml => '$',
            // A letter that may begin a name in these languages, and that no program uses.
            _ => 'µ',
        }
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.grammar().id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.grammar().field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn build_pattern(&self, builder: &PatternBuilder<'_>) -> Result<Pattern, PatternError> {
        let too_hard = || "the pattern is too large to parse".to_owned();
        builder.build(|text| self.parse(text).ok_or_else(too_hard))
    }
}

impl LanguageExt for GrammarLanguage {
    fn get_ts_language(&self) -> TSLanguage {
        self.grammar()
    }
}

impl<'de> Deserialize<'de> for GrammarLanguage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let language = language_of(&name).and_then(Self::new);
        language.ok_or_else(|| serde::de::Error::custom(format!("no grammar for `{name}`")))
    }
}

impl Serialize for GrammarLanguage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(name_of(self.0))
    }
}
