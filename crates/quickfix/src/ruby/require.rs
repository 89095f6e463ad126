//! Adds and corrects what a Ruby file requires.

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot};
use super::super::findings::TextEdit;
use papayu_base::text::spelling;

/// Constants of the standard library with the file that defines them.
const STANDARD: [(&str, &str); 28] = [
    ("Base64", "base64"),
    ("Benchmark", "benchmark"),
    ("BigDecimal", "bigdecimal"),
    ("CSV", "csv"),
    ("Date", "date"),
    ("DateTime", "date"),
    ("Digest", "digest"),
    ("ERB", "erb"),
    ("FileUtils", "fileutils"),
    ("Forwardable", "forwardable"),
    ("JSON", "json"),
    ("Logger", "logger"),
    ("Matrix", "matrix"),
    ("Observable", "observer"),
    ("Open3", "open3"),
    ("OpenSSL", "openssl"),
    ("OpenStruct", "ostruct"),
    ("OptionParser", "optparse"),
    ("Pathname", "pathname"),
    ("SecureRandom", "securerandom"),
    ("Set", "set"),
    ("Shellwords", "shellwords"),
    ("Singleton", "singleton"),
    ("StringIO", "stringio"),
    ("Tempfile", "tempfile"),
    ("Timeout", "timeout"),
    ("YAML", "yaml"),
    ("Zlib", "zlib"),
];

/// Returns the file that defines a constant of the standard library. `None` for any other constant.
pub(super) fn standard_file(constant: &str) -> Option<&'static str> {
    STANDARD.iter().find(|(name, _)| *name == constant).map(|(_, file)| *file)
}

/// Requires a file of the standard library, in the order of the others.
pub(super) fn add_require(spot: &Spot, file: &str) -> TextEdit {
    let source = &spot.source;
    let line = format!("require '{file}'");
    if let Some(edit) = spot.insert_among("require ", &line) {
        return edit;
    }
    let is_code = |number: &u32| !source.line_text(*number).starts_with('#');
    let first = (1..=source.line_count()).find(is_code).unwrap_or(1);
    let is_relative = source.line_text(first).starts_with("require_relative ");
    let end = source.line_ending();
    let gap = if is_relative || source.line_text(first).is_empty() { "" } else { end };
    let before = if source.line_text(first).is_empty() && first > 1 { end } else { "" };
    spot.insert_line(first, &format!("{before}{line}{gap}"))
}

/// Corrects the name of a required file: a file of the repository, or one of the standard library.
pub(super) fn fix_file(context: &DiagnosticContext<'_>, spot: &Spot, file: &str) -> RuleDecision {
    let name = file.rsplit('/').next().unwrap_or(file);
    let name = name.strip_suffix(".rb").unwrap_or(name);
    let own = context.files().iter().filter_map(|path| path.strip_suffix(".rb"));
    let own = own.filter_map(|path| path.rsplit('/').next());
    let standard = STANDARD.iter().map(|(_, file)| *file).filter(|_| !file.contains('/'));
    let Some(right) = spelling::find_only(name, own.chain(standard)) else {
        return RuleDecision::hint(
            "no file of the repository is clearly meant; if it is a gem, add it to the Gemfile and run `bundle install`",
        );
    };
    let text = spot.source.line_text(spot.line);
    let is_require = text.trim_start().starts_with("require");
    let start = spot.source.line_start(spot.line);
    match text.rfind(name).filter(|_| is_require) {
        Some(at) => spot.replace(start + at..start + at + name.len(), right),
        None => RuleDecision::hint("the line does not require the file"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_has_one_file() {
        assert!(STANDARD.is_sorted());
        assert_eq!(standard_file("JSON"), Some("json"));
        assert_eq!(standard_file("Cart"), None);
    }
}
