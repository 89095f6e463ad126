//! Reads the lines of a log in order and passes each to the parsers of its job.
//!
//! The order of the readers is: reports, the toolchains' parsers, problem matchers, source lines under a diagnostic, and
//! the generic reader for the rest.

use std::borrow::Cow;
use std::cmp::Reverse;

use papayu_base::domain::{Failure, FailureReport};
use papayu_base::text::{clean_line, first_chars};

use super::cues::{Cued, find_cues};
use super::excerpt::{Excerpt, LineImportance};
use super::findings::LogFailures;
use super::job_lines::{JobLines, MAX_SOURCE_LINES};
use super::job_prefix;
use super::limits::ReportLimits;
use super::location;
use super::matchers::{self, Matchers, OnAddMatcher};
use super::passed_run::{self, PassedRun};
use super::passed_test::PassedTest;
use super::passing::is_passing;
use super::prefix::stamp::{StampReader, read_container_line};
use super::prefix::tag::{TagReader, TagVerdict, TaggedLine};
use super::raw_tail::RawTail;
use super::report::Buffered;
use super::steps::StepState;
use super::structure::{self, KeptLines, RunVerdict, TestOutput};
use super::teamcity::{self, ServiceMessage};
use super::toolchain::{cargo_json, generic, go_json};

/// Longest line that parsers read, in characters.
const MAX_PARSED_CHARS: usize = 4_000;
/// The number of relevant lines that are still parsed when the report is full: some runners print
/// names after details.
const MAX_LINES_WHEN_FULL: u32 = 50_000;
/// The maximal number of jobs or packages; later ones are read as one.
const MAX_JOBS: usize = 32;

/// A callback for every cleaned line in order; the flag is `true` if a parser knows the line as
/// part of a failure.
pub type Listener<'a> = &'a mut (dyn FnMut(&str, bool) + Send);

/// The state of a log that is being read.
pub(super) struct LogScan<'a> {
    listener: Option<Listener<'a>>,
    on_add_matcher: Option<OnAddMatcher<'a>>,
    /// The jobs of the log; the first has no name.
    jobs: Vec<JobLines>,
    /// The job of the line that is being read.
    current: usize,
    /// The columns of job and step of the lines that are being read; empty without them.
    lane: String,
    stamps: StampReader,
    tags: TagReader,
    matchers: Matchers,
    findings: LogFailures,
    excerpt: Excerpt,
    raw: RawTail,
    kept: KeptLines,
    /// The last lines that the first failed step printed.
    block: Option<Failure>,
    passed: PassedRun,
    passed_test: PassedTest,
    /// The mark of the current line, such as `##[error]`.
    mark: &'static str,
    /// The number of relevant lines since the report is full.
    lines_when_full: u32,
}

impl<'a> LogScan<'a> {
    /// Starts a job of the log with parsers of its own: lines of several jobs may be interleaved.
    pub(super) fn new(limits: ReportLimits, matchers: Matchers) -> Self {
        Self {
            listener: None,
            on_add_matcher: None,
            jobs: vec![JobLines::new("", &matchers)],
            current: 0,
            lane: String::new(),
            stamps: StampReader::default(),
            tags: TagReader::default(),
            matchers,
            findings: LogFailures::default(),
            excerpt: Excerpt::new(limits),
            raw: RawTail::default(),
            kept: KeptLines::default(),
            block: None,
            passed: PassedRun::default(),
            passed_test: PassedTest::default(),
            mark: "",
            lines_when_full: 0,
        }
    }

    /// Sets the callback for every line.
    pub(super) fn set_listener(&mut self, listener: Listener<'a>) {
        self.listener = Some(listener);
    }

    /// Asks for the matchers of files that the log names.
    pub(super) fn set_on_add_matcher(&mut self, on_add_matcher: OnAddMatcher<'a>) {
        self.on_add_matcher = Some(on_add_matcher);
    }

    /// Reads a raw line of the log.
    ///
    /// Text before a carriage return is a line of its own if a parser wants it: some systems end all lines so. Other such
    /// text is the earlier state of a progress bar.
    pub(super) fn read_raw_line(&mut self, raw: &[u8]) {
        let mut rest = raw.trim_ascii_end();
        while let Some(at) = memchr::memchr(b'\r', rest) {
            let (line, later) = rest.split_at(at);
            let is_open = self.current_job().is_some_and(|job| job.is_in_failure());
            if is_open || find_cues(&String::from_utf8_lossy(line)).is_any() {
                self.read_overwritten_line(line);
            }
            rest = later.strip_prefix(b"\r").unwrap_or(later);
        }
        self.read_overwritten_line(rest);
    }

