//! Builds one failure while its lines are read.
//!
//! All limits on the size of a failure are here, so no parser can exceed them.

use papayu_base::domain::{Failure, FailureKind, Location};

use super::expected_actual::ExpectedActual;
use super::paths;
use super::prefix::tag::after_tag;
use papayu_base::text::first_chars;

/// Most locations of a failure.
pub(super) const MAX_LOCATIONS: usize = 50;
/// Most characters of a message.
pub(super) const MAX_MESSAGE_CHARS: usize = 2_000;
/// Most lines of a message.
const MAX_MESSAGE_LINES: usize = 24;
/// Most characters of source that are kept with a failure.
pub(super) const MAX_QUOTED_CHARS: usize = 2_000;

/// Collects one failure's message and locations, within bounds.
#[derive(Debug)]
pub(crate) struct FailureDraft {
    /// The failure so far.
    pub(super) failure: Failure,
    /// The lines that the message has so far.
    message_lines: usize,
    /// The expected and the actual value in the message.
    values: ExpectedActual,
}

impl FailureDraft {
    /// Starts a failure; an empty `message` can be filled later.
    pub(crate) fn new(toolchain: &str, kind: FailureKind, message: &str) -> Self {
        let failure = Failure { kind, toolchain: toolchain.to_owned(), ..Failure::default() };
        let mut draft = Self { failure, message_lines: 0, values: ExpectedActual::default() };
        draft.add_line(message);
        draft
    }

    /// Starts the failure of a test.
    pub(super) fn test(toolchain: &str, name: &str) -> Self {
        Self::new(toolchain, FailureKind::Test, "").for_test(name)
    }

    /// Names the failing test.
    pub(super) fn for_test(mut self, name: &str) -> Self {
        self.failure.test = Some(first_chars(name.trim(), MAX_MESSAGE_CHARS).to_owned());
        self
    }

    /// Sets the tool's code, if it has one.
    pub(super) fn with_code<'c>(mut self, code: impl Into<Option<&'c str>>) -> Self {
        self.failure.code = code.into().map(|code| first_chars(code, 100).to_owned());
        self
    }

    /// Adds a line to the message; nothing once the message is long enough.
    pub(super) fn add_line(&mut self, line: &str) {
        let line = line.trim_end();
        self.read_values(line);
        let message = &mut self.failure.message;
        if line.trim().is_empty() || self.message_lines == MAX_MESSAGE_LINES {
            return;
        }
        if !message.is_empty() {
            message.push('\n');
        }
        // The first line loses its indentation; later ones show their structure by it.
        let line = if message.is_empty() { line.trim_start() } else { line };
        message.push_str(line);
        let kept = first_chars(message, MAX_MESSAGE_CHARS).len();
        message.truncate(kept);
        self.message_lines += 1;
    }

    /// Reads expected and actual values from a line; [`Self::add_line`] does the same.
    pub(super) fn read_values(&mut self, line: &str) {
        if matches!(self.failure.kind, FailureKind::Test | FailureKind::Crash) {
            self.values.read_line(line);
        }
    }

    /// Adds a line of source that the tool printed.
    pub(super) fn add_source(&mut self, source: &str) {
        push_source(&mut self.failure.quoted, source);
    }

    /// Returns `true` if there is no message yet.
    pub(super) fn has_no_message(&self) -> bool {
        self.message_lines == 0
    }

    /// Adds a location after the others. Places inside language runtimes are left out, because
    /// nothing there can be fixed.
    pub(super) fn add_location(&mut self, location: Location) {
        push_location(&mut self.failure.locations, location);
    }

    /// Adds each of the locations.
    pub(super) fn add_locations(&mut self, locations: impl IntoIterator<Item = Location>) {
        locations.into_iter().for_each(|location| self.add_location(location));
    }

    /// Returns the failure, with locations of the project before those of dependencies.
    pub(crate) fn finish(mut self) -> Failure {
        (self.failure.expected, self.failure.actual) = self.values.finish();
        // A fix changes the project, so its frames come first.
        self.failure.locations.sort_by_key(|place| paths::is_dependency(&place.path));
        self.failure
    }

    /// Returns the failure with the order of its frames reversed, for tools that print the
    /// innermost frame last.
    pub(super) fn finish_innermost_last(mut self) -> Failure {
        // Python prints the innermost frame last.
        self.failure.locations.reverse();
        self.finish()
    }
}

/// Adds a line of source unless it is known already, within the limit.
pub(super) fn push_source(quoted: &mut String, source: &str) {
    let source = first_chars(source.trim(), MAX_QUOTED_CHARS);
    let is_known = quoted.lines().any(|line| line == source);
    if source.is_empty() || is_known || quoted.len() + source.len() >= MAX_QUOTED_CHARS {
        return;
    }
    if !quoted.is_empty() {
        quoted.push('\n');
    }
    quoted.push_str(source);
}

/// Returns a path without `./`, which tools print inconsistently.
fn bare(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// Adds a location unless it is known already, within the limit. Places inside language
/// runtimes are left out.
pub(super) fn push_location(list: &mut Vec<Location>, mut location: Location) {
    // A name that was put before one line alone is not found by its repetition.
    if location.path.contains(' ')
        && let Some(path) = after_tag(&location.path).map(str::to_owned)
    {
        location.path = path;
    }
    // Compiler and backtrace spell one path with and without `./`.
    let is_same = |known: &Location| {
        (known.line, known.column) == (location.line, location.column)
            && bare(&known.path) == bare(&location.path)
    };
    if list.len() < MAX_LOCATIONS && !paths::is_runtime(&location.path) && !list.iter().any(is_same)
    {
        list.push(location);
    }
}
