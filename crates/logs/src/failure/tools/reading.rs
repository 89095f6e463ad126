//! Follows the rows of the table through the lines of one job.

use regex::Captures;

use super::table::{Body, MessageForm, Part, ROWS, RowCue, first_match};
use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::toolchain::parse_stack_frame;
use crate::failure::{location, quoted};
use papayu_base::domain::{FailureKind, Location};
use papayu_base::text::{Pattern, first_chars, group};

/// The longest line that can be a heading, in bytes.
const MAX_HEADING: usize = 300;

/// Words for severities that do not fail a build.
const MILD: &[&str] = &[
    "warning", "warn", "info", "information", "note", "hint", "suggestion", "style", "w", "i", "⚠",
];

/// The state between the lines of a job.
#[derive(Default)]
pub(in crate::failure) struct ToolReader {
    open: Option<OpenTool>,
    /// The last line that was a path and nothing else.
    path_line: String,
    /// The last heading of each row that has headings.
    headings: Vec<FindingHeading>,
    /// The current line and the one above, if they can be headings.
    last_lines: [String; 2],
}

/// The heading above a finding.
#[derive(Clone, Default)]
struct FindingHeading {
    row: usize,
    place: Option<Location>,
    test: Option<String>,
    message: Option<String>,
}

/// A failure that is being read.
struct OpenTool {
    row: usize,
    draft: FailureDraft,
    lines: u32,
    /// The place of the test.
    test_place: Option<Location>,
}

impl ToolReader {
    /// Returns `true` inside a failure.
    pub(in crate::failure) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Reads a line, with its cues, before the parsers of toolchains do: only rows that must be first.
    pub(in crate::failure) fn read_first(
        &mut self,
        text: &str,
        cues: &[RowCue],
        findings: &mut LogFailures,
    ) -> LineImportance {
        self.note_path_line(text);
        let [current, above] = &mut self.last_lines;
        std::mem::swap(current, above);
        current.clear();
        current.push_str(Some(text).filter(|text| text.len() <= MAX_HEADING).unwrap_or_default());
        self.read_cued(text, cues, findings, true)
    }

    /// Reads a line that no parser claims.
    pub(in crate::failure) fn read_line(
        &mut self,
        text: &str,
        cues: &[RowCue],
        findings: &mut LogFailures,
    ) -> LineImportance {
        self.read_cued(text, cues, findings, false)
    }

    fn read_cued(
        &mut self,
        text: &str,
        cues: &[RowCue],
        findings: &mut LogFailures,
        is_first: bool,
    ) -> LineImportance {
        for cue in cues.iter().copied() {
            match cue {
                RowCue::Heading(at) if is_first => self.note_heading(at, text),
                RowCue::Begin(at) if ROWS.get(at).is_some_and(|row| row.first == is_first) => {
                    if let Some(claim) = self.begin(at, text, findings) {
                        return claim;
                    }
                }
                _ => {}
            }
        }
        if self.open_row().is_some_and(|row| row.first == is_first) {
            self.read_below(text, findings)
        } else {
            LineImportance::None
        }
    }

    /// Adds the open failure.
    pub(in crate::failure) fn close(&mut self, findings: &mut LogFailures) {
        let Some(OpenTool { row, mut draft, test_place, .. }) = self.open.take() else { return };
        let Some(row) = ROWS.get(row) else { return };
        draft.add_locations(test_place.filter(|_| draft.failure.locations.is_empty()));
        let failure = &mut draft.failure;
        let has_part = match row.needs {
            None => true,
            Some(Part::Test) => failure.test.is_some(),
            Some(Part::Path) => !failure.locations.is_empty(),
            Some(Part::Message) => !failure.message.is_empty(),
        };
        if !has_part && failure.message.is_empty() {
            return;
        }
        if !has_part {
            failure.kind = FailureKind::Unknown;
            "generic".clone_into(&mut failure.toolchain);
        }
        if failure.test.is_some() && failure.kind == FailureKind::Unknown {
            failure.kind = FailureKind::Test;
        }
        findings.add(draft.finish());
    }

