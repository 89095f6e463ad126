//! Finds the place of an error in its own text, and in the lines around it.

use papayu_base::domain::Location;
use papayu_base::text::group;

use super::forms::{FormKind, find, fits};
use super::place::{find_place, heading_path, line_number, own_path};
use crate::failure::draft::FailureDraft;
use crate::failure::toolchain::generic::is_consequence;

/// Lines below an error in which its place is looked for.
pub(super) const NEAR: usize = 12;
/// Lines below an error that belong to its message.
pub(super) const MORE_LINES: usize = 3;

/// Finds the place of an error: in its own text without a line, or in the lines below. Returns the number of lines up to the
/// place.
pub(super) fn add_place_near(draft: &mut FailureDraft, text: &str, rest: &[&str]) -> usize {
    let own = own_path(text);
    if let Some((path, number)) = own.as_ref().zip(line_number(text)) {
        draft.add_location(Location { path: path.clone(), line: Some(number), column: None });
        return 0;
    }
    for (at, line) in rest.iter().enumerate().take(NEAR) {
        if at > 0 && find(FormKind::Level, line).is_some() || is_consequence(line) {
            break;
        }
        let place = find_place(line);
        let number = own.as_ref().and_then(|_| line_number(line));
        if let Some(place) = place {
            draft.add_location(place.location);
            return at + 1;
        }
        if let (Some(path), Some(number)) = (&own, number) {
            add_text_above(draft, rest.get(..=at).unwrap_or_default());
            draft.add_location(Location { path: path.clone(), line: Some(number), column: None });
            return at + 1;
        }
    }
    if let Some(path) = own {
        let indented =
            rest.iter().take(MORE_LINES).take_while(|line| line.starts_with([' ', '\t']));
        indented.for_each(|line| draft.add_line(line));
        draft.add_location(Location::file(&path));
    }
    0
}

/// Reads `prog: error: 1: text`, where the command above names the file: `$ prog --check a.x`. Returns the place and the
/// message.
pub(super) fn place_of_command<'t>(
    before: &str,
    message: &'t str,
    above: &[&str],
) -> Option<(Location, &'t str)> {
    let program = before.trim().strip_suffix(':').filter(|name| !name.contains(' '))?;
    let (number, message) = message.split_once(": ")?;
    let line = number.parse().ok()?;
    let mut arguments = above.iter().rev().filter_map(|line| {
        line.trim_start_matches(['$', '+', ' ']).strip_prefix(program)?.strip_prefix(' ')
    });
    let path = arguments.next()?.split(' ').rev().find_map(heading_path)?;
    Some((Location { path, line: Some(line), column: None }, message))
}

fn add_text_above(draft: &mut FailureDraft, lines: &[&str]) {
    lines.iter().take(MORE_LINES).for_each(|line| draft.add_line(line));
}

/// Returns `true` for a line of words, without a place and no source.
pub(super) fn is_text(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphabetic()).count() > 3
        && find_place(line).is_none()
        && !fits(FormKind::Mild, line.trim_start())
        && !fits(FormKind::Source, line)
}

/// Returns the paragraph above a place.
pub(super) fn read_paragraph_above(above: &[&str]) -> Option<String> {
    let lines = above.iter().rev().skip_while(|line| line.trim().is_empty());
    let lines: Vec<&str> =
        lines.take(MORE_LINES * 2).take_while(|line| !line.trim().is_empty()).copied().collect();
    let is_message =
        |line: &&&str| fits(FormKind::Sentence, line) || fits(FormKind::Assertion, line);
    let first = lines.iter().rposition(|line| is_text(line) && is_message(&line))?;
    Some(lines.get(..=first)?.iter().rev().copied().collect::<Vec<_>>().join("\n"))
}

/// Returns the path of the place of the finding below, where it is a heading: the finding has a line too.
pub(super) fn path_above_row(line: &str, rest: &[&str]) -> Option<String> {
    let place = find_place(line).filter(|it| it.before.trim().is_empty() && it.after.is_empty())?;
    let row = find(FormKind::Row, rest.first()?)?;
    group(&row, "column").map(|_| place.location.path)
}
