//! Finds errors by a severity, a place, or both, in one line or in lines next to each other.

use papayu_base::domain::{Failure, FailureKind, Location};
use papayu_base::text::group;
use regex::Captures;

use super::forms::{FormKind, find, fits};
use super::names::indent_of;
use super::near::{
    MORE_LINES, NEAR, add_place_near, is_text, path_above_row, place_of_command,
    read_paragraph_above,
};
use super::place::{
    PlaceInLine, TextAfter, find_place, has_severity, has_word, heading_path, is_lead, own_path,
    read_after, strip_severity, strip_span,
};
use super::sections::read_changed_file;
use super::table::{ResultTable, read_table};
use crate::failure::draft::FailureDraft;
use crate::failure::location::{SOURCE_EXTENSIONS, captured_location, has_extension};
use crate::failure::passing::is_passing;
use crate::failure::paths::is_dependency;
use crate::failure::toolchain::generic::is_consequence;

/// Most errors.
const MAX_ERRORS: usize = 20;
/// Most lines below the last finding of a checker.
const END_LINES: usize = 3;
/// Lines on each side of the file of an error that have its other parts.
const PART_LINES: usize = 6;

/// The errors of a log.
#[derive(Default)]
pub(super) struct FoundErrors {
    pub(super) failures: Vec<Failure>,
    /// One of them has a severity and a place.
    pub(super) is_explicit: bool,
    /// All are findings of a milder severity.
    pub(super) is_mild: bool,
}

/// An error, and how sure it is.
struct Candidate {
    draft: FailureDraft,
    has_level: bool,
    certainty: ErrorCertainty,
}

/// The likelihood that a line is an error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ErrorCertainty {
    Likely,
    /// A text with its place behind it.
    Weak,
    /// A finding of a milder severity, which may fail a build that wants none.
    Mild,
}

/// Returns the errors in the lines: those with a line, else those with a file, else those without a place.
pub(super) fn find_errors(lines: &[&str]) -> FoundErrors {
    let mut found: Vec<Candidate> = Vec::new();
    let mut heading: Option<String> = None;
    let mut file: Option<String> = None;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let rest = lines.get(at + 1..).unwrap_or_default();
        at += 1;
        // A playbook of Ansible goes on after the second one.
        if is_consequence(line)
            || is_passing(line)
            || rest.first().is_some_and(|next| *next == "...ignoring")
        {
            continue;
        }
        if let Some((group, used)) = read_group(lines, at - 1, file.as_deref()) {
            for candidate in group {
                push(&mut found, candidate);
            }
            at += used;
            continue;
        }
        if let Some(path) = heading_path(line).or_else(|| path_above_row(line, rest)) {
            let (candidate, used) = read_heading_block(&path, rest);
            heading = Some(path.clone());
            file = Some(path);
            if let Some(candidate) = candidate {
                push(&mut found, candidate);
                at += used;
            }
            continue;
        }
        if !line.starts_with([' ', '\t', '│', '|'])
            && line.chars().any(char::is_alphanumeric)
            && find(FormKind::Row, line).is_none()
        {
            heading = None;
        }
        if let Some(candidate) = read_marked(line, rest, heading.as_deref()) {
            push(&mut found, candidate);
            at += 1;
            continue;
        }
        let above = lines.get(..at - 1).unwrap_or_default();
        if let Some((mut candidate, used)) = read_error(line, above, rest, heading.as_deref()) {
            let message = &candidate.draft.failure.message;
            // The text below is the message of a title.
            if message.ends_with(':') && !message.contains('\n') {
                add_lines(&mut candidate, rest.get(used..).unwrap_or_default());
            }
            push(&mut found, candidate);
            at += used;
        }
    }
    choose(found)
}

/// Reads the errors at a line that no heading has to be directly above, and returns the number of lines below that they use; `file` is
/// the last path above.
fn read_group(lines: &[&str], at: usize, file: Option<&str>) -> Option<(Vec<Candidate>, usize)> {
    let (above, below) = lines.split_at_checked(at)?;
    let (line, rest) = below.split_first()?;
    if let Some(parts) = read_parts(line, above, rest) {
        return Some((vec![parts], 0));
    }
    if let Some(table) = read_table(below) {
        let used = table.used - 1;
        return Some((read_rows(table, file).collect(), used));
    }
    if let Some((draft, used)) = read_changed_file(line, rest) {
        let found = Candidate { draft, has_level: true, certainty: ErrorCertainty::Likely };
        return Some((vec![found], used));
    }
    if fits(FormKind::Files, line) {
        let files = read_files(line, rest);
        let used = files.len();
        return Some((files, used));
    }
    read_item(line, file).map(|item| (vec![item], 0))
}

