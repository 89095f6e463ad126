//! Configuration files as one tree of values with the keys and lines they were written with.
//!
//! TOML is read by `toml`, YAML by `saphyr-parser`, JSON with comments by `jsonc-parser`; INI, which has no
//! specification, by a reader that follows Python's `configparser`. The tree keeps every key of a table in
//! the order of the file, repeated ones included, and gives what was read before a syntax error.
//!
//! serde's readers do not serve here: they give no lines of keys, and the one for YAML expands aliases
//! without limit.

mod format;
mod ini;
mod json;
mod node;
#[cfg(test)]
mod tests;
mod toml;
mod yaml;

pub use format::ConfigFormat;
pub use node::{ConfigValue, Fault, FaultKind, Field, MAX_DEPTH, Node, ParsedConfig};

/// Returns the values of a text; errors are in [`ParsedConfig::faults`], in addition to the values that were read.
///
/// ```
/// use papayu_base::config_text::{ConfigFormat, parse};
///
/// let parsed = parse(ConfigFormat::Toml, "[tool.ruff]\nignore = [\"E1\"]\n");
/// let ignore = parsed.root().get("tool").and_then(|it| it.get("ruff")?.get("ignore"));
/// assert_eq!(ignore.map(|it| it.line), Some(2));
/// ```
pub fn parse(format: ConfigFormat, text: &str) -> ParsedConfig {
    // A byte order mark is no part of any of the formats.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        ConfigFormat::Toml => toml::parse_toml(text),
        ConfigFormat::Yaml => yaml::parse_yaml(text),
        ConfigFormat::Json => json::parse_json(text),
        ConfigFormat::StrictJson => json::parse_strict_json(text),
        ConfigFormat::Ini => ini::parse_ini(text),
    }
}
