//! Finds the place that a line names, in whatever way it is written.

use papayu_base::domain::Location;
use papayu_base::text::group;

use super::forms::{FormKind, find, fits};
use crate::failure::location::{SOURCE_EXTENSIONS, captured_location};

/// Endings of the names of hosts.
const HOSTS: &[&str] =
    &["com", "org", "net", "io", "dev", "local", "internal", "svc", "arpa", "de", "cloud"];

/// Longest ending of a path, in bytes.
const MAX_ENDING: usize = 10;

/// A place in a line.
pub(in crate::failure) struct PlaceInLine<'t> {
    pub(in crate::failure) location: Location,
    /// The text before it.
    pub(in crate::failure) before: &'t str,
    /// The text after it.
    pub(in crate::failure) after: &'t str,
}

/// Returns the place that a line names. `None` without a path and a line.
pub(in crate::failure) fn find_place(text: &str) -> Option<PlaceInLine<'_>> {
    // Many lines have no number.
    let has_number = text.bytes().any(|byte| byte.is_ascii_digit());
    let found = has_number.then(|| find(FormKind::Place, text))??;
    let mut location = captured_location(&found).filter(|at| !is_host(&at.path))?;
    let class = location.path.split_once('@').map(|(class, _)| class);
    if let Some(class) = class.filter(|class| is_exception(class)) {
        location.path.drain(..=class.len());
    }
    let path = found.name("path")?;
    let line = found.name("line").or_else(|| found.name("line2"))?;
    // `src/a.js: text (2:2)` has its message between the two.
    let between = text.get(path.end()..line.start()).unwrap_or_default();
    let has_text = between.starts_with(": ") && between.ends_with('(');
    let end = if has_text { path.end() } else { found.get(0)?.end() };
    Some(PlaceInLine {
        location,
        before: text.get(..path.start().min(line.start()))?,
        after: text.get(end..)?,
    })
}

/// Returns `true` for the class of an exception, which D prints before the place: `core.exception.AssertError@src/a.d(3)`.
fn is_exception(class: &str) -> bool {
    let name = class.rsplit('.').next().unwrap_or_default();
    !class.contains('/') && (name.ends_with("Error") || name.ends_with("Exception"))
}

/// Returns `true` if a line seems to begin with a place, and the text after it is that of no milder severity. Asked for every
/// line with a number after a colon or a bracket, so without an expression for most.
pub(super) fn starts_with_place(text: &str) -> bool {
    let trimmed = text.trim_start();
    let Some(mark) = memchr::memchr2(b':', b'(', trimmed.as_bytes()) else { return false };
    let (path, rest) = trimmed.split_at(mark);
    let rest = rest.get(1..).unwrap_or_default();
    let message =
        rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | ',' | '.'));
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_path = !path.contains([' ', '\t'])
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && ending.len() <= MAX_ENDING
        && !is_host(path);
    let message = message.trim_start_matches([' ', ')', ':', '-', '\t']);
    is_path && message.len() < rest.len() && message.contains(' ') && !fits(FormKind::Mild, message)
}

/// The text after a place.
pub(super) struct TextAfter<'t> {
    /// It has a severity in brackets.
    pub(super) has_label: bool,
    pub(super) message: &'t str,
    /// The text from its severity on, if it has one.
    pub(super) unmarked: &'t str,
}

/// Reads the text after a place.
pub(super) fn read_after(after: &str) -> TextAfter<'_> {
    let label = find(FormKind::Label, after);
    let severity = label.as_ref().and_then(|found| found.name("severity"));
    let unmarked = after.get(severity.map_or(0, |it| it.start())..).unwrap_or_default();
    let message = label.as_ref().and_then(|found| Some(found.name("message")?.as_str()));
    TextAfter {
        has_label: label.is_some(),
        message: message.unwrap_or_else(|| message_after(after)),
        unmarked: unmarked.trim_start_matches([':', ' ', '-', '\t']),
    }
}

