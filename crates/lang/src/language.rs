//! The languages: one table from a file's ending to its language and its family.

use serde::{Deserialize, Serialize};

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

/// Languages that write tests, comments and strings alike.
/// It decides the rules of the gates for files without a grammar as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Rust.
    Rust,
    /// JavaScript, TypeScript and what embeds them.
    Script,
    /// Python.
    Python,
    /// Go.
    Go,
    /// Java, Kotlin, Scala, Groovy, Swift, Dart: `@` annotations, `//` comments.
    Jvm,
    /// C#, F#, Visual Basic.
    CSharp,
    /// PHP.
    Php,
    /// Ruby.
    Ruby,
    /// C, C++, Objective-C.
    C,
    /// Elixir.
    Elixir,
    /// Shells.
    Shell,
    /// Code in a language of which nothing else is known.
    OtherCode,
    /// JSON.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
    /// INI and properties.
    Ini,
    /// Makefiles.
    Make,
    /// Prose, data, or not known.
    Other,
}

/// The endings of file names, in lower case, with what they mean; a name without a dot is its own ending.
const ENDINGS: &[(&[&str], Family, Option<Language>)] = &[
    (&["rs"], Family::Rust, Some(Language::Rust)),
    (&["ts", "mts", "cts"], Family::Script, Some(Language::TypeScript)),
    (&["tsx"], Family::Script, Some(Language::Tsx)),
    (&["js", "mjs", "cjs"], Family::Script, Some(Language::JavaScript)),
    (&["jsx"], Family::Script, Some(Language::Jsx)),
    (&["vue", "svelte"], Family::Script, None),
    (&["py", "pyi"], Family::Python, Some(Language::Python)),
    (&["pyx"], Family::Python, None),
    (&["go"], Family::Go, Some(Language::Go)),
    (&["java"], Family::Jvm, Some(Language::Java)),
    (&["kt", "kts", "scala", "sc", "groovy", "gradle", "swift", "dart"], Family::Jvm, None),
    (&["cs"], Family::CSharp, Some(Language::CSharp)),
    (&["fs", "vb"], Family::CSharp, None),
    (&["php"], Family::Php, Some(Language::Php)),
    (&["rb", "rakefile", "gemfile"], Family::Ruby, Some(Language::Ruby)),
    (&["rake", "gemspec"], Family::Ruby, None),
    (&["c", "h"], Family::C, Some(Language::C)),
    (&["cc", "cpp", "cxx", "hh", "hpp", "hxx"], Family::C, Some(Language::Cpp)),
    (&["m", "mm"], Family::C, None),
    (&["ex", "exs"], Family::Elixir, None),
    (&["sh", "bash", "zsh"], Family::Shell, None),
    (
        &[
            "clj", "cljs", "erl", "hrl", "hs", "ml", "mli", "lua", "pl", "pm", "r", "jl", "zig",
            "nim", "sol", "cr", "v",
        ],
        Family::OtherCode,
        None,
    ),
    (&["json"], Family::Json, Some(Language::Json)),
    (&["jsonc", "json5"], Family::Json, None),
    (&["yml", "yaml"], Family::Yaml, Some(Language::Yaml)),
    (&["toml"], Family::Toml, None),
    (
        &["ini", "cfg", "flake8", "pylintrc", "coveragerc", "properties", "editorconfig"],
        Family::Ini,
        None,
    ),
    (&["mk", "makefile", "gnumakefile", "justfile"], Family::Make, None),
];

/// Returns the row of the table for a file name: by its ending, or by its whole name (`Dockerfile`,
/// `Makefile`).
// In lower case, so that `README.MD` and `main.RS` are found.
fn find_ending(path: &str) -> Option<(Family, Option<Language>)> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let ending = match name.rsplit_once('.') {
        Some((_, ending)) => ending,
        // A file that is only called `c` is not one of C's.
        None if name.len() > 6 => &name,
        None => return None,
    };
    let row = ENDINGS.iter().find(|(endings, ..)| endings.contains(&ending))?;
    Some((row.1, row.2))
}

impl Language {
    /// Returns every language with a row of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        ENDINGS.iter().filter_map(|(.., language)| *language)
    }

    /// Returns the language of a path by its name, `None` where no grammar here reads it.
    // A family may be known where the language is not.
    pub fn of_path(path: &str) -> Option<Self> {
        find_ending(path)?.1
    }
}

impl Family {
    /// Returns the family of a path by its name.
    pub fn of_path(path: &str) -> Self {
        find_ending(path).map_or(Self::Other, |(family, _)| family)
    }

    /// Returns whether files of the family are programs.
    /// Configuration in a programming language counts as code.
    pub fn is_code(self) -> bool {
        use Family::{Ini, Json, Make, Other, Toml, Yaml};
        !matches!(self, Json | Toml | Yaml | Ini | Make | Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_language_in_either_case() {
        for (path, family, language) in [
            ("a/b.RS", Family::Rust, Some(Language::Rust)),
            ("a.d.ts", Family::Script, Some(Language::TypeScript)),
            ("App.vue", Family::Script, None),
            ("x/Rakefile", Family::Ruby, Some(Language::Ruby)),
            ("GNUmakefile", Family::Make, None),
            (".flake8", Family::Ini, None),
            ("c", Family::Other, None),
            ("README.md", Family::Other, None),
        ] {
            assert_eq!(
                (Family::of_path(path), Language::of_path(path)),
                (family, language),
                "{path}"
            );
        }
    }
}
