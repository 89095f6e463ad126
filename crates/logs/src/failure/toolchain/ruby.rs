//! Reads RSpec, minitest and uncaught errors of Ruby.
//!
//! ```text
//!   1) Calc adds
//!      Failure/Error: expect(add(1, 2)).to eq(4)
//!        expected: 4
//!             got: 3
//!      # ./spec/calc_spec.rb:6:in 'block (2 levels) in <top (required)>'
//!
//! lib/calc.rb:1:in 'div': divided by 0 (ZeroDivisionError)
//! ```

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::location;
use crate::failure::paths::is_dependency;
use papayu_base::domain::{FailureKind, Location};

use super::Parser;

const NAME: &str = "ruby";

/// State between lines.
#[derive(Default)]
pub(super) struct Ruby {
    mode: RubyMode,
    open: Option<FailureDraft>,
    /// The lines of a statement are being read, which RSpec prints below `Failure/Error:`.
    in_statement: bool,
    /// The class of an error; its message is on the next line.
    class: String,
}

/// The list or trace that is being read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum RubyMode {
    #[default]
    None,
    /// RSpec's list of failures.
    Rspec,
    /// A file that RSpec could not load.
    Loading,
    /// The line after minitest's `1) Failure:` names the test.
    Name,
    /// A minitest failure's message and frames.
    Minitest,
    /// Ruby's own backtrace.
    Trace,
    /// The error of a task, and its backtrace.
    Aborted,
}

impl Parser for Ruby {
    fn cues(&self) -> &'static [&'static str] {
        &[
            "Failures:",
            "An error occurred while loading ",
            "Failure:",
            "Error:",
            ".rb:",
            "rspec ./",
            " aborted!",
        ]
    }

    fn is_open(&self) -> bool {
        self.mode != RubyMode::None
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if let Some(claim) = self.read_start(text, findings) {
            return claim;
        }
        match self.mode {
            RubyMode::None => LineImportance::None,
            RubyMode::Name => self.read_name_line(text),
            RubyMode::Trace => self.read_trace_line(text, findings),
            RubyMode::Aborted => self.read_aborted_line(text.trim(), findings),
            RubyMode::Rspec | RubyMode::Loading | RubyMode::Minitest => {
                self.read_detail_line(text, findings)
            }
        }
    }

    fn finish(&mut self, findings: &mut LogFailures) {
        // A task that only runs a command repeats that it failed.
        let is_own = |at: &Location| !is_dependency(&at.path);
        let is_reason = |draft: &FailureDraft| {
            self.mode != RubyMode::Aborted || draft.failure.locations.iter().any(is_own)
        };
        if let Some(mut draft) = self.open.take().filter(is_reason) {
            let message = &draft.failure.message;
            if message.contains("LoadError") || message.contains("cannot load such file") {
                draft.failure.kind = FailureKind::Import;
            }
            findings.add(draft.finish());
        }
        self.mode = RubyMode::None;
    }
}

impl Ruby {
    /// Reads a line that can start a failure or a list of them.
    fn read_start(&mut self, text: &str, findings: &mut LogFailures) -> Option<LineImportance> {
        if text == "Failures:" {
            self.finish(findings);
            self.mode = RubyMode::Rspec;
            return Some(LineImportance::Known);
        }
        if let Some(file) = text.strip_prefix("An error occurred while loading ") {
            self.finish(findings);
            // A sentence about the reason can follow the path.
            let path = file.split(". ").next().unwrap_or(file).trim_end_matches('.').to_owned();
            let mut draft = FailureDraft::new(NAME, FailureKind::Crash, "");
            draft.add_location(Location::file(path));
            self.open = Some(draft);
            self.mode = RubyMode::Loading;
            return Some(LineImportance::Fault);
        }
        if let Some(rest) = text.strip_prefix("rspec ./") {
            return read_rerun_line(rest, findings);
        }
        if is_minitest_headline(text) {
            self.finish(findings);
            self.mode = RubyMode::Name;
            return Some(LineImportance::Fault);
        }
        if text.strip_suffix(" aborted!").is_some_and(|program| !program.contains(' ')) {
            self.finish(findings);
            self.open = Some(FailureDraft::new(NAME, FailureKind::Crash, ""));
            self.mode = RubyMode::Aborted;
            return Some(LineImportance::Fault);
        }
        if self.mode == RubyMode::None
            && let Some(draft) = uncaught_error(text)
        {
            self.open = Some(draft);
            self.mode = RubyMode::Trace;
            return Some(LineImportance::Fault);
        }
        None
    }

    /// `CalcTest#test_adds [test/calc_test.rb:6]:`
    fn read_name_line(&mut self, text: &str) -> LineImportance {
        self.mode = RubyMode::None;
        let Some(head) = text.strip_suffix(':').filter(|head| head.contains('#')) else {
            return LineImportance::None;
        };
        let (name, at) = match head.strip_suffix(']').and_then(|head| head.rsplit_once(" [")) {
            Some((name, at)) => (name, location::parse_location(at)),
            None => (head, None),
        };
        let mut draft = FailureDraft::test(NAME, name);
        draft.add_locations(at);
        self.open = Some(draft);
        self.mode = RubyMode::Minitest;
        LineImportance::Part
    }

