//! Builds the failure of one test of a report from its message and its stack.

use crate::failure::draft::{FailureDraft, MAX_MESSAGE_CHARS};
use crate::failure::location;
use crate::failure::structure::find_place;
use crate::failure::toolchain::parse_stack_frame;
use papayu_base::domain::{Failure, FailureKind, Location};
use papayu_base::text::{clean_line, first_chars};

/// Messages about a missing module, of all languages, because the report does not name the
/// language.
const IMPORT_MESSAGES: &[&str] =
    &["Cannot find module", "ModuleNotFoundError", "ERR_MODULE_NOT_FOUND", "cannot load such file"];

/// Returns `true` if a text begins with a place and another message: `a.py:9: error: text` below `mypy produced messages`.
fn says_more(message: &str, text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(2);
    let mut places = lines.filter_map(find_place).filter(|place| place.before.is_empty());
    // A frame of a stack has no blank after its place.
    let has_words = places.any(|place| place.after.starts_with(": ") && place.after.len() > 4);
    has_words && !message.is_empty() && !text.contains(message.trim())
}

/// A failed test, before its texts are read.
pub(super) struct FailedTest<'t> {
    draft: FailureDraft,
    /// The last part of the test's name, which some runners repeat in the text.
    pub(super) own_name: &'t str,
    /// The place of the test itself, used if its texts have none.
    pub(super) place: Option<Location>,
}

impl FailedTest<'_> {
    /// Starts the failure of a test.
    pub(super) fn new(toolchain: &str, name: &str) -> Self {
        Self { draft: FailureDraft::test(toolchain, name), own_name: "", place: None }
    }

    /// Reads the message, and the text with the stack; the text has the message if `message` is empty.
    pub(super) fn finish(mut self, message: &str, text: &str) -> Failure {
        // Some attributes are no more than `1 assertion failed`, and the text has the message.
        let message = if says_more(message, text) { "" } else { message };
        let message = first_chars(message.trim(), MAX_MESSAGE_CHARS);
        message.lines().for_each(|line| self.draft.add_line(&clean_line(line)));
        let has_message = !self.draft.has_no_message();
        let mut in_frames = false;
        for line in text.lines() {
            let line = clean_line(line);
            let trimmed = line.trim();
            if let Some(frame) = parse_stack_frame(trimmed) {
                in_frames = true;
                self.draft.add_locations(frame.location());
                continue;
            }
            location::find_locations(trimmed, |at| self.draft.add_location(at));
            // PHPUnit repeats the test's name above, and has bare places below.
            // The message of a failure without `message` is in the text, between locations and the test's name.
            let is_words = location::parse_location(trimmed).is_none()
                && (self.own_name.is_empty() || !trimmed.ends_with(self.own_name))
                && !(self.draft.has_no_message() && trimmed.contains("::"));
            if !has_message && !in_frames && is_words {
                self.draft.add_line(&line);
            }
        }
        let Self { mut draft, place, .. } = self;
        draft.add_locations(place.filter(|_| draft.failure.locations.is_empty()));
        let message = &draft.failure.message;
        if IMPORT_MESSAGES.iter().any(|known| message.contains(known)) {
            draft.failure.kind = FailureKind::Import;
        }
        draft.finish()
    }
}