/// Reads the rows of a table; `file` is the path above it.
fn read_rows(table: ResultTable, file: Option<&str>) -> impl Iterator<Item = Candidate> {
    table.failed.into_iter().filter_map(move |row| {
        let own = Some(row.path).filter(|path| !path.is_empty());
        let path = own.or_else(|| file.map(str::to_owned))?;
        let place = Location { path, line: row.line, column: None };
        Some(error(&row.message, Some(place), true))
    })
}

/// Reads a marked line without a number below the path of its file.
fn read_item(line: &str, file: Option<&str>) -> Option<Candidate> {
    let item = find(FormKind::Item, line).filter(|_| find(FormKind::Row, line).is_none())?;
    let message = group(&item, "message")?;
    // `✖ 1 problem` is a total.
    let is_total = message.starts_with(|c: char| c.is_ascii_digit());
    (!is_total).then_some(error(message, Some(Location::file(file?)), true))
}

/// Adds an error that is not known yet.
fn push(found: &mut Vec<Candidate>, new: Candidate) {
    let is_known = found.iter().any(|known| known.draft.failure == new.draft.failure);
    if !is_known && found.len() < 8 * MAX_ERRORS {
        found.push(new);
    }
}

/// Keeps the errors with the best places.
fn choose(mut found: Vec<Candidate>) -> FoundErrors {
    let is_explicit = found.iter().any(|it| it.has_level && rank(it) < 3);
    if let Some(best) = found.iter().map(rank).min() {
        found.retain(|it| rank(it) == best);
    }
    // Of equal places, those with a severity are no frames.
    found.sort_by_key(|it| !it.has_level);
    let is_mild = found.iter().all(|it| it.certainty == ErrorCertainty::Mild);
    let failures = found.into_iter().map(|it| it.draft.finish()).take(MAX_ERRORS).collect();
    FoundErrors { failures, is_explicit, is_mild }
}

/// Returns the rank of an error; those of the lowest rank are kept.
fn rank(error: &Candidate) -> u8 {
    // A place in a library is none of the code.
    let place = error.draft.failure.locations.iter().find(|at| !is_dependency(&at.path));
    match (error.certainty, place) {
        (ErrorCertainty::Likely, Some(at)) if at.line.is_some() => 0,
        (ErrorCertainty::Likely, Some(_)) => 1,
        (ErrorCertainty::Weak, Some(_)) => 2,
        (ErrorCertainty::Likely | ErrorCertainty::Weak, None) => 4,
        (ErrorCertainty::Mild, Some(at)) if at.line.is_some() => 3,
        (ErrorCertainty::Mild, _) => 5,
    }
}

/// Reads an error at a line, and returns the number of lines below it that belong to it.
fn read_error(
    line: &str,
    above: &[&str],
    rest: &[&str],
    heading: Option<&str>,
) -> Option<(Candidate, usize)> {
    if let Some(found) = read_row(line, heading) {
        return Some((found, 0));
    }
    let level = find(FormKind::Level, line);
    // `src/a.d:3 void f() [0x55d0]` is a frame.
    let is_frame = line.ends_with(']') && line.contains(" [0x");
    if let Some(place) = find_place(line).filter(|_| !is_frame) {
        let other = find_place(place.after).map(|place| place.location);
        let found = read_placed(line, level.as_ref(), place, above, rest);
        return found.map(|(mut found, used)| {
            found.draft.add_locations(other);
            (found, used)
        });
    }
    let message = level
        .as_ref()
        .and_then(|found| group(found, "message").or_else(|| group(found, "message2")))
        .filter(|message| has_word(message) && !fits(FormKind::Mild, message));
    if let Some(message) = message {
        let before = level.as_ref().and_then(|found| group(found, "before")).unwrap_or_default();
        let mut found = error(message, None, true);
        if let Some((place, message)) = place_of_command(before, message, above) {
            return Some((error(message, Some(place), true), 0));
        }
        let used = add_place_near(&mut found.draft, &format!("{before} {message}"), rest);
        return Some((found, used));
    }
    if let Some(found) = read_mild(line, rest) {
        return Some(found);
    }
    if fits(FormKind::Sentence, line) {
        let mut found = error(line.trim(), None, true);
        let used = add_place_near(&mut found.draft, line, rest);
        // `Failed to compile.`, the place, and the message below.
        let below =
            rest.get(used).filter(|_| used > 0).and_then(|next| find(FormKind::Level, next));
        if let Some(message) = below.as_ref().and_then(|level| group(level, "message")) {
            found.draft.add_line(message);
        }
        found.has_level = !found.draft.failure.locations.is_empty();
        return Some((found, used));
    }
    read_path_first(line).map(|found| (found, 0))
}