    /// Reads a line of an RSpec or minitest failure: title, message or frame.
    fn read_detail_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        let trimmed = text.trim();
        if is_end(text) {
            self.finish(findings);
            return LineImportance::Known;
        }
        if let Some(name) = strip_number(text).filter(|_| self.mode == RubyMode::Rspec) {
            self.finish(findings);
            self.mode = RubyMode::Rspec;
            self.open = Some(FailureDraft::test(NAME, name));
            return LineImportance::Fault;
        }
        if strip_number(text).is_some() && self.mode == RubyMode::Minitest {
            // A skipped test's.
            self.finish(findings);
            return LineImportance::Known;
        }
        let Some(draft) = &mut self.open else { return LineImportance::Known };
        let frame = trimmed.strip_prefix("# ").unwrap_or(trimmed);
        if let Some(at) = frame_place(frame) {
            draft.add_location(at);
        } else if let Some(at) = trimmed.strip_prefix("# ").and_then(location::parse_location) {
            // Crystal's frames name no method.
            draft.add_location(at);
        } else if self.mode == RubyMode::Loading
            && draft.has_no_message()
            && !trimmed.starts_with("Failure/Error: ")
        {
            // "Did you mean?"
            return LineImportance::Part;
        } else if !trimmed.starts_with("# ") {
            if let Some(source) = trimmed.strip_prefix("Failure/Error: ") {
                draft.add_source(source);
            }
            if trimmed == "Failure/Error:" {
                self.in_statement = true;
                self.class.clear();
            } else if self.in_statement {
                draft.add_source(trimmed);
                self.in_statement = !trimmed.is_empty();
            } else if draft.has_no_message() && is_error_class(trimmed) {
                trimmed.clone_into(&mut self.class);
            } else {
                let line = trimmed.strip_prefix("Failure/Error: ").unwrap_or(trimmed);
                let class = std::mem::take(&mut self.class);
                draft.add_line(format!("{class} {line}").trim_start());
            }
        }
        LineImportance::Part
    }

    /// Reads the message of a task's error, then its frames; another line ends them.
    fn read_aborted_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        let Some(draft) = &mut self.open else { return LineImportance::None };
        if let Some(at) = frame_place(text) {
            draft.add_location(at);
        } else if draft.failure.locations.is_empty() && !text.starts_with("Tasks: ") {
            draft.add_line(text);
        } else {
            self.finish(findings);
            return LineImportance::Known;
        }
        LineImportance::Part
    }

    /// Reads `from x.rb:1:in 'f'`; another line ends the trace.
    fn read_trace_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        let at = text.trim_start().strip_prefix("from ").and_then(frame_place);
        if let (Some(draft), Some(at)) = (&mut self.open, at) {
            draft.add_location(at);
            return LineImportance::Part;
        }
        self.finish(findings);
        LineImportance::None
    }
}

/// `spec/x.rb:6 # Calc adds`: where the example that failed begins.
fn read_rerun_line(rest: &str, findings: &mut LogFailures) -> Option<LineImportance> {
    let (at, name) = rest.split_once(" # ")?;
    let mut draft = FailureDraft::test(NAME, name);
    if let Some(at) = location::parse_location(&format!("./{at}")) {
        draft.add_location(at);
    }
    findings.add(draft.finish());
    Some(LineImportance::Part)
}

/// `  1) Failure:`, and what Rails prints: `Failure:` alone.
fn is_minitest_headline(text: &str) -> bool {
    let word = strip_number(text).unwrap_or(text);
    word == "Failure:" || word == "Error:"
}

/// `  1) name`.
fn strip_number(text: &str) -> Option<&str> {
    let (_, rest) = location::leading_number(text.strip_prefix("  ")?.trim_start())?;
    rest.strip_prefix(") ").map(str::trim)
}

/// Returns `true` for the lines after a list of failures.
fn is_end(text: &str) -> bool {
    text.starts_with("Finished in ")
        || text.starts_with("Failed examples:")
        || text.starts_with("No examples found")
        || location::leading_number(text).is_some_and(|(_, rest)| rest.starts_with(" runs, "))
}

/// `NoMethodError:`, the line above a message.
fn is_error_class(text: &str) -> bool {
    let name = text.strip_suffix(':').unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ':' | '_'))
}

/// `./lib/calc.rb:7:in 'div'`.
fn frame_place(text: &str) -> Option<Location> {
    let (at, _) = text.split_once(":in ")?;
    location::parse_location(at)
}

/// `x.rb:1:in 'f': message (NameError)`.
fn uncaught_error(text: &str) -> Option<FailureDraft> {
    let (at, rest) = text.split_once(":in ")?;
    // `<internal:/usr/lib/ruby/rubygems/core_ext/kernel_require.rb>:85` is a file of the interpreter.
    let is_internal = at.starts_with("<internal:");
    let own = location::parse_location(at)
        .filter(|at| location::has_extension(&at.path, "rb") && !at.path.contains(' '));
    if own.is_none() && !is_internal {
        return None;
    }
    let (_, message) = rest.split_once("': ")?;
    let (_, class) = message.strip_suffix(')')?.rsplit_once(" (")?;
    let (inner, message) = match message.split_once(": ").filter(|_| class == "SyntaxError") {
        // `lib/cart.rb:22: syntax error, …`: the file that cannot be parsed.
        Some((inner, rest)) => (location::parse_location(inner), rest),
        None => (None, message),
    };
    let mut draft = FailureDraft::new(NAME, FailureKind::Crash, message);
    draft.add_locations(inner);
    draft.add_locations(own.filter(|_| !is_internal));
    class.chars().all(|c| c.is_alphanumeric() || c == ':').then_some(draft)
}
