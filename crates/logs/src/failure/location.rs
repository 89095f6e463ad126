//! Parses `path:line:column` in all its spellings: `a.rs:1:2`, `a.ts(1,2)`, `"a.py", line 3`.
//!
//! Only paths with the extension of a source file are found in running text, because `10:30` and `host:80` have the same form.

use std::sync::LazyLock;

use regex::Captures;

use papayu_base::domain::Location;
use papayu_base::text::{Pattern, group};

/// Extensions of files that a log may point into.
pub(super) const SOURCE_EXTENSIONS: &[&str] = &[
    "rs", "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "go",
    "java", "kt", "kts", "scala", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "cs", "rb", "php",
    "swift", "m", "mm", "ex", "exs", "erl", "hs", "ml", "lua", "dart", "zig", "sql", "sh", "proto",
    "toml", "json", "yml", "yaml", "css", "scss", "html", "xml", "gradle", "tf", "rst", "hrl",
    "eex", "heex", "fs", "fsx", "vb", "razor", "cshtml", "groovy", "nim", "clj", "cljs", "cljc",
    "cr", "jl", "elm", "mli", "mly", "nix", "feature", "less", "sass", "astro", "mdx", "bzl",
    "cmake", "f90", "pyx", "inl", "cu", "sol", "sv", "vhd", "ps1", "bat", "lhs", "purs", "hcl",
    "csproj", "props", "targets", "graphql", "prisma", "erb", "haml", "rake", "gemspec", "coffee",
    "phtml", "tofu", "pm", "pl", "bazel", "sbt", "tex", "ipynb", "dhall", "rkt", "scm", "lisp",
];

/// Longest of the extensions, in bytes.
const MAX_EXTENSION: usize = 8;

/// Most bytes of a path.
const MAX_PATH_BYTES: usize = 512;

/// Returns the location that the whole text states: `path:line` or `path:line:column`; `None`
/// for other texts.
pub(super) fn parse_location(text: &str) -> Option<Location> {
    let text = text.trim();
    let (head, last) = text.rsplit_once(':')?;
    let last = parse_number(last)?;
    let (path, line, column) = match head.rsplit_once(':') {
        Some((path, line)) if parse_number(line).is_some() => {
            (path, parse_number(line), Some(last))
        }
        _ => (head, Some(last), None),
    };
    // Times and ports have the form `name:number` too.
    looks_like_path(path).then(|| Location { path: path.to_owned(), line, column })
}

/// Splits `path:line[:column]: rest` if the path has one of the endings, such as `.py`.
pub(super) fn split_location<'t>(text: &'t str, endings: &[&str]) -> Option<(Location, &'t str)> {
    let (end, _) = endings
        .iter()
        .flat_map(|ending| {
            text.match_indices(ending).map(|(at, found)| (at + found.len(), at)).take(4)
        })
        // The name must end here: `x.go.tmpl:1` is not a Go file.
        .filter(|(end, _)| {
            text.as_bytes().get(*end) == Some(&b':')
                && text.as_bytes().get(end + 1).is_some_and(u8::is_ascii_digit)
        })
        .min()?;
    let (path, rest) = (text.get(..end)?, text.get(end + 1..)?);
    let (line, rest) = leading_number(rest)?;
    let (column, rest) = match rest.strip_prefix(':').and_then(leading_number) {
        Some((column, rest)) => (Some(column), rest),
        None => (None, rest),
    };
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    if !looks_like_path(path) {
        return None;
    }
    Some((Location { path: path.to_owned(), line: Some(line), column }, rest))
}

/// Returns `true` if the path ends with a dot and the extension.
pub(super) fn has_extension(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end == extension)
}

/// Returns the number at the start of a text and the rest. `None` if it begins with no digit, or the number is
/// too large.
pub(super) fn leading_number(text: &str) -> Option<(u32, &str)> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.get(..text.len() - rest.len())?;
    Some((parse_number(digits)?, rest))
}

/// Returns `true` if the name of a source file is followed by a line number anywhere in the text.
pub(super) fn has_location(text: &str) -> bool {
    memchr::memchr3_iter(b':', b'(', b'"', text.as_bytes()).any(|at| is_location_mark(text, at))
}

/// Returns `true` if the first colon of the text is between the name of a source file and a line
/// number.
pub(super) fn starts_with_location(text: &str) -> bool {
    memchr::memchr(b':', text.as_bytes()).is_some_and(|at| is_location_mark(text, at))
}