    /// Reads a raw line without a carriage return.
    fn read_overwritten_line(&mut self, raw: &[u8]) {
        // Most lines are valid, and the strict check is much the faster.
        let text =
            std::str::from_utf8(raw).map_or_else(|_| String::from_utf8_lossy(raw), Cow::Borrowed);
        if let Some(on_add_matcher) = &mut self.on_add_matcher
            && let Some(more) = matchers::find_matcher_path(&text).and_then(on_add_matcher)
        {
            self.matchers.join(more);
            // New matchers start in every job, because the log does not name the one that asked for them.
            self.jobs.iter_mut().for_each(|job| job.matching = self.matchers.start_readers());
        }
        let clean = clean_line(&text);
        // Windows runners leave spaces at the ends of lines.
        let line = clean.trim_end();
        self.raw.push_line(line);
        let lane = job_prefix::find_columns(&text).unwrap_or_default();
        if lane != self.lane {
            self.end_tags();
            lane.clone_into(&mut self.lane);
        }
        let line = self.stamps.strip_stamps(line);
        if let Some(inside) = read_container_line(line) {
            return self.read_raw_line(inside.as_bytes());
        }
        if let Some(issue) = teamcity::read_issue(&text) {
            return self.add_report(vec![issue]);
        }
        let mark = job_prefix::find_mark(&text);
        let (job, rest) = job_prefix::split_line(line);
        if !job.is_empty() || !mark.is_empty() {
            self.end_tags();
            return self.read_job_line(job, rest, mark);
        }
        match self.tags.push_line(line) {
            TagVerdict::Line(tag, text) => self.read_job_line(tag, text, ""),
            TagVerdict::Held => {}
            TagVerdict::Lines(lines) => self.read_tagged_lines(&lines),
        }
    }

    /// Reads the lines that wait for the end of a run of tags.
    fn end_tags(&mut self) {
        let lines = self.tags.finish();
        self.read_tagged_lines(&lines);
    }

    fn read_tagged_lines(&mut self, lines: &[TaggedLine]) {
        for line in lines {
            self.read_job_line(&line.tag, &line.text, "");
        }
    }

    /// Reads a line of a job without anything before it; `mark` is GitHub's or Azure's, such as `##[error]`.
    fn read_job_line(&mut self, job: &str, line: &str, mark: &'static str) {
        // GitHub's pages show the mark of an error as a word.
        let shown = line.strip_prefix("Error: ");
        let line = shown.filter(|rest| location::starts_with_location(rest)).unwrap_or(line);
        if self.lane.is_empty() {
            self.enter_job(job);
        } else {
            let name =
                if job.is_empty() { self.lane.clone() } else { format!("{}\t{job}", self.lane) };
            self.enter_job(&name);
        }
        let marked =
            if mark.is_empty() { Cow::Borrowed(line) } else { format!("{mark}{line}").into() };
        if let Some(job) = self.current_job() {
            if let Some(step) = line.strip_prefix("Run ").filter(|_| mark == "##[group]") {
                job.invocation.start_step(step);
            }
            let before = job.steps.state();
            job.state = job.steps.read_line(&marked);
            let is_ended = job.steps.state() == StepState::Ended && before != StepState::Ended;
            if is_ended && self.block.is_none() {
                let lines: Vec<&str> = self.kept.lines().collect();
                self.block = structure::last_block(&lines);
            }
        }
        self.mark = mark;
        match self.current_job().map_or(Buffered::NotReport, |job| job.report.push_line(line)) {
            Buffered::NotReport => self.read_machine_line(line),
            Buffered::Kept => {}
            Buffered::Report(failures) => self.add_report(failures),
            Buffered::Text(text) => text.lines().for_each(|line| self.read_machine_line(line)),
        }
        self.mark = "";
    }