    fn open_row(&self) -> Option<&'static MessageForm> {
        ROWS.get(self.open.as_ref()?.row)
    }

    /// Begins a failure of a row if the line fits; warnings are known and begin none.
    fn begin(
        &mut self,
        at: usize,
        text: &str,
        findings: &mut LogFailures,
    ) -> Option<LineImportance> {
        let row = ROWS.get(at)?;
        if self.open.as_ref().is_some_and(|open| open.row == at && open.lines < row.grace) {
            return None;
        }
        // Asked first, because it costs less than the pattern.
        let heading = match row.heading {
            Some(_) if row.heading_optional => self.heading_of(at, row).unwrap_or_default(),
            Some(_) => self.heading_of(at, row)?,
            None => FindingHeading::default(),
        };
        let found = row.begin.captures(text)?;
        self.close(findings);
        if group(&found, "severity").is_some_and(is_mild) {
            return Some(LineImportance::Known);
        }
        if row.heading_once {
            self.headings.retain(|known| known.row != at);
        }
        let mut draft = FailureDraft::new(&row.toolchain, row.kind, "");
        let place = read_parts(&mut draft, &found).or_else(|| {
            let number = |name| group(&found, name).and_then(|number| number.parse().ok());
            let at = heading.place?;
            Some(Location {
                line: number("line").or(at.line),
                column: number("column").or(at.column),
                path: at.path,
            })
        });
        let above = Some(&self.path_line).filter(|path| row.path_above && !path.is_empty());
        let place = place.or_else(|| above.map(|path| Location::file(path.as_str())));
        draft.failure.test = draft.failure.test.take().or(heading.test);
        if let Some(message) = heading.message.filter(|_| draft.has_no_message()) {
            draft.add_line(&message);
        }
        let mut test_place = None;
        if row.place_of_test {
            test_place = place;
        } else {
            draft.add_locations(place);
        }
        self.open = Some(OpenTool { row: at, draft, lines: 0, test_place });
        if row.lines == 0 {
            self.close(findings);
        }
        Some(LineImportance::Fault)
    }

    /// Reads a line below the first one of the open failure.
    fn read_below(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        let Some(row) = self.open_row() else { return LineImportance::None };
        let Some(open) = &mut self.open else { return LineImportance::None };
        open.lines += 1;
        let is_blank = text.trim().is_empty();
        let is_outside = open.lines > row.lines
            || is_blank && !row.blanks
            || !is_blank && row.indented && !text.starts_with([' ', '\t', '│', '|'])
            || row.end.as_ref().is_some_and(|end| end.is_match(text));
        if is_outside {
            self.close(findings);
            return LineImportance::None;
        }
        let fits = |pattern: &Option<Pattern>| pattern.as_ref().is_some_and(|it| it.is_match(text));
        if fits(&row.withdrawn) {
            self.open = None;
            return LineImportance::Known;
        }
        if is_blank || fits(&row.library) {
            return LineImportance::Known;
        }
        if let Some(found) = first_match(&row.last, text) {
            open.read_found(&found);
            self.close(findings);
            return LineImportance::Part;
        }
        if let Some(found) = first_match(&row.follow, text) {
            open.read_found(&found);
            return LineImportance::Part;
        }
        if fits(&row.ignore) {
            return LineImportance::Known;
        }
        open.read_body(row.body, text);
        LineImportance::Part
    }

    /// Remembers a line that is a path and nothing else.
    fn note_path_line(&mut self, text: &str) {
        let trimmed = text.trim_end();
        let is_path = trimmed.len() <= MAX_HEADING
            && trimmed.contains(['.', '/'])
            && !trimmed.contains([' ', '\t', '(', '=', '"'])
            && !trimmed.contains("://")
            && trimmed.bytes().any(|b| b.is_ascii_alphabetic());
        if is_path {
            self.path_line.clear();
            self.path_line.push_str(trimmed.trim_end_matches(':'));
        }
    }

    /// Remembers the parts in a heading of a row.
    fn note_heading(&mut self, at: usize, text: &str) {
        let heading = ROWS.get(at).and_then(|row| row.heading.as_ref());
        let Some(found) = heading.and_then(|heading| heading.captures(text)) else { return };
        let new = read_heading(at, &found);
        let known = self.headings.iter_mut().find(|known| known.row == at);
        match known {
            // A place below a message belongs to it.
            Some(known)
                if new.message.is_none() && new.test.is_none() && known.message.is_some() =>
            {
                known.place = known.place.take().or(new.place);
            }
            Some(known) => *known = new,
            None => self.headings.push(new),
        }
    }

    /// Returns the heading of a row's findings.
    fn heading_of(&self, at: usize, row: &MessageForm) -> Option<FindingHeading> {
        if row.heading_above {
            let [_, above] = &self.last_lines;
            return Some(read_heading(at, &row.heading.as_ref()?.captures(above)?));
        }
        if row.heading_cues.is_empty() {
            let found = row.heading.as_ref()?.captures(&self.path_line)?;
            let place = Some(Location::file(group(&found, "path")?));
            return Some(FindingHeading { row: at, place, ..FindingHeading::default() });
        }
        self.headings.iter().find(|known| known.row == at).cloned()
    }
}

impl OpenTool {
    /// Reads the parts in a line below the first one; a line number without a path is that of the place so far.
    fn read_found(&mut self, found: &Captures<'_>) {
        let place = read_parts(&mut self.draft, found);
        let line = group(found, "line").filter(|_| place.is_none());
        self.draft.add_locations(place);
        if let Some(first) = self.draft.failure.locations.first_mut() {
            first.line = first.line.or_else(|| line.and_then(|line| line.parse().ok()));
        }
    }

    /// Reads a line below the first one that no pattern of the row fits.
    fn read_body(&mut self, body: Body, text: &str) {
        let trimmed = text.trim();
        if body == Body::Skip {
            if let Some(source) = quoted::strip_gutter(text) {
                self.draft.add_source(source);
            }
            return;
        }
        if let Some(frame) = parse_stack_frame(trimmed) {
            self.draft.add_locations(frame.location());
            return;
        }
        if body == Body::Message {
            self.draft.add_line(text.trim_start_matches(['│', '|']));
        }
        location::find_locations(trimmed, |at| self.draft.add_location(at));
    }
}

/// Returns the parts in a heading of a row.
fn read_heading(row: usize, found: &Captures<'_>) -> FindingHeading {
    let part = |name| group(found, name).map(|it| first_chars(it, MAX_HEADING).to_owned());
    FindingHeading {
        row,
        place: location::captured_location(found),
        test: part("test"),
        message: part("message"),
    }
}

/// Adds the groups of a match to a failure and returns the place.
fn read_parts(draft: &mut FailureDraft, found: &Captures<'_>) -> Option<Location> {
    if let Some(message) = group(found, "message").or_else(|| group(found, "message2")) {
        draft.add_line(message.trim());
    }
    let failure = &mut draft.failure;
    if failure.code.is_none() {
        failure.code = group(found, "code").map(str::to_owned);
    }
    if failure.test.is_none() {
        failure.test = group(found, "test").map(|test| test.trim().to_owned());
    }
    location::captured_location(found)
}

fn is_mild(severity: &str) -> bool {
    let severity = severity.trim().to_lowercase();
    MILD.contains(&severity.as_str())
}
