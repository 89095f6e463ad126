//! How each family of languages writes comments and strings.

use crate::lang::Family;

/// How comments begin and which quotes there are.
#[expect(clippy::struct_excessive_bools, reason = "each says one thing of a language")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Syntax {
    /// `//` and `/* */`.
    pub(super) slashes: bool,
    /// `#`.
    pub(super) hash: bool,
    /// `/* /* */ */`.
    pub(super) nested: bool,
    /// Three quotes in a row open a string of many lines.
    pub(super) triple: bool,
    pub(super) backtick: bool,
    /// `'` opens a string, and is no lifetime or label.
    pub(super) single: bool,
}

impl Syntax {
    /// Returns how the language is cut into tokens.
    pub(super) fn of(family: Family) -> Self {
        let slashes = !matches!(
            family,
            Family::Python
                | Family::Ruby
                | Family::Toml
                | Family::Yaml
                | Family::Ini
                | Family::Shell
                | Family::Make
                | Family::Elixir
        );
        Self {
            slashes,
            hash: !slashes || family == Family::Php,
            nested: family == Family::Rust,
            triple: matches!(
                family,
                Family::Python | Family::Toml | Family::Jvm | Family::CSharp | Family::Elixir
            ),
            backtick: matches!(family, Family::Script | Family::Go),
            single: !matches!(family, Family::Rust),
        }
    }
}
