//! The rows of tools, read from the TOML files of this folder, and the cues of each row.

use std::sync::LazyLock;

use regex::Captures;
use serde::{Deserialize, Deserializer};

use papayu_base::domain::FailureKind;
use papayu_base::text::Pattern;

/// One form of message.
///
/// The groups of the patterns are `path`, `line`, `column`, `code`, `severity`, `message`, `test`. `severity` decides
/// whether there is a failure at all; the other groups fill in what the failure lacks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table")]
pub(super) struct MessageForm {
    /// The tool.
    #[cfg_attr(not(test), expect(dead_code, reason = "for people who read the table"))]
    pub(super) name: String,
    /// The toolchain of the failure.
    pub(super) toolchain: String,
    #[serde(default)]
    pub(super) kind: FailureKind,
    /// Texts of which each line that begins a failure has one.
    pub(super) cues: Vec<String>,
    /// The first line of a failure.
    #[serde(deserialize_with = "read_pattern")]
    pub(super) begin: Pattern,
    /// A line above the findings that has parts of them, such as the file or the test. Its cues are `heading_cues`; without them a line that is a
    /// path and nothing else is the heading.
    #[serde(default, deserialize_with = "read_option")]
    pub(super) heading: Option<Pattern>,
    #[serde(default)]
    pub(super) heading_cues: Vec<String>,
    /// `true` if the heading is the line directly above.
    #[serde(default)]
    pub(super) heading_above: bool,
    /// `true` if there are findings without a heading.
    #[serde(default)]
    pub(super) heading_optional: bool,
    /// `true` if a heading belongs to one finding only.
    #[serde(default)]
    pub(super) heading_once: bool,
    /// `true` if a line above that is a path and nothing else names the file of a failure without a place.
    #[serde(default)]
    pub(super) path_above: bool,
    /// Lines below the first one within which the first line of another failure belongs to this one.
    #[serde(default)]
    pub(super) grace: u32,
    /// Lines below the first one that have parts of the failure.
    #[serde(default, deserialize_with = "read_list")]
    pub(super) follow: Vec<Pattern>,
    /// Lines that have parts of the failure and end it.
    #[serde(default, deserialize_with = "read_list")]
    pub(super) last: Vec<Pattern>,
    /// Frames of a library, whatever else they look like.
    #[serde(default, deserialize_with = "read_option")]
    pub(super) library: Option<Pattern>,
    /// Lines that say nothing, unless they have parts of the failure.
    #[serde(default, deserialize_with = "read_option")]
    pub(super) ignore: Option<Pattern>,
    /// A line that is no longer part of the failure.
    #[serde(default, deserialize_with = "read_option")]
    pub(super) end: Option<Pattern>,
    /// A line below by which the lines are no failure.
    #[serde(default, deserialize_with = "read_option")]
    pub(super) withdrawn: Option<Pattern>,
    /// The kind of the other lines below the first one.
    #[serde(default)]
    pub(super) body: Body,
    /// `true` if blank lines belong to the failure.
    #[serde(default)]
    pub(super) blanks: bool,
    /// `true` if only lines that are indented belong to the failure.
    #[serde(default)]
    pub(super) indented: bool,
    /// Most lines below the first one; 0 for a failure in one line.
    #[serde(default)]
    pub(super) lines: u32,
    /// A part without which the lines are no failure of this tool.
    #[serde(default)]
    pub(super) needs: Option<Part>,
    /// `true` if the place in the first line is that of the test, and places below it are better.
    #[serde(default)]
    pub(super) place_of_test: bool,
    /// `true` if the row is tried before the parsers of toolchains.
    #[serde(default)]
    pub(super) first: bool,
    /// A log with one failure of the tool.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads it"))]
    pub(super) bad: String,
    /// A log of the tool without a failure.
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads it"))]
    pub(super) good: String,
}

/// The kind of the lines below the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Body {
    /// Source and decoration.
    #[default]
    Skip,
    /// The message, with places in it.
    Message,
    /// A stack.
    Frames,
}

/// A part of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Part {
    Test,
    Path,
    Message,
}

/// One file of rows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolFile {
    tool: Vec<MessageForm>,
}

/// The files in the order in which their rows are tried.
pub(super) const FILES: [&str; 3] =
    [include_str!("runners.toml"), include_str!("compilers.toml"), include_str!("linters.toml")];

/// All rows. A file that is no TOML has none; a test reads every file.
pub(super) static ROWS: LazyLock<Vec<MessageForm>> = LazyLock::new(|| {
    FILES.into_iter().flat_map(|text| read_rows(text).unwrap_or_default()).collect()
});

/// Reads the rows of a file.
pub(super) fn read_rows(text: &str) -> Result<Vec<MessageForm>, toml::de::Error> {
    Ok(toml::from_str::<ToolFile>(text)?.tool)
}

/// The meaning of a cue: a row may begin, or its heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::failure) enum RowCue {
    Begin(usize),
    Heading(usize),
}

/// Returns the cues of all rows with their meaning.
pub(in crate::failure) fn row_cues() -> impl Iterator<Item = (&'static str, RowCue)> {
    ROWS.iter().enumerate().flat_map(|(at, row)| {
        let begins = row.cues.iter().map(move |cue| (cue.as_str(), RowCue::Begin(at)));
        let headings = row.heading_cues.iter();
        begins.chain(headings.map(move |cue| (cue.as_str(), RowCue::Heading(at))))
    })
}

/// Brings the cues in a line into the order of the table, each once, headings first.
pub(in crate::failure) fn sort_cues(cues: &mut Vec<RowCue>) {
    if cues.len() > 1 {
        cues.sort_by_key(|cue| match cue {
            RowCue::Heading(at) => (0, *at),
            RowCue::Begin(at) => (1, *at),
        });
        cues.dedup();
    }
}

/// Returns the first match of a list of patterns.
pub(super) fn first_match<'t>(patterns: &[Pattern], text: &'t str) -> Option<Captures<'t>> {
    patterns.iter().find_map(|pattern| pattern.captures(text))
}

fn read_pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Pattern, D::Error> {
    String::deserialize(deserializer).map(Pattern::of)
}

fn read_option<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Pattern>, D::Error> {
    read_pattern(deserializer).map(Some)
}

fn read_list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Pattern>, D::Error> {
    Ok(Vec::<String>::deserialize(deserializer)?.into_iter().map(Pattern::of).collect())
}
