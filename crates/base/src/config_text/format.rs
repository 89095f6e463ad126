//! The formats, and the format of a file by its name.

/// A format of configuration files.
/// Faults of a text that its own tool accepts would be reported as broken configuration, so
/// each variant is as tolerant as the readers of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigFormat {
    /// TOML 1.1.
    Toml,
    /// YAML 1.2.
    Yaml,
    /// JSON with what its readers tolerate: comments, trailing commas, single quotes, bare keys.
    Json,
    /// JSON as RFC 8259 has it; anything more is a fault.
    StrictJson,
    /// Sections of keys, as Python's `configparser` reads them.
    Ini,
}

impl ConfigFormat {
    /// Returns the format of a file, by its name and, for `rc` files, by how the text begins; `None` for
    /// files that have none of these formats.
    ///
    /// `path` may be a bare name or have folders; only its last part counts, in any case. A
    /// name such as `.eslintrc` has no extension, and the text decides.
    pub fn of_file(path: &str, text: &str) -> Option<Self> {
        // Windows and macOS find a file by its name in any case.
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        // `phpstan.neon.dist` is a template of `phpstan.neon`.
        let name = name.strip_suffix(".dist").unwrap_or(&name);
        // A name without a dot is its own extension, so that `Pylintrc` is found as well.
        match name.rsplit_once('.').map_or(name, |(_, extension)| extension) {
            "toml" => Some(Self::Toml),
            // NEON is close enough to YAML for the keys that are looked at.
            "yml" | "yaml" | "neon" => Some(Self::Yaml),
            "json" | "jsonc" | "json5" => Some(Self::Json),
            "ini" | "cfg" | "flake8" | "pylintrc" | "coveragerc" | "properties"
            | "editorconfig" | "bandit" => Some(Self::Ini),
            rc if rc.ends_with("rc") || rc == "markdownlint" => Some(Self::of_rc_text(text)),
            // Every other extension is no configuration that a check or a gate looks at.
            _ => None,
        }
    }

    /// `.eslintrc` and its kin may be JSON or YAML.
    // A comment before the first bracket begins with a slash in JSON, and with `#` in YAML.
    fn of_rc_text(text: &str) -> Self {
        let first = text.trim_start_matches('\u{feff}').trim_start().chars().next();
        if matches!(first, Some('{' | '/')) { Self::Json } else { Self::Yaml }
    }
}
