//! The languages with a grammar here, and which of them a path is written in.

use serde::{Deserialize, Serialize};

use super::grammar::Grammar;
use super::{c, csharp, go, java, json, php, python, ruby, rust, script, yaml};

/// A language with a grammar here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// `.ts`, `.mts`, `.cts`
    TypeScript,
    /// `.tsx`
    Tsx,
    /// `.js`, `.mjs`, `.cjs`
    JavaScript,
    /// `.jsx`
    Jsx,
    /// `.json`
    Json,
    /// `.yaml`, `.yml`
    Yaml,
    /// `.py`, `.pyi`
    Python,
    /// `.rs`
    Rust,
    /// `.go`
    Go,
    /// `.java`
    Java,
    /// `.c`, `.h`
    C,
    /// `.cc`, `.cpp`, `.cxx`, `.hh`, `.hpp`, `.hxx`
    Cpp,
    /// `.cs`
    CSharp,
    /// `.rb`, `Rakefile`, `Gemfile`
    Ruby,
    /// `.php`
    Php,
}

impl Language {
    /// Returns the language of a path by its name, `None` where no grammar here reads it.
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or(name, |(_, extension)| extension);
        Some(match extension {
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "js" | "mjs" | "cjs" => Self::JavaScript,
            "jsx" => Self::Jsx,
            "json" => Self::Json,
            "yaml" | "yml" => Self::Yaml,
            "py" | "pyi" => Self::Python,
            "rs" => Self::Rust,
            "go" => Self::Go,
            "java" => Self::Java,
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => Self::Cpp,
            "cs" => Self::CSharp,
            "rb" | "Rakefile" | "Gemfile" => Self::Ruby,
            "php" => Self::Php,
            _ => return None,
        })
    }

    /// Returns what reads a tree of this language.
    pub(super) fn grammar(self) -> Option<&'static Grammar> {
        Some(match self {
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
        })
    }
}
