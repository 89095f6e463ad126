//! The lines of one job of a log, and the state of their readers.

use papayu_base::text::first_chars;

use super::draft::MAX_QUOTED_CHARS;
use super::excerpt::LineImportance;
use super::findings::LogFailures;
use super::invocation::FailedCommand;
use super::matchers::{MatcherReaders, Matchers};
use super::quoted;
use super::report::ReportBuffer;
use super::steps::{StepState, StepTracker};
use super::toolchain::{self, Parser};
use super::tools::ToolReader;

/// Lines under a diagnostic of one line that may be its source.
pub(super) const MAX_SOURCE_LINES: u8 = 3;

/// One job's or package's lines: what they say must not be mixed with another's.
pub(super) struct JobLines {
    pub(super) name: String,
    pub(super) parsers: [Box<dyn Parser + Send>; toolchain::COUNT],
    pub(super) matching: MatcherReaders,
    pub(super) tools: ToolReader,
    /// Lines that may become a machine-readable report.
    pub(super) report: ReportBuffer,
    pub(super) invocation: FailedCommand,
    pub(super) steps: StepTracker,
    /// The part of the job that the current line belongs to.
    pub(super) state: StepState,
    /// A line may be about a failure.
    pub(super) is_cued: bool,
    /// The line before, where another job's may have been printed since.
    pub(super) last: String,
    /// Lines that may still be the source of a diagnostic of one line.
    pub(super) source_lines: u8,
    /// An indented line, which marks below it show to be source.
    pub(super) perhaps_source: String,
}

impl JobLines {
    /// Returns the state before the first line of a job.
    pub(super) fn new(name: &str, matchers: &Matchers) -> Self {
        Self {
            name: name.to_owned(),
            parsers: toolchain::all_parsers(),
            matching: matchers.start_readers(),
            tools: ToolReader::default(),
            report: ReportBuffer::default(),
            invocation: FailedCommand::default(),
            steps: StepTracker::default(),
            state: StepState::default(),
            is_cued: false,
            last: String::new(),
            source_lines: 0,
            perhaps_source: String::new(),
        }
    }

    /// Adds the failures that are under construction.
    pub(super) fn close_failures(&mut self, findings: &mut LogFailures) {
        self.parsers.iter_mut().for_each(|parser| parser.finish(findings));
        self.tools.close(findings);
    }

    /// Returns `true` if a parser is inside a failure and wants the next line whatever it contains.
    pub(super) fn is_in_failure(&self) -> bool {
        self.tools.is_open() || self.parsers.iter().any(|parser| parser.is_open())
    }

    /// Compilers that say all in one line show the source under it, numbered or only indented.
    pub(super) fn read_source(&mut self, line: &str, findings: &mut LogFailures) -> LineImportance {
        let Some(left) = self.source_lines.checked_sub(1) else { return LineImportance::None };
        let is_first = left + 1 == MAX_SOURCE_LINES;
        self.source_lines = left;
        if let Some(source) = quoted::strip_gutter(line) {
            findings.add_source(source);
            return LineImportance::Part;
        }
        let Some(indented) = line.strip_prefix(' ') else { return LineImportance::None };
        match quoted::source_text(indented) {
            Some(source) if is_first => {
                self.perhaps_source.clear();
                self.perhaps_source.push_str(first_chars(source, MAX_QUOTED_CHARS));
                LineImportance::None
            }
            Some(_) => LineImportance::None,
            None => {
                if indented.contains(['^', '~']) {
                    findings.add_source(&std::mem::take(&mut self.perhaps_source));
                }
                LineImportance::Part
            }
        }
    }
}
