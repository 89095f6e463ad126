//! The diagnostics of all linters in one form, and the findings made of them.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;

use super::super::diagnostic_context::DiagnosticContext;
use super::super::findings::{TextEdit, ToolFindings, ToolFix};
use super::super::land::land;
use super::super::line_index::{LineIndex, Unit};
use super::meaning::find_risk;
use papayu_base::domain::RepoPath;

/// Fixes of one tool that are placed; the next run sees the rest.
const MAX_FIXES: usize = 1_000;

/// Remarks without a fix that are kept.
const MAX_UNFIXED: usize = 500;

/// A linter's diagnostic for one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinterRemark {
    /// The file as the tool names it.
    pub(super) file: String,
    /// Line and column, counted from 1, as the tool prints them.
    pub(super) at: (u32, u32),
    /// Tool, rule and message in one line.
    pub(super) words: String,
    /// The fix that the tool proposes.
    pub(super) remedy: LinterFix,
}

/// A tool's proposal for a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LinterFix {
    /// It does not say.
    None,
    /// It is not sure, in words.
    Hint(String),
    /// It is sure.
    Edits(Vec<Replacement>),
}

/// One replacement in the tool's own terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Replacement {
    /// The file, where it is another than the remark's.
    pub(super) file: Option<String>,
    /// The place of the replaced text.
    pub(super) span: RemarkSpan,
    /// The new text.
    pub(super) text: String,
    /// The present text, if the tool names it.
    pub(super) was: Option<String>,
}

/// A stretch of text in the tool's own terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RemarkSpan {
    /// Units of UTF-16 from the beginning.
    Utf16(i64, i64),
    /// Bytes from the beginning, byte order mark included.
    Bytes(usize, usize),
    /// Bytes of a line, counted from 1 and from 0; a byte order mark is part of the first.
    LineBytes(u32, usize, usize),
    /// Lines and columns, counted from 1; the end is not part of it.
    Lines((u32, u32), (u32, u32), Unit),
}

/// Returns the JSON value at the start of a text, whatever follows it. `None` if there is none of this form.
pub(super) fn read_first_json<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::Deserializer::from_str(text).into_iter().next()?.ok()
}

/// Returns a count with its noun.
pub(super) fn count_problems(count: usize) -> String {
    if count == 1 { "1 problem".to_owned() } else { format!("{count} problems") }
}

/// Returns the findings for the diagnostics of a tool that ran in `folder`.
pub(super) fn find_edits(
    mut context: DiagnosticContext<'_>,
    folder: &str,
    remarks: Vec<LinterRemark>,
    account: String,
) -> ToolFindings {
    for remark in remarks.into_iter().filter(within_bounds()) {
        let LinterRemark { file, at: (line, column), words, remedy } = remark;
        let path = context.find_in(folder, &file);
        let shown = path.as_ref().map_or(file.as_str(), RepoPath::as_str);
        let note = format!("{shown}:{line}:{column} {words}");
        let edits = match remedy {
            LinterFix::None => {
                context.add_hint(note);
                continue;
            }
            LinterFix::Hint(hint) => {
                context.add_hint(format!("{note} ({hint})"));
                continue;
            }
            LinterFix::Edits(edits) => edits,
        };
        let placed: Result<Vec<TextEdit>, _> =
            edits.into_iter().map(|edit| place_edit(&mut context, folder, &file, edit)).collect();
        match placed {
            Ok(edits) if edits.is_empty() => context.add_hint(note),
            Ok(edits) => match find_risk(&mut context, &words, &edits) {
                Some(why) => context.leave_fix(format!("{note} (left out: {why})"), &edits),
                None => context.add_fix(ToolFix { note, edits }),
            },
            Err(reason) => context.add_hint(format!("{note} (left out: {reason})")),
        }
    }
    context.into_findings(account)
}

