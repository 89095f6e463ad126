//! Finds the tests that failed by the verdicts of a test runner, and what is printed next to them.
//!
//! Scripts use the same words about steps, so a verdict counts only if the log counts tests, has verdicts of passed ones, or
//! the form of the verdict is one of test runners alone.

use papayu_base::domain::Failure;
use papayu_base::text::group;
use regex::Captures;

use super::forms::{FormKind, find, fits};
use super::names::{
    clean_name, indent_of, is_bare_verdict, is_same_test, strip_number, without_logger,
};
use super::place::{find_place, own_path};
use super::run_verdict::is_expected_failure;
use super::sections::{add_section, read_detail, read_difference};
use super::table::read_table;
use crate::failure::draft::FailureDraft;
use crate::failure::location::captured_location;
use crate::failure::toolchain::generic::is_consequence;

/// Most tests.
const MAX_TESTS: usize = 100;
/// Most lines next to a verdict that are read.
const MAX_DETAILS: usize = 24;
/// Lines below a verdict that may be above the first one with a place or an assertion.
const TITLE_LINES: usize = 3;
/// Most words of a name before the word `failed`.
const MAX_WORDS: usize = 7;
/// Longest name of a test, in bytes.
const MAX_NAME: usize = 200;
/// Parts of which each verdict has one.
const VERDICTS: [&str; 23] = [
    "FAIL", "ail", "ERROR", "Error", "not ok", "NOK", "NOT OK", "KO", "✗", "✘", "✖", "✕", "×",
    "❌", "TIMEOUT", "fail", "[F]", "[x]", "[X]", "X ", "[-]", ":F:", ":E:",
];
/// Beginnings of messages below a verdict, which are verdicts elsewhere.
const REASONS: [&str; 3] = ["Failed: ", "FAILED: ", "Failure: "];
/// Marks of list items.
const BULLETS: [char; 7] = ['*', '-', '•', '○', '●', '>', ' '];

/// Returns the tests that failed.
pub(super) fn find_tests(lines: &[&str]) -> Vec<Failure> {
    let mut reader = VerdictReader { lines, ..VerdictReader::default() };
    while reader.at < lines.len() {
        reader.read_line();
    }
    reader.finish()
}

/// The tests so far.
#[derive(Default)]
struct VerdictReader<'l> {
    lines: &'l [&'l str],
    /// The index of the line that is read next.
    at: usize,
    /// The index of the first line that belongs to no test before it.
    free: usize,
    tests: Vec<NamedTest>,
    /// The message of an assertion that no test was named for.
    assertion: Option<String>,
    /// Tests that only the titles of blocks name, which count if no verdict names one.
    blocks: Vec<FailureDraft>,
    /// The test that runs.
    running: Option<String>,
    /// The largest number of failed tests that a line names.
    count: usize,
    has_passed: bool,
    /// Only these are verdicts, because the runner prints them in a form of its own.
    is_sure: bool,
}

/// A test that failed.
struct NamedTest {
    draft: FailureDraft,
    /// The number of lines that name it.
    times: usize,
}

/// A verdict, and where the name of its test is.
struct TestVerdict {
    draft: FailureDraft,
    is_sure: bool,
    /// The number of lines below it that it uses.
    used: usize,
}

