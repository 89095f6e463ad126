//! The syntax table of each language.

use super::reader::SyntaxTable;
use super::{c, csharp, go, java, json, php, python, ruby, rust, script, yaml};
use crate::lang::Language;

impl Language {
    /// Returns the table with which a tree of this language is read.
    pub(super) fn syntax_table(self) -> &'static SyntaxTable {
        match self {
            Self::TypeScript => &script::TYPESCRIPT,
            Self::Tsx => &script::TSX,
            Self::JavaScript | Self::Jsx => &script::JAVASCRIPT,
            Self::Json => &json::TABLE,
            Self::Yaml => &yaml::TABLE,
            Self::Python => &python::TABLE,
            Self::Rust => &rust::TABLE,
            Self::Go => &go::TABLE,
            Self::Java => &java::TABLE,
            Self::C => &c::C,
            Self::Cpp => &c::CPP,
            Self::CSharp => &csharp::TABLE,
            Self::Ruby => &ruby::TABLE,
            Self::Php => &php::TABLE,
        }
    }
}