    /// Ends a log of `log_bytes` bytes and returns its report.
    pub(super) fn finish(mut self, log_bytes: u64) -> FailureReport {
        self.end_tags();
        for at in 0..self.jobs.len() {
            self.current = at;
            match self.current_job().map_or(Buffered::NotReport, |job| job.report.finish()) {
                Buffered::Report(failures) => self.add_report(failures),
                Buffered::Text(text) => text.lines().for_each(|line| self.read_machine_line(line)),
                Buffered::NotReport | Buffered::Kept => {}
            }
        }
        for job in &mut self.jobs {
            job.close_failures(&mut self.findings);
        }
        let (command, exit_code) = self.take_invocation();
        let raw = self.raw.finish();
        // The CI system's last word counts: a job may go on after a command that failed.
        let has_succeeded = passed_run::ends_in_success(&raw);
        let is_failed = exit_code.is_some_and(|code| code != 0) && !has_succeeded;
        // Of several jobs another one may have failed.
        let is_one = self.jobs.iter().filter(|job| job.is_cued).count() <= 1 && !is_failed;
        let after = self.passed.lines_after(self.findings.count_added()).filter(|_| is_one);
        let kept = after.unwrap_or(&self.kept);
        let has_crashed = self.findings.has_crash();
        if has_succeeded || after.is_some() {
            self.passed.take_back(&mut self.findings, has_succeeded);
        }
        if self.findings.has_no_test() && !has_succeeded {
            let tests = structure::find_tests(kept);
            let is_bare = |test: &Failure| test.message.is_empty() && test.locations.is_empty();
            let mut found = Vec::new();
            let is_open = self.findings.has_only_unknown() || self.passed.has_only_passed();
            if tests.iter().all(is_bare) && is_open {
                found = structure::find_errors(kept, is_failed, self.block.take());
            }
            // A name alone may be that of a step that a compiler failed in.
            let is_placed = |error: &Failure| error.locations.iter().any(|at| at.line.is_some());
            let has_tests = !tests.is_empty() && !found.iter().any(is_placed);
            self.findings.add_found(if has_tests { tests } else { found });
        }
        if self.findings.len() == 0 && !has_succeeded {
            self.findings.add_found(structure::find_ending(&raw).into_iter().collect());
        }
        // A program may have crashed before the run.
        let is_passed = has_succeeded || after.is_some() && !has_crashed;
        let (failures, mentions) = self.findings.finish();
        let passed = is_passed && failures.is_empty();
        let moved = self.excerpt.take_moved();
        let excerpt = self.excerpt.finish();
        FailureReport {
            failures,
            mentions,
            command,
            exit_code,
            excerpt,
            raw,
            passed,
            passed_until: self.passed.passed_until(),
            log_bytes,
            moved,
        }
    }

    /// Returns the command of the first job that failed, else that of the last one that printed a failure, else the first.
    fn take_invocation(&mut self) -> (Option<String>, Option<i32>) {
        let jobs = self.jobs.iter_mut().enumerate().map(|(at, job)| {
            let (command, code) = std::mem::take(&mut job.invocation).finish();
            // A job that failed has an exit code; jobs that were only started have none.
            let rank = match (code, job.is_cued) {
                (Some(_), _) => (2, Reverse(at)),
                (None, true) => (1, Reverse(0)),
                (None, false) => (0, Reverse(at)),
            };
            (rank, command, code)
        });
        let found = jobs.filter(|(_, command, code)| command.is_some() || code.is_some());
        let best = found.max_by_key(|(rank, ..)| *rank);
        best.map(|(_, command, code)| (command, code)).unwrap_or_default()
    }

    /// Returns the job of the current line.
    fn current_job(&mut self) -> Option<&mut JobLines> {
        self.jobs.get_mut(self.current)
    }

    /// Makes the job of that name the current one.
    fn enter_job(&mut self, name: &str) {
        if self.jobs.get(self.current).is_some_and(|job| job.name == name) {
            return;
        }
        let known = self.jobs.iter().position(|job| job.name == name);
        self.current = known.unwrap_or_else(|| {
            if self.jobs.len() < MAX_JOBS {
                self.jobs.push(JobLines::new(name, &self.matchers));
            }
            // Jobs beyond the limit share the last one.
            self.jobs.len() - 1
        });
    }

    /// Adds a report's failures; a person is shown them as lines.
    pub(super) fn add_report(&mut self, failures: Vec<Failure>) {
        for failure in failures {
            let at = failure.locations.first().map_or(String::new(), |at| match at.line {
                Some(line) => format!("{}:{line}: ", at.path),
                None => format!("{}: ", at.path),
            });
            let name = failure.test.as_deref().or(failure.code.as_deref()).unwrap_or_default();
            self.excerpt.push_line(format!("{at}{name}").trim_end(), LineImportance::Fault);
            for line in failure.message.lines() {
                self.excerpt.push_line(line.trim_end(), LineImportance::Part);
            }
            self.findings.add(failure);
        }
    }

    /// Reads a line that may be a message of `TeamCity`'s, cargo's or go's for programs.
    fn read_machine_line(&mut self, line: &str) {
        match teamcity::read_message(line) {
            Some(ServiceMessage::Failure(failure)) => return self.add_report(vec![*failure]),
            Some(ServiceMessage::Text(text)) => {
                return text.lines().for_each(|line| self.read_text_line(line));
            }
            Some(ServiceMessage::Quiet) => return,
            None => {}
        }
        if !line.starts_with('{') {
            return self.read_text_line(first_chars(line, MAX_PARSED_CHARS));
        }
        if let Some(output) = go_json::read_output(line) {
            return output.lines().for_each(|line| {
                self.read_text_line(first_chars(line.trim_end(), MAX_PARSED_CHARS));
            });
        }
        match cargo_json::read_message(line) {
            Some(cargo_json::CargoMessage::Quiet) => {}
            Some(cargo_json::CargoMessage::Error { failure, rendered }) => {
                self.findings.add(*failure);
                for (at, line) in rendered.lines().enumerate() {
                    let claim = if at == 0 { LineImportance::Fault } else { LineImportance::Part };
                    self.excerpt.push_line(clean_line(line).trim_end(), claim);
                }
            }
            None => self.read_text_line(first_chars(line, MAX_PARSED_CHARS)),
        }
    }