impl VerdictReader<'_> {
    fn line(&self, at: usize) -> &str {
        self.lines.get(at).copied().unwrap_or_default()
    }

    fn read_line(&mut self) {
        let at = self.at;
        self.at += 1;
        let line = without_logger(self.line(at)).to_owned();
        let line = line.as_str();
        if let Some(used) = self.read_block(at) {
            self.at = at + used;
            self.free = self.at;
            return;
        }
        if !fits(FormKind::SureVerdict, line) && self.note_count(line) {
            // The failed tests follow their number in some summaries.
            let is_list = self.line(self.at).trim_start().starts_with("- ");
            if is_list {
                self.read_list();
            }
            return;
        }
        if self.tests.len() >= MAX_TESTS || is_expected_failure(line.trim_start()) {
            return;
        }
        if fits(FormKind::List, line) {
            return self.read_list();
        }
        self.has_passed |= fits(FormKind::Pass, line);
        if let Some(found) = find(FormKind::Running, line) {
            self.running = group(&found, "test").map(|name| clean_name(name).to_owned());
            let failed = group(&found, "failed").and_then(|_| start_test(self.running.as_deref()?));
            let Some(draft) = failed else { return };
            let mut verdict = TestVerdict { draft, is_sure: false, used: 0 };
            self.at += self.read_below(&mut verdict, line, TITLE_LINES);
            self.free = self.at;
            return self.add(verdict.draft);
        }
        let Some(mut verdict) = self.read_verdict(line, at) else {
            return self.note_assertion(line, at);
        };
        self.at += verdict.used;
        let own_above = self.details_above(line, at);
        let is_above = own_above.last().is_some_and(|last| indent_of(last) > indent_of(line));
        let titles = if own_above.is_empty() { TITLE_LINES } else { 1 };
        let used = if is_above { 0 } else { self.read_below(&mut verdict, line, titles) };
        if used == 0 {
            for line in own_above {
                read_detail(&mut verdict.draft, line);
            }
        }
        self.at += used;
        self.free = self.at;
        if verdict.is_sure && !self.is_sure {
            self.is_sure = true;
            self.tests.clear();
        }
        let is_known = self.tests.iter().any(|known| is_same_test(&known.draft, &verdict.draft));
        if !self.is_sure || verdict.is_sure || is_known {
            self.add(verdict.draft);
        }
    }

    /// Reads a table or a difference, and returns the number of its lines.
    fn read_block(&mut self, at: usize) -> Option<usize> {
        let lines = self.lines.get(at..)?;
        if let Some((draft, used)) = read_difference(lines) {
            self.add(draft);
            return Some(used);
        }
        let table = read_table(lines)?;
        self.has_passed |= table.has_passed;
        for row in table.failed {
            let Some(mut draft) = start_test(&row.test) else { continue };
            row.message.lines().for_each(|line| read_detail(&mut draft, line));
            self.add(draft);
        }
        Some(table.used)
    }

    /// Reads the number of failed tests.
    fn note_count(&mut self, line: &str) -> bool {
        if fits(FormKind::Assertion, line) {
            return false;
        }
        let Some(found) = find(FormKind::Count, line) else { return false };
        let count = group(&found, "count").and_then(|count| count.parse().ok());
        self.count = self.count.max(count.unwrap_or_default());
        true
    }

    /// Keeps the message of an assertion for the test that is named next, or names the test above it.
    fn note_assertion(&mut self, line: &str, at: usize) {
        if !fits(FormKind::Assertion, line) {
            return;
        }
        self.note_block(at);
        let above = at.checked_sub(1).map(|above| self.line(above).trim()).unwrap_or_default();
        let is_test = !above.contains(' ') && above.to_lowercase().contains("test");
        if let Some(mut draft) = start_test(above).filter(|_| is_test && at > self.free) {
            draft.add_line(line.trim());
            self.add(draft);
        } else if self.assertion.is_none() {
            let below = self.lines.iter().skip(at + 1).find(|line| !line.trim().is_empty());
            let below = below.filter(|_| line.trim_end().ends_with(':')).map(|line| line.trim());
            self.assertion = Some(format!("{}\n{}", line.trim(), below.unwrap_or_default()));
        }
    }

    /// Notes the test that a line with a colon at its end may name, directly above the block with the message of an assertion.
    fn note_block(&mut self, at: usize) {
        let above = (self.free..at).rev().take(TITLE_LINES);
        let name_at = above
            .take_while(|at| !self.line(*at).trim().is_empty())
            .find(|at| self.line(*at).ends_with(':') && !self.line(*at).starts_with([' ', '\t']));
        let Some(name_at) = name_at else { return };
        let name = self.line(name_at);
        let is_other = is_other(name, false)
            || fits(FormKind::Assertion, name)
            || is_consequence(name)
            || find(FormKind::Level, name).is_some();
        let Some(draft) = start_test(clean_name(name)).filter(|_| !is_other) else { return };
        let mut verdict = TestVerdict { draft, is_sure: false, used: 0 };
        let next = std::mem::replace(&mut self.at, name_at + 1);
        self.read_below(&mut verdict, "", TITLE_LINES);
        self.at = next;
        self.blocks.push(verdict.draft);
    }

    /// Reads a list of tests below its heading.
    fn read_list(&mut self) {
        let mut has_item = false;
        while let Some(line) = self.lines.get(self.at) {
            if !has_item && (line.trim().is_empty() || line.starts_with("---")) {
                self.at += 1;
                continue;
            }
            let is_numbered = strip_number(line).len() < line.len();
            let is_item =
                line.starts_with([' ', '\t', '-', '*', '•', '✗', '✘', '✖', '❌']) || is_numbered;
            if !is_item
                || find(FormKind::Count, line).is_some()
                || fits(FormKind::SureVerdict, line)
            {
                return;
            }
            has_item = true;
            self.at += 1;
            let item = strip_number(line.trim().trim_start_matches(BULLETS));
            // `adds  expected 3`, in columns.
            let columns = item.split_once('\t').or_else(|| item.split_once("  "));
            let (item, message) = columns.unwrap_or((item, ""));
            let found = find_verdict(item);
            let name = found.as_ref().and_then(|found| group(found, "test")).unwrap_or(item);
            let Some(mut draft) = start_test(clean_name(name)) else { continue };
            draft.add_locations(find_place(line).map(|place| place.location));
            draft.add_line(message);
            if let Some(message) = self.assertion.take().filter(|_| draft.has_no_message()) {
                draft.add_line(&message);
            }
            let mut verdict = TestVerdict { draft, is_sure: false, used: 0 };
            self.at += self.read_below(&mut verdict, line, TITLE_LINES);
            self.add(verdict.draft);
        }
    }

    /// Returns the test of a verdict.
    fn read_verdict(&self, line: &str, at: usize) -> Option<TestVerdict> {
        let trimmed = line.trim();
        let item = strip_number(trimmed);
        let is_numbered = item.len() < trimmed.len();
        let found = find_verdict(line);
        let name = found.as_ref().and_then(|found| group(found, "test"));
        // `✗ duration......: avg=4ms  max=9ms`
        if name.is_some_and(|name| name.contains(".....:")) {
            return None;
        }
        let name = clean_name(name.or(is_numbered.then_some(item)).unwrap_or_default());
        let is_sure = fits(FormKind::SureVerdict, line);
        if name.is_empty() && (found.is_some() || is_bare_verdict(trimmed)) {
            let above = at.checked_sub(1).map(|above| self.line(above)).unwrap_or_default();
            if fits(FormKind::Running, above) {
                let draft = FailureDraft::test("generic", self.running.as_deref()?);
                return Some(TestVerdict { draft, is_sure, used: 0 });
            }
            // `adds...text that it printed`, with the verdict below.
            let printed = above.split_once("...").map(|(name, _)| clean_name(name));
            if let Some(name) = printed.filter(|name| !name.is_empty()) {
                let name = name.strip_prefix("test ").unwrap_or(name);
                return Some(TestVerdict { draft: start_test(name)?, is_sure, used: 0 });
            }
            // `FAILURE` between the name and the parts.
            if find(FormKind::Part, self.line(at + 1)).is_some() {
                return Some(TestVerdict {
                    draft: start_test(clean_name(above))?,
                    is_sure,
                    used: 0,
                });
            }
            // `• [FAILED] [0.001 seconds]`, with the name on the next line.
            let draft = start_test(clean_name(self.line(at + 1)))?;
            return Some(TestVerdict { draft, is_sure, used: 1 });
        }
        let says_why = fits(FormKind::Assertion, trimmed) || fits(FormKind::Assertion, name);
        let has_message = found.as_ref().is_some_and(|found| group(found, "message").is_some());
        if says_why && !is_sure && !has_message && !name.starts_with("should") {
            // `[Failed]: expected 3`, below the name.
            let running = || start_test(self.running.as_deref()?);
            let draft = self.name_above(line, at).or_else(running);
            let mut draft = draft.filter(|_| !is_numbered)?;
            draft.add_line(if fits(FormKind::Assertion, trimmed) { trimmed } else { name });
            draft.add_locations(find_place(line).map(|place| place.location));
            return Some(TestVerdict { draft, is_sure, used: 0 });
        }
        // A sentence about something else.
        if trimmed.ends_with("failed") && name.split(' ').count() > MAX_WORDS {
            return None;
        }
        let mut draft = start_test(name)?;
        if let Some(found) = &found {
            if let Some(message) = group(found, "message") {
                draft.add_line(message);
            }
            draft.add_locations(captured_location(found));
        }
        if draft.failure.locations.is_empty() {
            draft.add_locations(find_place(line).map(|place| place.location));
        }
        Some(TestVerdict { draft, is_sure, used: 0 })
    }

    /// Starts the test that the line above a verdict names: an item of a list, or one word.
    fn name_above(&self, line: &str, at: usize) -> Option<FailureDraft> {
        let above = self.lines.get(..at)?.iter().rev().find(|line| !line.trim().is_empty())?;
        let name = above.trim();
        let is_name = name.starts_with(BULLETS) || !name.contains(' ');
        let is_outside = indent_of(above) < indent_of(line);
        start_test(clean_name(name.trim_start_matches(BULLETS))).filter(|_| is_name && is_outside)
    }

    /// Reads the lines below a verdict, and returns their number. The first with a place or a message is one of the first `titles`, or
    /// the lines are indented.
    fn read_below(&self, verdict: &mut TestVerdict, line: &str, titles: usize) -> usize {
        let rest = self.lines.get(self.at..).unwrap_or_default();
        let depth = indent_of(line);
        let first = rest.iter().find(|line| !line.trim().is_empty());
        let is_indented = first.is_some_and(|first| indent_of(first) > depth);
        let is_part = |line: &&&str| is_detail(line) || fits(FormKind::Part, line);
        let is_own = |line: &&&str| !line.trim().is_empty() && !is_other(line, verdict.is_sure);
        // A title of the details, or the first line of a message, may be above them.
        if !is_indented && !rest.iter().take(titles).take_while(is_own).any(|line| is_part(&line)) {
            return 0;
        }
        let is_numbered = strip_number(line.trim()).len() < line.trim().len();
        let mut used = 0;
        for (at, line) in rest.iter().enumerate().take(MAX_DETAILS) {
            let trimmed = line.trim();
            let message = &verdict.draft.failure.message;
            let is_complete = !message.is_empty() && !message.ends_with(':');
            if trimmed.is_empty() && used > 0 && !is_indented && is_complete {
                break;
            }
            if trimmed.is_empty() {
                continue;
            }
            let is_outside = is_indented && indent_of(line) <= depth && !is_detail(line);
            let is_item = !is_numbered && strip_number(trimmed).len() < trimmed.len();
            let is_reason =
                is_indented && (is_item || REASONS.iter().any(|start| trimmed.starts_with(start)));
            if is_outside || !is_reason && is_other(line, verdict.is_sure) {
                break;
            }
            used = at + 1;
            read_detail(&mut verdict.draft, line);
        }
        used
    }

    /// Returns the lines directly above a verdict that belong to no other test, from the first with a place or a message.
    fn details_above(&self, line: &str, at: usize) -> &[&str] {
        let above = self.lines.get(self.free..at).unwrap_or_default();
        let is_part = |line: &&&str| !line.trim().is_empty() && !is_other(line, false);
        let count = above.iter().rev().take(MAX_DETAILS).take_while(is_part).count();
        let own = above.get(above.len() - count..).unwrap_or_default();
        let depth = indent_of(line);
        let first = own.iter().position(|line| is_detail(line) && indent_of(line) >= depth);
        first.and_then(|first| own.get(first..)).unwrap_or_default()
    }

    /// Adds a test, or its parts to the same test.
    fn add(&mut self, draft: FailureDraft) {
        let known = self.tests.iter_mut().find(|known| is_same_test(&known.draft, &draft));
        let Some(known) = known else { return self.tests.push(NamedTest { draft, times: 1 }) };
        known.times += 1;
        let length = |draft: &FailureDraft| draft.failure.test.as_ref().map_or(0, String::len);
        if length(&known.draft) < length(&draft) {
            known.draft.failure.test.clone_from(&draft.failure.test);
        }
        add_details(&mut known.draft, draft);
    }

    fn finish(mut self) -> Vec<Failure> {
        if self.count == 0 && !self.has_passed && !self.is_sure {
            return Vec::new();
        }
        let blocks = std::mem::take(&mut self.blocks);
        if self.tests.is_empty() {
            // Each line of an assertion notes its block.
            for block in blocks {
                self.add(block);
            }
        }
        if self.count > 0 && self.tests.len() > self.count {
            // Sorted stably: those that are named most often first, then those with more parts.
            self.tests.sort_by_key(|test| {
                let failure = &test.draft.failure;
                let gaps =
                    u8::from(failure.message.is_empty()) + u8::from(failure.locations.is_empty());
                (usize::MAX - test.times, gaps)
            });
            let others = self.tests.split_off(self.count);
            if let [only] = self.tests.as_mut_slice() {
                for other in others {
                    // Its name was a message.
                    if only.draft.has_no_message()
                        && let Some(name) = &other.draft.failure.test
                    {
                        only.draft.add_line(name);
                    }
                    add_details(&mut only.draft, other.draft);
                }
            }
        }
        if let [only] = self.tests.as_mut_slice()
            && only.draft.has_no_message()
            && let Some(message) = self.assertion
        {
            only.draft.add_line(&message);
        }
        for test in &mut self.tests {
            let failure = &test.draft.failure;
            if failure.message.is_empty() || failure.locations.is_empty() {
                add_section(self.lines, &mut test.draft);
            }
        }
        self.tests.into_iter().map(|test| test.draft.finish()).collect()
    }
}

