//! The grammar of each language, and the texts that its parser must not be given.

use std::collections::HashSet;

use super::script_rewrite::rewrite_script;
use super::{Language, angles, arrows};

/// Widths of indentation that a Python file may have: the scanner notes down about 500 levels, Python allows 100.
const MAX_PYTHON_INDENTS: usize = 300;

/// Columns at which blocks may begin in a YAML file: the scanner notes down 253 levels, two a column at most.
const MAX_YAML_COLUMNS: usize = 120;

impl Language {
    /// Returns the grammar for the parser; `None` where its cargo feature is off.
    pub fn tree_sitter(self) -> Option<tree_sitter::Language> {
        Some(match self {
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::JavaScript | Self::Jsx => tree_sitter_javascript::LANGUAGE.into(),
            Self::Json => tree_sitter_json::LANGUAGE.into(),
            Self::Yaml => tree_sitter_yaml::LANGUAGE.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
            #[cfg(feature = "lang-c")]
            Self::C => tree_sitter_c::LANGUAGE.into(),
            #[cfg(not(feature = "lang-c"))]
            Self::C => return None,
            #[cfg(feature = "lang-cpp")]
            Self::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            #[cfg(not(feature = "lang-cpp"))]
            Self::Cpp => return None,
            #[cfg(feature = "lang-csharp")]
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
            #[cfg(not(feature = "lang-csharp"))]
            Self::CSharp => return None,
            #[cfg(feature = "lang-ruby")]
            Self::Ruby => tree_sitter_ruby::LANGUAGE.into(),
            #[cfg(not(feature = "lang-ruby"))]
            Self::Ruby => return None,
            #[cfg(feature = "lang-php")]
            Self::Php => tree_sitter_php::LANGUAGE_PHP.into(),
            #[cfg(not(feature = "lang-php"))]
            Self::Php => return None,
        })
    }

    /// Returns whether a text would make the parser abort the process or work for minutes.
    /// Each case is a text with which the parser failed; see the modules for the reasons.
    pub(super) fn refuses(self, text: &str) -> bool {
        match self {
            Self::C | Self::Cpp => arrows::are_too_many(text),
            Self::Java => angles::are_too_deep(text) || arrows::are_too_many(text),
            Self::CSharp => angles::are_too_deep(text),
            Self::Python => is_python_too_deep(text),
            Self::Yaml => is_yaml_too_deep(text),
            Self::TypeScript
            | Self::Tsx
            | Self::JavaScript
            | Self::Jsx
            | Self::Json
            | Self::Rust
            | Self::Go
            | Self::Ruby
            | Self::Php => false,
        }
    }

    /// Returns the text with what the grammar cannot read written differently, every byte in its place;
    /// `None` when there is nothing to write.
    /// Positions in the tree are then positions in the original text.
    pub(super) fn rewrite(self, text: &str) -> Option<String> {
        matches!(self, Self::TypeScript | Self::Tsx).then(|| rewrite_script(text))?
    }
}

/// Levels differ in what is before them on their lines.
// Only the number of different widths counts: the scanner pops a level that ends.
fn is_python_too_deep(text: &str) -> bool {
    let mut widths = HashSet::new();
    text.split(['\n', '\r']).any(|line| {
        // A form feed counts as indentation in Python.
        let indent = line.len() - line.trim_start_matches([' ', '\t', '\u{c}']).len();
        widths.insert(line.split_at(indent).0) && widths.len() > MAX_PYTHON_INDENTS
    })
}

/// A level begins at the first word of a line, at an indicator (`-`, `?`, `:`), or after one.
// An overestimate: not every such word begins a block, but no ordinary file comes near the
// limit.
fn is_yaml_too_deep(text: &str) -> bool {
    let mut columns = HashSet::new();
    for line in text.split(['\n', '\r']) {
        let mut begins = true;
        let mut column = 0;
        for word in line.split([' ', '\t']) {
            let indicates = word.ends_with([':', '-', '?']);
            if !word.is_empty() {
                if begins || indicates {
                    columns.insert(column);
                }
                begins = indicates;
            }
            // The separator is one byte.
            column += word.len() + 1;
        }
        if columns.len() > MAX_YAML_COLUMNS {
            return true;
        }
    }
    false
}