/// Reads an error in a line with a place.
fn read_placed(
    line: &str,
    level: Option<&Captures<'_>>,
    place: PlaceInLine<'_>,
    above: &[&str],
    rest: &[&str],
) -> Option<(Candidate, usize)> {
    let at = place.location;
    let TextAfter { has_label, message: after, unmarked } = read_after(place.after);
    let is_first =
        is_lead(place.before) || place.after.starts_with(": ") && has_severity(place.before);
    let words = after.split_whitespace().filter(|word| word.len() > 1).count();
    let is_pointer = after.starts_with("at #");
    if is_first && fits(FormKind::Mild, unmarked) {
        let mut found = error(strip_span(after), Some(at), false);
        found.certainty = ErrorCertainty::Mild;
        let is_finding = words > 1 && !fits(FormKind::Quiet, unmarked);
        return is_finding.then_some((found, 0));
    }
    if is_first && words > 1 && !is_pointer {
        // The last lines of a checker that failed are its findings.
        let is_end = rest.iter().filter(|line| !line.trim().is_empty()).count() <= END_LINES;
        let has_level = level.is_some()
            || has_label
            || is_end && fits(FormKind::Sentence, after)
            || fits(FormKind::Severity, unmarked)
            || fits(FormKind::Assertion, after)
            || place.before.to_lowercase().contains("error");
        let mut found = error(strip_span(after), Some(at), has_level);
        // `error: file a.x line 3 element y`, with the text below it.
        let is_short = words < 3 && rest.first().is_some_and(|next| is_text(next));
        let used =
            if is_short { add_lines(&mut found, rest.get(..1).unwrap_or_default()) } else { 0 };
        return Some((found, used));
    }
    if let Some(found) = level {
        let message = group(found, "message").unwrap_or(line);
        let own = find_place(message).map_or(message, |place| place.before);
        // `-- ERROR ---- src/a.x:1:2`, the title of what is below.
        if !own.chars().any(char::is_alphabetic) {
            return read_place_only(at, "", &[], rest);
        }
        // `main.x - ERROR: text on line 3`.
        return Some((error(message, Some(at), true), 0));
    }
    if fits(FormKind::Mild, line.trim()) && words > 1 && !fits(FormKind::Quiet, line.trim()) {
        let mut found = error(after, Some(at), false);
        found.certainty = ErrorCertainty::Mild;
        return Some((found, 0));
    }
    let has_error = place.before.to_lowercase().contains("error");
    if fits(FormKind::Sentence, line) || has_error && is_title(line, place.after, rest) {
        let mut found = error(line.trim(), Some(at), true);
        let used = add_lines(&mut found, rest);
        return Some((found, used));
    }
    // `a.hs:12: name`, but not `a.ex:12:7:code`, which has its text below.
    if is_first && place.after.starts_with(": ") && !after.is_empty() && !is_pointer {
        return Some((error(after, Some(at), false), 0));
    }
    if is_first {
        return read_place_only(at, if is_pointer { "" } else { after }, above, rest);
    }
    let is_behind =
        after.chars().all(|c| !c.is_alphanumeric()) && !fits(FormKind::Mild, line.trim());
    let text = place.before.trim_end_matches([' ', '(', '[', '-', '<', '@']).trim();
    let is_text = text.split_whitespace().count() > 1 && !fits(FormKind::Pass, line);
    let mut found = error(text, Some(at), false);
    found.certainty = ErrorCertainty::Weak;
    (is_behind && is_text).then_some((found, 0))
}