/// Returns `true` if the character at `at` is between the name of a source file and a number.
fn is_location_mark(text: &str, at: usize) -> bool {
    let (before, after) = text.as_bytes().split_at(at);
    let numbered = after.get(1).is_some_and(|b| b.is_ascii_digit() || matches!(b, b',' | b' '));
    let ending = before.get(before.len().saturating_sub(MAX_EXTENSION + 1)..).unwrap_or_default();
    let dot = memchr::memrchr(b'.', ending).and_then(|dot| ending.get(dot + 1..));
    numbered && dot.is_some_and(|end| SOURCE_EXTENSIONS.iter().any(|known| known.as_bytes() == end))
}

/// Returns the location of the groups `path`, `line` and `column`; `line2` and `column2` are alternatives.
/// `None` without a path.
pub(super) fn captured_location(found: &Captures<'_>) -> Option<Location> {
    let number =
        |name, other| group(found, name).or_else(|| group(found, other)).and_then(parse_number);
    let path = group(found, "path")?.to_owned();
    Some(Location { path, line: number("line", "line2"), column: number("column", "column2") })
}

/// Calls `found` with every location in a text, in order.
pub(super) fn find_locations(text: &str, mut found: impl FnMut(Location)) {
    for part in ANYWHERE.captures_iter(text) {
        let get = |name| part.name(name).and_then(|value| parse_number(value.as_str()));
        let path = part.name("path").map_or("", |path| path.as_str());
        let line = get("line").or_else(|| get("line_paren")).or_else(|| get("line_word"));
        let column = get("column").or_else(|| get("column_paren"));
        if looks_like_path(path) && line.is_some() {
            found(Location { path: path.to_owned(), line, column });
        }
    }
}

/// The pattern of a location in running text, with an extension of a source file.
static ANYWHERE: LazyLock<Pattern> = LazyLock::new(|| {
    let extensions = SOURCE_EXTENSIONS.join("|");
    let pattern = format!(
        r#"(?P<path>(?:file://|\b[A-Za-z]:[\\/])?[^\s:"'`()\[\]{{}}<>|,;=*?]+\.(?:{extensions}))(?::(?P<line>\d{{1,9}})(?::(?P<column>\d{{1,9}}))?|\((?P<line_paren>\d{{1,9}})(?:,\s?(?P<column_paren>\d{{1,9}}))?\)|["']?(?:,? |:)line (?P<line_word>\d{{1,9}}))"#
    );
    Pattern::of(pattern)
});

/// Returns the number; `None` for signs, other characters and overflow.
fn parse_number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Returns `true` if the text can be a path: not a URL, not a folder, not a word without a dot.
fn looks_like_path(path: &str) -> bool {
    path.len() <= MAX_PATH_BYTES
        && path.contains(['.', '/', '\\'])
        && !path.ends_with(['/', '\\', '.', ' '])
        && !path.starts_with(['<', ' '])
        && !path.starts_with("http:")
        && !path.starts_with("https:")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, line: u32, column: Option<u32>) -> Location {
        Location { path: path.to_owned(), line: Some(line), column }
    }

    #[test]
    fn a_whole_text_is_a_location_or_it_is_not() {
        for (text, location) in [
            ("src/a.rs:1:2", Some(at("src/a.rs", 1, Some(2)))),
            ("./a b.rs:7", Some(at("./a b.rs", 7, None))),
            (r"D:\a\x.ts:1:2", Some(at(r"D:\a\x.ts", 1, Some(2)))),
            ("file:///a/x.js:3:4", Some(at("file:///a/x.js", 3, Some(4)))),
            ("http://localhost:80", None),
            ("12:30", None),
            ("src/a.rs:+1", None),
            ("src/a.rs:99999999999", None),
            ("src/a.rs", None),
            (":1:2", None),
        ] {
            assert_eq!(parse_location(text), location, "{text}");
        }
    }

    #[test]
    fn a_location_at_the_start_leaves_the_rest() {
        assert_eq!(
            split_location("a/b.py:3: in f", &[".py"]),
            Some((at("a/b.py", 3, None), " in f"))
        );
        assert_eq!(
            split_location("./x.go:1:2: bad", &[".go"]),
            Some((at("./x.go", 1, Some(2)), " bad"))
        );
        assert_eq!(split_location("x.go.tmpl:1: bad", &[".go"]), None);
    }

    #[test]
    fn locations_are_found_in_the_middle_of_anything() {
        let mut all = Vec::new();
        find_locations(
            "see (src/a.rs:1:2), 'b.py', line 4 and c.ts(5,6) at D:\\x\\y.go:7; 10:30 http://x.y:80 e.g.rs",
            |place| all.push(place),
        );
        assert_eq!(
            all,
            [
                at("src/a.rs", 1, Some(2)),
                at("b.py", 4, None),
                at("c.ts", 5, Some(6)),
                at("D:\\x\\y.go", 7, None)
            ]
        );
    }
}
