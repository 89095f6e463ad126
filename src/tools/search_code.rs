//! `search_code`: the lines that contain a text, and the definitions of that name.

use globset::Glob;
use regex::RegexBuilder;
use regex_syntax::hir::literal::{ExtractKind, Extractor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{TypedAnswer, join_lines};
use super::error::ToolError;
use super::find_definition::definition_line;
use super::reading::is_shown;
use super::text_filter::TextSearch;
use super::tool::{Tool, ToolResult};
use super::workspace::ToolSession;
use papayu_index::queries::{self, Definition};

/// Most lines of an answer.
const MAX_HITS: usize = 60;
/// Most definitions of an answer.
const MAX_DEFINITIONS: usize = 10;
/// Longest line shown, in characters.
const MAX_LINE: usize = 200;
/// Largest compiled pattern, in bytes.
const MAX_PATTERN: usize = 1 << 20;

/// The parameters of `search_code`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchCodeParams {
    /// The text to find; with `regex` a regular expression.
    #[schemars(length(min = 1))]
    pub query: String,
    /// True if `query` is a regular expression in the syntax of Rust's regex crate.
    #[serde(default)]
    pub regex: bool,
    /// Limits the search to paths that match a glob, such as `src/**/*.ts`.
    #[serde(default)]
    pub glob: Option<String>,
}

/// The result of a search.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Hits<'w> {
    /// Definitions with the query in their names, the best first.
    pub definitions: Vec<Definition<'w>>,
    /// The lines, sorted by path and line.
    pub lines: Vec<CodeHit>,
    /// Number of lines that are left out.
    pub left_out: usize,
}

/// A line that matches.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct CodeHit {
    /// Path of the file.
    pub path: String,
    /// Number of the line, from 1.
    pub line: usize,
    /// The line, trimmed and shortened.
    pub text: String,
}

/// The tool.
pub(super) struct SearchCode;

impl Tool for SearchCode {
    type Params = SearchCodeParams;
    type Output<'w> = Hits<'w>;
    const NAME: &'static str = "search_code";
    const DESCRIPTION: &'static str = "Finds lines that contain a text or match a regular expression, and definitions of that name.";

    fn run<'w>(params: SearchCodeParams, workspace: &'w ToolSession<'w>) -> ToolResult<Hits<'w>> {
        let code = &workspace.code;
        let paths = code.index().files().iter().map(|file| file.path.as_str());
        let (lines, left_out) = search_lines(&params, paths, code.text_search())?;
        let mut definitions = queries::find_symbols(code.index(), &params.query, MAX_DEFINITIONS);
        definitions.retain(|row| is_shown(row.path));
        let shown = definitions.iter().map(|row| format!("defined {}", definition_line(row)));
        let hits = lines.iter().map(hit_line);
        let text = join_lines(shown.chain(hits), left_out);
        let named = definitions.iter().map(|row| row.path.to_owned());
        let files: Vec<String> = named.chain(lines.iter().map(|hit| hit.path.clone())).collect();
        Ok(TypedAnswer::new(Hits { definitions, lines, left_out }, text, files))
    }
}

/// Returns the lines of `paths` that match, at most 60, and the number of lines left out.
///
/// # Errors
///
/// `Parameter` for a query or a glob that cannot be read.
pub(super) fn search_lines<'p>(
    params: &SearchCodeParams,
    paths: impl Iterator<Item = &'p str>,
    search: TextSearch<'_>,
) -> Result<(Vec<CodeHit>, usize), ToolError> {
    let fault = |name: &str, fault: String| ToolError::Parameter { name: name.to_owned(), fault };
    if params.query.is_empty() {
        return Err(fault("query", "empty; expected a text".to_owned()));
    }
    let glob = params.glob.as_deref().map(Glob::new).transpose();
    let glob = glob.map_err(|error| fault("glob", error.to_string()))?;
    let glob = glob.map(|glob| glob.compile_matcher());
    let pattern = if params.regex { params.query.clone() } else { regex::escape(&params.query) };
    let pattern = RegexBuilder::new(&pattern).size_limit(MAX_PATTERN).build();
    let pattern = pattern.map_err(|error| fault("query", error.to_string()))?;
    let (mut lines, mut left_out) = (Vec::new(), 0);
    let matches_glob = |path: &&str| glob.as_ref().is_none_or(|glob| glob.is_match(path));
    let parts = required_parts(params);
    for path in paths.filter(matches_glob) {
        let text = search.read_if_contains(path, &parts);
        let Some(text) = text.filter(|text| is_shown(path) && pattern.is_match(text)) else {
            continue;
        };
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| pattern.is_match(line)) {
            if lines.len() == MAX_HITS {
                left_out += 1;
                continue;
            }
            let text = line.trim().chars().take(MAX_LINE).collect();
            lines.push(CodeHit { path: path.to_owned(), line: number, text });
        }
    }
    Ok((lines, left_out))
}

/// Returns texts of which every match contains one, in any case; empty if there are none of at least three bytes.
fn required_parts(params: &SearchCodeParams) -> Vec<String> {
    if !params.regex {
        return vec![params.query.clone()];
    }
    let Ok(pattern) = regex_syntax::parse(&params.query) else { return Vec::new() };
    let parts = |kind| {
        let found = Extractor::new().kind(kind).extract(&pattern);
        let literals = found.literals().unwrap_or_default();
        let parts = literals.iter().map(|literal| str::from_utf8(literal.as_bytes()).ok());
        let parts: Option<Vec<String>> = parts.map(|part| part.map(str::to_owned)).collect();
        parts.filter(|parts| parts.iter().all(|part| part.len() >= 3)).unwrap_or_default()
    };
    let starts = parts(ExtractKind::Prefix);
    if starts.is_empty() { parts(ExtractKind::Suffix) } else { starts }
}

/// Returns `PATH:LINE: TEXT`.
pub(super) fn hit_line(hit: &CodeHit) -> String {
    format!("{}:{}: {}", hit.path, hit.line, hit.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(query: &str, regex: bool) -> Vec<String> {
        required_parts(&SearchCodeParams { query: query.to_owned(), regex, glob: None })
    }

    #[test]
    fn a_pattern_requires_the_texts_with_which_its_matches_begin_or_end() {
        assert_eq!(parts("a.b(", false), ["a.b("]);
        assert_eq!(parts("open_[a-z]+", true), ["open_"]);
        assert_eq!(parts("[a-z]+_account", true), ["_account"]);
        assert_eq!(parts("(load|store)_x+", true), ["load_x", "store_x"]);
        for unknown in ["", "a*", "[a-z]+", "ab|open", "(", "x*open|y*"] {
            assert_eq!(parts(unknown, true), Vec::<String>::new(), "{unknown}");
        }
    }
}