/// Returns `true` if a line that ends with a place is the title of the text below it.
fn is_title(line: &str, after: &str, rest: &[&str]) -> bool {
    let is_end = !after.contains(char::is_alphanumeric);
    let next = rest.first().filter(|next| is_end && is_text(next));
    next.is_some_and(|next| line.ends_with(':') || indent_of(next) > indent_of(line))
}

/// Reads a finding of a milder severity with a path, or with its place in the line below, which it then uses.
fn read_mild(line: &str, rest: &[&str]) -> Option<(Candidate, usize)> {
    let text = line.trim();
    if !fits(FormKind::Mild, text) || fits(FormKind::Quiet, text) {
        return None;
    }
    let (_, message) = text.split_once(' ')?;
    let below = rest.first().filter(|next| indent_of(next) > indent_of(line));
    let below = below.and_then(|next| find_place(next)).filter(|it| it.before.trim().is_empty());
    let used = usize::from(below.is_some());
    let at = below.map_or_else(|| own_path(text).map(Location::file), |it| Some(it.location))?;
    let mut found = error(message.trim_start_matches([':', '-', ' ']), Some(at), false);
    found.certainty = ErrorCertainty::Mild;
    Some((found, used))
}

/// Reads `File: a.rb`, `Line: 12` and `Message: text` on lines of their own, around the line with the file.
fn read_parts(line: &str, above: &[&str], rest: &[&str]) -> Option<Candidate> {
    let found = find(FormKind::Part, line)?;
    let path = group(&found, "path")?;
    let own = captured_location(&found)?;
    let before = above.iter().rev().take(PART_LINES).take_while(|line| !line.trim().is_empty());
    let after = rest.iter().take(PART_LINES).take_while(|line| !line.trim().is_empty());
    let (mut number, mut message) = (own.line, None);
    for near in before.chain(after) {
        let Some(found) = find(FormKind::Part, near) else { continue };
        if group(&found, "path").is_none() {
            number = number.or_else(|| group(&found, "line")?.parse().ok());
        }
        let own_message = group(&found, "message").filter(|message| has_word(message));
        message = message.or_else(|| own_message.map(str::to_owned));
    }
    let at = Location { path: path.to_owned(), line: number, column: own.column };
    Some(error(&message?, Some(at), number.is_some()))
}

/// Reads a list of files below its heading.
fn read_files(heading: &str, rest: &[&str]) -> Vec<Candidate> {
    let mut found = Vec::new();
    for line in rest.iter().filter(|line| !line.trim().is_empty()) {
        let item = line.trim().trim_start_matches(['*', '-', '•', ' ']);
        let path = own_path(item).filter(|path| path == item);
        let Some(path) = path else { break };
        let mut error =
            error(heading.trim().trim_end_matches(':'), Some(Location::file(&path)), true);
        if heading.contains("format") {
            error.draft.failure.kind = FailureKind::Lint;
            error.draft = error.draft.with_code("unformatted");
        }
        found.push(error);
    }
    found
}

/// Returns an error.
fn error(message: &str, at: Option<Location>, has_level: bool) -> Candidate {
    let mut draft = FailureDraft::new("generic", FailureKind::Unknown, message);
    draft.add_locations(at);
    Candidate { draft, has_level, certainty: ErrorCertainty::Likely }
}

/// Reads `12:5  error  text` below the path of its file.
fn read_row(line: &str, heading: Option<&str>) -> Option<Candidate> {
    let path = heading?;
    let found = find(FormKind::Row, line)?;
    let message = group(&found, "message")?;
    if fits(FormKind::Source, line) || fits(FormKind::Quiet, message) {
        return None;
    }
    let number = |name| group(&found, name).and_then(|number| number.parse().ok());
    let at = Location { path: path.to_owned(), line: number("line"), column: number("column") };
    let text = strip_severity(message);
    // Findings under the path of their file, with a column, are those of a linter.
    let is_mild = fits(FormKind::Mild, message);
    let has_level = !is_mild && (text.len() < message.len() || at.column.is_some());
    let mut found = error(text, Some(at), has_level);
    if is_mild {
        found.certainty = ErrorCertainty::Mild;
    }
    Some(found)
}