/// Adds the message of another draft if there is none yet, and its places.
fn add_details(known: &mut FailureDraft, other: FailureDraft) {
    if known.has_no_message() {
        other.failure.message.lines().for_each(|line| known.add_line(line));
    }
    known.add_locations(other.failure.locations);
}

/// Returns `true` for a line that is about something else than the test before it.
fn is_other(line: &str, is_sure: bool) -> bool {
    fits(FormKind::List, line)
        || find(FormKind::Count, line).is_some() && !fits(FormKind::Assertion, line)
        || fits(FormKind::Pass, line)
        || is_next_verdict(line, is_sure)
}

/// Returns `true` for the verdict of another test, and `false` for a numbered message.
fn is_next_verdict(line: &str, is_sure: bool) -> bool {
    if is_sure || fits(FormKind::SureVerdict, line) {
        return fits(FormKind::SureVerdict, line);
    }
    let item = strip_number(line.trim_start());
    if item.len() < line.trim_start().len() {
        return !fits(FormKind::Assertion, item);
    }
    find_verdict(line).and_then(|found| group(&found, "test")).is_some_and(|name| {
        let says_why = fits(FormKind::Assertion, name) || fits(FormKind::Assertion, line);
        !says_why && start_test(clean_name(name)).is_some()
    })
}

