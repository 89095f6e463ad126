//! The grammar of each language.

use super::reader::Grammar;
use super::{c, csharp, go, java, json, php, python, ruby, rust, script, yaml};
use crate::lang::Language;

impl Language {
    /// Returns what reads a tree of this language.
    pub(super) fn grammar(self) -> &'static Grammar {
        match self {
            Self::TypeScript => &script::TYPESCRIPT,
            Self::Tsx => &script::TSX,
            Self::JavaScript | Self::Jsx => &script::JAVASCRIPT,
            Self::Json => &json::GRAMMAR,
            Self::Yaml => &yaml::GRAMMAR,
            Self::Python => &python::GRAMMAR,
            Self::Rust => &rust::GRAMMAR,
            Self::Go => &go::GRAMMAR,
            Self::Java => &java::GRAMMAR,
            Self::C => &c::C,
            Self::Cpp => &c::CPP,
            Self::CSharp => &csharp::GRAMMAR,
            Self::Ruby => &ruby::GRAMMAR,
            Self::Php => &php::GRAMMAR,
        }
    }
}