    /// Reads a cleaned line of text: parsers, callback, excerpt.
    fn read_text_line(&mut self, line: &str) {
        self.passed.count_line();
        // The excerpt still gets the lines that are not parsed.
        let is_read = self.lines_when_full < MAX_LINES_WHEN_FULL;
        let claim = if is_read { self.claim_line(line) } else { LineImportance::None };
        if self.jobs.len() > 1
            && let Some(job) = self.current_job()
        {
            job.last.clear();
            job.last.push_str(first_chars(line, MAX_PARSED_CHARS));
        }
        if let Some(listener) = &mut self.listener {
            let is_claimed = claim >= LineImportance::Repeated && claim != LineImportance::Vague;
            if self.mark.is_empty() {
                listener(line, is_claimed);
            } else {
                listener(&format!("{}{line}", self.mark), is_claimed);
            }
        }
        self.excerpt.push_line(line, claim);
    }

    /// Takes back what tests and runs printed that passed; `is_cued` is `true` if the line may be about a failure.
    fn read_run_line(&mut self, line: &str, cued: &Cued, is_cued: bool) {
        let Some(job) = self.jobs.get_mut(self.current) else { return };
        self.passed_test.read_flaky(line, &mut self.findings);
        let outputs = self.passed_test.read_line(line, cued.test);
        if outputs.iter().flatten().any(TestOutput::ends_failures) && job.is_in_failure() {
            job.close_failures(&mut self.findings);
        }
        for output in outputs.into_iter().flatten() {
            let kept = [&mut self.kept, self.passed.after_mut()];
            self.passed_test.note_output(output, &mut self.findings, kept);
        }
        let verdict = self.passed.read_line(line, is_cued, cued.run);
        // The steps of a failed test have marks, too.
        let is_step = verdict == Some(RunVerdict::PassedTest) && job.is_in_failure();
        if let Some(verdict) = verdict.filter(|_| !is_step) {
            job.close_failures(&mut self.findings);
            let mut jobs = self.jobs.iter().enumerate();
            let is_alone = jobs.all(|(at, job)| at == self.current || !job.is_cued);
            self.passed.note_verdict(verdict, &mut self.findings, &mut self.kept, is_alone);
        }
    }

    /// Passes a line to the readers and returns the strongest claim.
    fn claim_line(&mut self, line: &str) -> LineImportance {
        let cued = find_cues(line);
        let is_alone = self.jobs.len() == 1;
        let Some(job) = self.jobs.get_mut(self.current) else { return LineImportance::None };
        job.invocation.read_line(line, job.state, cued.invocation);
        // After a failed step only another step can add failures.
        if job.state != StepState::Running {
            return LineImportance::None;
        }
        let is_cued = cued.generic || cued.structure;
        let is_about_failure = is_cued && !is_passing(line);
        job.is_cued |= is_about_failure;
        let is_shown = self.kept.push_line(line, is_cued);
        self.read_run_line(line, &cued, is_about_failure);
        let Some(job) = self.jobs.get_mut(self.current) else { return LineImportance::None };
        let mut strongest = job.tools.read_first(line, &cued.rows, &mut self.findings);
        if strongest >= LineImportance::Known {
            return strongest;
        }
        for (parser, cued) in job.parsers.iter_mut().zip(&cued.parsers) {
            let is_open = parser.is_open();
            if *cued && !is_open {
                parser.set_previous_line(if is_alone {
                    self.excerpt.last_line()
                } else {
                    &job.last
                });
            }
            if *cued || is_open {
                strongest = strongest.max(parser.read_line(line, &mut self.findings));
            }
        }
        if strongest >= LineImportance::Part {
            job.tools.close(&mut self.findings);
        }
        strongest = strongest.max(job.matching.read_line(line, &mut self.findings));
        // A source line belongs to the diagnostic above it, so the generic reader must not see it.
        if strongest == LineImportance::None {
            strongest = job.read_source(line, &mut self.findings);
        }
        if strongest == LineImportance::None {
            strongest = job.tools.read_line(line, &cued.rows, &mut self.findings);
            if strongest == LineImportance::None {
                strongest = generic::read_line(line, cued.generic, &mut self.findings);
            }
            if strongest == LineImportance::Fault {
                job.source_lines = MAX_SOURCE_LINES;
                job.perhaps_source.clear();
            }
        }
        if strongest == LineImportance::None && is_shown {
            strongest = LineImportance::Vague;
        }
        self.lines_when_full +=
            u32::from(strongest > LineImportance::None && self.findings.is_full());
        strongest
    }
}
