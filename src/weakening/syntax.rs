//! What is known of a file by its name: how its comments and strings are written, and whose it is.

/// The family whose rules a file is read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    Script,
    Python,
    Go,
    Jvm,
    CSharp,
    Php,
    Ruby,
    C,
    Elixir,
    Json,
    Toml,
    Yaml,
    Ini,
    Shell,
    Make,
    Other,
}

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

impl Language {
    /// Returns the language of a path.
    pub(super) fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "rs" => Self::Rust,
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" => {
                Self::Script
            }
            "py" | "pyi" | "pyx" => Self::Python,
            "go" => Self::Go,
            "java" | "kt" | "kts" | "scala" | "groovy" | "gradle" | "swift" | "dart" => Self::Jvm,
            "cs" | "fs" | "vb" => Self::CSharp,
            "php" => Self::Php,
            "rb" | "rake" => Self::Ruby,
            "ex" | "exs" => Self::Elixir,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "m" | "mm" => Self::C,
            "json" | "jsonc" | "json5" => Self::Json,
            "toml" => Self::Toml,
            "yml" | "yaml" => Self::Yaml,
            "ini" | "cfg" | "flake8" | "pylintrc" | "coveragerc" | "properties"
            | "editorconfig" => Self::Ini,
            "sh" | "bash" | "zsh" => Self::Shell,
            "mk" => Self::Make,
            "eslintrc" | "oxlintrc" | "babelrc" | "nycrc" | "mocharc" | "swcrc" | "prettierrc" => {
                Self::Json
            }
            _ if ["makefile", "gnumakefile", "justfile"].contains(&name.as_str()) => Self::Make,
            _ => Self::Other,
        }
    }

    /// Returns how the language is cut into tokens.
    pub(super) fn syntax(self) -> Syntax {
        let slashes = !matches!(
            self,
            Self::Python
                | Self::Ruby
                | Self::Toml
                | Self::Yaml
                | Self::Ini
                | Self::Shell
                | Self::Make
                | Self::Elixir
        );
        Syntax {
            slashes,
            hash: !slashes || self == Self::Php,
            nested: self == Self::Rust,
            triple: matches!(
                self,
                Self::Python | Self::Toml | Self::Jvm | Self::CSharp | Self::Elixir
            ),
            backtick: matches!(self, Self::Script | Self::Go),
            single: !matches!(self, Self::Rust),
        }
    }
}