/// Returns `true` for a line with a place or the message of an assertion.
fn is_detail(line: &str) -> bool {
    fits(FormKind::Assertion, line) || find_place(line).is_some()
}

/// Returns the match of a verdict, the surest first.
fn find_verdict(line: &str) -> Option<Captures<'_>> {
    // Most lines have none of these.
    if !VERDICTS.iter().any(|part| line.contains(part)) {
        return None;
    }
    find(FormKind::SureVerdict, line).or_else(|| find(FormKind::Verdict, line))
}

/// Returns `true` for the finding of a file, as in `deploy/a.yaml: text` and `a.yaml - text`, and for data behind a name.
fn is_finding(name: &str) -> bool {
    let split = name.split_once(": ").or_else(|| name.split_once(" - "));
    let path = split.map(|(path, _)| path).filter(|path| !path.contains(' '));
    let is_test = |path: &str| path.contains("test") || path.contains("spec");
    name.contains(" => {") || path.and_then(own_path).is_some_and(|path| !is_test(&path))
}

/// Starts a test with this name. `None` if it is the name of a step or no name.
fn start_test(name: &str) -> Option<FailureDraft> {
    let is_name = name.len() <= MAX_NAME
        && find_place(name).is_none_or(|place| place.after.trim().is_empty())
        && name.chars().any(char::is_alphabetic)
        && !is_finding(name)
        && !fits(FormKind::Step, name)
        && !fits(FormKind::Mild, name);
    is_name.then(|| FailureDraft::test("generic", name))
}
