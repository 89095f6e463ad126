//! The syntax table of each language.

use super::reader::SyntaxTable;
use super::{c, csharp, go, java, json, php, python, ruby, rust, script, yaml};
use papayu_lang::Language;

/// Returns the table with which a tree of this language is read.
pub(super) fn syntax_table(language: Language) -> &'static SyntaxTable {
    match language {
        Language::TypeScript => &script::TYPESCRIPT,
        Language::Tsx => &script::TSX,
        Language::JavaScript | Language::Jsx => &script::JAVASCRIPT,
        Language::Json => &json::TABLE,
        Language::Yaml => &yaml::TABLE,
        Language::Python => &python::TABLE,
        Language::Rust => &rust::TABLE,
        Language::Go => &go::TABLE,
        Language::Java => &java::TABLE,
        Language::C => &c::C,
        Language::Cpp => &c::CPP,
        Language::CSharp => &csharp::TABLE,
        Language::Ruby => &ruby::TABLE,
        Language::Php => &php::TABLE,
    }
}
