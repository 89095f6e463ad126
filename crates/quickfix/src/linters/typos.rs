//! typos: misspelt words that it has exactly one correction for; the others are hints.

use serde::Deserialize;

use super::super::diagnostic_context::DiagnosticContext;
use super::super::findings::ToolFindings;
use super::super::tool_context::{NoResult, ToolContext};
use super::super::tool_table::TYPOS;
use super::invocation::invocation;
use super::remark::{LinterFix, LinterRemark, RemarkSpan, Replacement, count_problems, find_edits};

/// A line of its report; other lines are of other types.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum TyposLine {
    Typo(Typo),
    #[serde(other)]
    Other,
}

/// A misspelt word: `{"type": "typo", "path": "./a.rs", "line_num": 3, "byte_offset": 7, "typo": "teh",
/// "corrections": ["the"]}`.
#[derive(Deserialize)]
struct Typo {
    path: String,
    /// Absent where a file's name is misspelt.
    line_num: Option<u32>,
    /// Within the line.
    byte_offset: usize,
    #[serde(rename = "typo")]
    word: String,
    corrections: Vec<String>,
}

/// Returns the words that typos would correct.
///
/// Fails as [`invocation`] does, with [`NoResult::Silent`] if typos has no exit code, and with
/// [`NoResult::Interrupted`]. Lines that are no typo are left out.
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let context = DiagnosticContext::new(tools);
    let called = invocation(&context, &TYPOS)?;
    let tool = called.tool.with_arguments(&["--format", "json"]);
    let answer = context.run_tool(&tool)?;
    let typos = answer.text.lines().filter_map(|line| match serde_json::from_str(line).ok()? {
        TyposLine::Typo(typo) => Some(remark(typo)),
        TyposLine::Other => None,
    });
    let remarks: Vec<LinterRemark> = typos.collect();
    let account = match (remarks.len(), answer.exit) {
        // 2: there are typos.
        (0, exit) => format!("{} reports no typo (exit {exit})", tool.shown()),
        (count, _) => format!("{} reports {}", tool.shown(), count_problems(count)),
    };
    Ok(find_edits(context, tool.folder(), remarks, account))
}

/// Returns a misspelling as a remark; one with several corrections is a hint.
fn remark(finding: Typo) -> LinterRemark {
    let Typo { path, line_num, byte_offset, word, corrections } = finding;
    let line = line_num.unwrap_or(0);
    let span = RemarkSpan::LineBytes(line, byte_offset, byte_offset.saturating_add(word.len()));
    let options: Vec<String> = corrections.iter().map(|word| format!("`{word}`")).collect();
    let words = format!("typos: `{word}` should be {}", options.join(" or "));
    let remedy = match <[String; 1]>::try_from(corrections) {
        Ok([text]) if line > 0 => {
            LinterFix::Edits(vec![Replacement { file: None, span, text, was: Some(word) }])
        }
        _ => LinterFix::None,
    };
    LinterRemark {
        file: path,
        at: (line, u32::try_from(byte_offset).map_or(u32::MAX, |at| at.saturating_add(1))),
        words,
        remedy,
    }
}
