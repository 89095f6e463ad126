//! Reads the XML of JUnit, which most test runners can write.
//!
//! ```text
//! <testcase name="adds" classname="CalcTest" file="tests/CalcTest.php" line="12">
//!   <failure message="expected 3">CalcTest.php:14</failure>
//! </testcase>
//! ```
//!
//! An incomplete report is read up to the first error, because a killed job leaves one.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::failure::draft::{FailureDraft, MAX_MESSAGE_CHARS};
use crate::failure::findings::MAX_FAILURES;
use crate::failure::location;
use crate::failure::toolchain::parse_stack_frame;
use papayu_base::domain::{Failure, FailureKind, Location};
use papayu_base::text::first_chars;

/// Longest text of one failure that is read, in bytes.
const MAX_TEXT: usize = 64 * 1024;

/// Messages about a missing module, of all languages, because the report does not name the
/// language.
const IMPORT_MESSAGES: &[&str] =
    &["Cannot find module", "ModuleNotFoundError", "ERR_MODULE_NOT_FOUND", "cannot load such file"];

/// The test of the open element.
#[derive(Default)]
struct TestCase {
    /// The name, with the class if that differs.
    name: String,
    /// The location in the attributes of the test.
    file: Option<Location>,
    /// The failure's message and text, once it has one.
    failed: Option<(String, String)>,
    /// `true` between the tags of a failure.
    in_failure: bool,
}

/// Returns the failures of a report, of as much of it as is well-formed.
pub(super) fn read_junit(text: &str) -> Vec<Failure> {
    let mut reader = Reader::from_str(text);
    let mut found = Vec::new();
    let mut case = TestCase::default();
    // A report of a flood of failures is read only up to the limit.
    while found.len() < MAX_FAILURES {
        match reader.read_event() {
            Ok(Event::Start(tag)) => case.open_tag(&tag),
            Ok(Event::Empty(tag)) => {
                case.open_tag(&tag);
                case.in_failure = false;
            }
            Ok(Event::Text(words)) => {
                case.add_text(&words);
            }
            Ok(Event::CData(words)) => {
                case.add_text(&words);
            }
            Ok(Event::GeneralRef(name)) => case.add_text(&resolve_reference(&name)),
            Ok(Event::End(tag)) => match tag.local_name().as_ref() {
                "failure" | "error" => case.in_failure = false,
                "testcase" => found.extend(std::mem::take(&mut case).finish()),
                _ => {}
            },
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    found
}

/// `&lt;` and `&#10;` inside text.
fn resolve_reference(reference: &quick_xml::events::BytesRef<'_>) -> String {
    if let Ok(Some(letter)) = reference.resolve_char_ref() {
        return letter.to_string();
    }
    let name: &str = reference;
    quick_xml::escape::resolve_predefined_entity(name).unwrap_or_default().to_owned()
}

impl TestCase {
    /// Reads an opening tag.
    fn open_tag(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().as_ref() {
            "testcase" => *self = Self::from_tag(tag),
            "failure" | "error" if self.failed.is_none() => {
                let message = read_attribute(tag, "message").unwrap_or_default();
                self.failed = Some((message, String::new()));
                self.in_failure = true;
            }
            _ => {}
        }
    }

    /// Returns the test of a `testcase` tag.
    fn from_tag(tag: &BytesStart<'_>) -> Self {
        let name = read_attribute(tag, "name").unwrap_or_default();
        let class = read_attribute(tag, "classname").unwrap_or_default();
        let line = read_attribute(tag, "line").and_then(|line| line.parse().ok());
        let file = read_attribute(tag, "file").map(|path| Location { path, line, column: None });
        // node's runner has the same class for every test.
        let has_class = class.is_empty() || class == "test" || name.starts_with(&class);
        let name = if has_class { name } else { format!("{class} > {name}") };
        Self { name, file, ..Self::default() }
    }

    /// Adds text of the failure, up to [`MAX_TEXT`].
    fn add_text(&mut self, words: &str) {
        if let Some((_, text)) = &mut self.failed
            && self.in_failure
            && text.len() < MAX_TEXT
        {
            text.push_str(first_chars(words, MAX_TEXT));
        }
    }

    /// Returns the failure of a test case; `None` if it passed.
    fn finish(self) -> Option<Failure> {
        let (message, text) = self.failed?;
        let mut draft = FailureDraft::test("junit", &self.name);
        let message = first_chars(message.trim(), MAX_MESSAGE_CHARS);
        message.lines().for_each(|line| draft.add_line(line));
        let mut in_frames = false;
        for line in text.lines() {
            let trimmed = line.trim();
            if let Some(frame) = parse_stack_frame(trimmed) {
                in_frames = true;
                draft.add_locations(frame.location());
                continue;
            }
            location::find_locations(trimmed, |at| draft.add_location(at));
            // PHPUnit repeats the test's name above, and has bare places below.
            // The message of a failure without `message` is in the text, between locations and the test's name.
            let is_words = location::parse_location(trimmed).is_none()
                && !trimmed.ends_with(&self.name)
                && !(draft.has_no_message() && trimmed.contains("::"));
            if message.is_empty() && !in_frames && is_words {
                draft.add_line(line);
            }
        }
        draft.add_locations(self.file.filter(|_| draft.failure.locations.is_empty()));
        let message = &draft.failure.message;
        if IMPORT_MESSAGES.iter().any(|known| message.contains(known)) {
            draft.failure.kind = FailureKind::Import;
        }
        Some(draft.finish())
    }
}

/// Returns an attribute, unless it is empty.
fn read_attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok().flatten()?;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
    Some(value.into_owned()).filter(|value| !value.is_empty())
}