/// Reads a line of source below the path of its file, and the message behind the marks below it.
fn read_marked(line: &str, rest: &[&str], heading: Option<&str>) -> Option<Candidate> {
    let marked = find(FormKind::Mark, rest.first()?)?;
    let number = group(&find(FormKind::Source, line)?, "line")?.parse().ok();
    let at = Location { path: heading?.to_owned(), line: number, column: None };
    Some(error(group(&marked, "message")?, Some(at), true))
}

/// Reads the text below a path, up to its numbered source.
fn read_heading_block(path: &str, rest: &[&str]) -> (Option<Candidate>, usize) {
    let mut draft = FailureDraft::new("generic", FailureKind::Unknown, "");
    for (at, line) in rest.iter().enumerate().take(NEAR) {
        if let Some(found) = find(FormKind::Source, line) {
            let number = group(&found, "line").and_then(|number| number.parse().ok());
            draft.add_location(Location { path: path.to_owned(), line: number, column: None });
            let has_message = !draft.has_no_message();
            return (
                has_message.then_some(Candidate {
                    draft,
                    has_level: false,
                    certainty: ErrorCertainty::Likely,
                }),
                at + 1,
            );
        }
        let is_text = line.trim().is_empty() || line.starts_with([' ', '\t']);
        if !is_text || find_place(line).is_some() || find(FormKind::Row, line).is_some() {
            break;
        }
        draft.add_line(line.trim());
    }
    (None, 0)
}

/// Reads a line that is a place, and perhaps a word: the message is directly above, below, or further above.
fn read_place_only(
    at: Location,
    word: &str,
    above: &[&str],
    rest: &[&str],
) -> Option<(Candidate, usize)> {
    let is_rule =
        |line: &&&str| !line.trim().is_empty() && !line.chars().any(char::is_alphanumeric);
    let rules = above.iter().rev().take_while(is_rule).count();
    let last = above.iter().rev().nth(rules).filter(|line| is_text(line));
    if let Some(last) = last.filter(|line| rules > 0 || fits(FormKind::Sentence, line)) {
        return Some((error(last.trim(), Some(at), false), 0));
    }
    if !word.is_empty()
        && rest.first().is_none_or(|line| !is_text(line) || fits(FormKind::FailedEnd, line))
    {
        return Some((error(word, Some(at), false), 0));
    }
    // Some compilers show the source before the message.
    let is_skipped = |line: &&&str| line.trim().is_empty() || fits(FormKind::Source, line);
    let below = rest.iter().take(NEAR).take_while(is_skipped).count();
    let is_message = |line: &&&str| is_text(line) && !fits(FormKind::FailedEnd, line);
    let Some(message) = rest.get(below).filter(is_message) else {
        let message = last.map(|line| line.trim().to_owned());
        let message = message.or_else(|| read_paragraph_above(above))?;
        return Some((error(&message, Some(at), false), 0));
    };
    let level = find(FormKind::Level, message);
    let text = level.as_ref().and_then(|found| group(found, "message")).unwrap_or(message.trim());
    let has_level = level.is_some() || fits(FormKind::Sentence, message);
    let mut found = error(text, Some(at), has_level);
    let used = add_lines(&mut found, rest.get(below + 1..).unwrap_or_default());
    Some((found, below + 1 + used))
}

/// Adds the lines directly below a message that continue it, and returns their number.
fn add_lines(found: &mut Candidate, rest: &[&str]) -> usize {
    let is_part = |line: &&&str| {
        !line.trim().is_empty() && find_place(line).is_none() && !fits(FormKind::Source, line)
    };
    let lines: Vec<_> = rest.iter().take(MORE_LINES).take_while(is_part).collect();
    for line in &lines {
        found.draft.add_line(line);
    }
    lines.len()
}

/// Reads `deploy/x.yaml: text`, with the path of a source file and no line.
fn read_path_first(line: &str) -> Option<Candidate> {
    let (path, message) = line.trim_start().split_once(": ")?;
    let own = own_path(path).filter(|own| own.contains('/') && path.starts_with(own.as_str()))?;
    let is_source = SOURCE_EXTENSIONS.iter().any(|end| has_extension(&own, end));
    let has_text = message.split_whitespace().count() > 2;
    (is_source && has_text && !fits(FormKind::Mild, message))
        .then(|| error(message, Some(Location::file(own)), false))
}