/// Returns a filter that passes a number of fixes and of other remarks. A first run of a linter
/// on an old project reports thousands.
fn within_bounds() -> impl FnMut(&LinterRemark) -> bool {
    let (mut fixes, mut others) = (0, 0);
    move |remark| {
        let is_fix = matches!(remark.remedy, LinterFix::Edits(_));
        let (count, most) =
            if is_fix { (&mut fixes, MAX_FIXES) } else { (&mut others, MAX_UNFIXED) };
        *count += 1;
        *count <= most
    }
}

/// Returns a replacement as an edit. The text that it replaces must be as the tool quoted it, if it
/// did.
fn place_edit(
    context: &mut DiagnosticContext<'_>,
    folder: &str,
    file: &str,
    edit: Replacement,
) -> Result<TextEdit, &'static str> {
    let name = edit.file.as_deref().unwrap_or(file);
    let path = context.find_in(folder, name).ok_or("the file is not one of the repository's")?;
    let source = context.read(&path)?;
    let (start, end) = ends(&source, edit.span).ok_or("its place is not in the file")?;
    let is = source.text.get(start..end).ok_or("its place is not in the file")?;
    if edit.was.is_some_and(|was| was != is) {
        return Err("the file is not as the tool saw it");
    }
    Ok(TextEdit { path, range: start..end, text: edit.text })
}

/// Returns the bytes of a span in its unit; `None` if it is not in the file.
fn ends(source: &LineIndex, span: RemarkSpan) -> Option<(usize, usize)> {
    match span {
        RemarkSpan::Utf16(start, end) => {
            Some((source.utf16_offset(start)?, source.utf16_offset(end)?))
        }
        RemarkSpan::Bytes(start, end) => Some((start, end)),
        RemarkSpan::LineBytes(line, start, end) => {
            let first = if line == 1 { 0 } else { source.byte_at(line, 1, Unit::Byte)? };
            Some((first.checked_add(start)?, first.checked_add(end)?))
        }
        RemarkSpan::Lines(start, end, unit) => {
            Some((source.byte_at(start.0, start.1, unit)?, source.byte_at(end.0, end.1, unit)?))
        }
    }
}

/// The results of a tool's own fix passes.
#[derive(Debug, Default)]
pub(super) struct Passes {
    /// The files that they change, as they leave them.
    pub(super) after: BTreeMap<RepoPath, String>,
    /// Files of which they would fix more than is asked here: about those they say nothing.
    pub(super) beyond: BTreeSet<RepoPath>,
}

/// Puts a fix of the whole file before the others where they, landed together, are not what the tool's own
/// passes make of the file.
pub(super) fn match_tool(found: &mut ToolFindings, tool: &str, passes: &Passes) {
    let Passes { after, beyond } = passes;
    let beyond: BTreeSet<RepoPath> = beyond.union(&found.left).cloned().collect();
    // A file that the tool's own passes leave unchanged stays unchanged.
    let is_made = |path: &RepoPath| after.contains_key(path) || beyond.contains(path);
    found.fixes.retain(|fix| fix.edits.iter().all(|edit| is_made(&edit.path)));
    let placed = land(found, &found.fixes);
    let ours: BTreeMap<_, _> =
        placed.files.iter().map(|file| (&file.path, file.after.as_str())).collect();
    let mut whole = Vec::new();
    for (path, text) in after.iter().filter(|(path, _)| !beyond.contains(path)) {
        let Some(before) = found.texts.get(path) else { continue };
        let is_touched = |fix: &&ToolFix| fix.edits.iter().any(|edit| edit.path == *path);
        let count = found.fixes.iter().filter(is_touched).count();
        if count > 0 && ours.get(path) != Some(&text.as_str()) {
            let note =
                format!("{path} {tool}: what its own passes make of the file, from {count} fixes");
            let edit = TextEdit { path: path.clone(), range: 0..before.len(), text: text.clone() };
            whole.push(ToolFix { note, edits: vec![edit] });
        }
    }
    // In front, because of two fixes that overlap the first one is kept.
    found.fixes.splice(0..0, whole);
}