/// Returns the message after a place, without the marks and the severity between them.
fn message_after(rest: &str) -> &str {
    strip_severity(rest.trim_start_matches([')', ']', '"', '\'', '`']))
}

/// Returns a message without marks and a severity.
pub(super) fn strip_severity(message: &str) -> &str {
    let rest = message.trim_start_matches([' ', '\t', ':', '-', '–', '|', ',', '.', '✓', '✖', '✘']);
    let severity = find(FormKind::Severity, rest).and_then(|found| found.get(0));
    severity.map_or(rest, |found| rest.get(found.end()..).unwrap_or_default()).trim()
}

/// Returns `true` for the name of a host, which looks like a path with an ending.
pub(super) fn is_host(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    path.contains("//") || !path.contains('/') && HOSTS.contains(&ending)
}

/// Returns the path of a line that is a path and nothing else.
pub(super) fn heading_path(text: &str) -> Option<String> {
    let found = find(FormKind::Heading, text).filter(|_| !text.contains(['✓', '✔']))?;
    group(&found, "path").filter(|path| !is_host(path)).map(str::to_owned)
}

/// Returns the path of a source file that a text names without a line.
pub(super) fn own_path(text: &str) -> Option<String> {
    text.split([' ', ',', '(', ')', '"', '\'', '`', '=']).find_map(source_path)
}

/// Returns a word as the path of a source file, if it is one.
fn source_path(word: &str) -> Option<String> {
    let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '_');
    let path = word.trim_matches(is_mark).trim_end_matches('.');
    // `a.yml::$.jobs` is a place in a document.
    let path = path.split_once("::").map_or(path, |(path, _)| path);
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_ending = (1..=10).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && ending.chars().all(char::is_alphanumeric);
    let is_source = path.contains('/') || ending == "md" || SOURCE_EXTENSIONS.contains(&ending);
    (is_source && is_ending && !is_host(path)).then(|| path.to_owned())
}

/// Returns the number of `used at line 12`.
pub(super) fn line_number(line: &str) -> Option<u32> {
    let (_, rest) = line.rsplit_once("line ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

/// Returns `true` if what precedes a place is no sentence: marks, a severity, the name of a program, `In file:`.
pub(super) fn is_lead(before: &str) -> bool {
    const LEADS: [&str; 11] =
        ["file", "in", "at", "on", "from", "path", "location", "source", "see", "error", "the"];
    let word = before.trim().trim_end_matches(['"', '\'', '(', '[', '`']).trim_end();
    let words = word.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
    let words: Vec<String> = words
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    let is_code = |word: &String| word.ends_with(|c: char| c.is_ascii_digit());
    let is_lead_word = |word: &String| LEADS.contains(&word.as_str());
    words.iter().all(|word| is_code(word) || is_lead_word(word))
        || words.last().is_some_and(|last| ["error", "failure", "fatal"].contains(&last.as_str()))
        || words.len() < 4
            && words.iter().any(|word| word == "error")
            && words.last().is_some_and(is_lead_word)
        || words.len() == 1 && word.ends_with(':')
}

/// Returns `true` if a logger's column before a place has the severity of an error.
pub(super) fn has_severity(before: &str) -> bool {
    before.split([' ', '\t', '[', ']']).any(|word| ["ERROR", "FATAL", "CRITICAL"].contains(&word))
}

/// Takes `characters 3-8 : ` off a message.
pub(super) fn strip_span(message: &str) -> &str {
    let rest = ["characters ", "character ", "chars ", "lines ", "col ", "column "]
        .iter()
        .find_map(|start| message.strip_prefix(start));
    let rest = rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    rest.map_or(message, |rest| {
        rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | ' ' | ':' | ','))
    })
}

/// Returns `true` for a text with a word, not only numbers and marks.
pub(super) fn has_word(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic()).any(|word| word.chars().count() > 2)
}
