//! Reads a log's lines in order: who printed them, what they are, what they say.

use std::borrow::Cow;

use crate::domain::{Failure, FailureReport};
use crate::text::clean_line;

use super::cues::cued;
use super::draft::{MAX_QUOTED_CHARS, cut};
use super::excerpt::{Claim, Excerpt};
use super::findings::Findings;
use super::invocation::Invocation;
use super::lane;
use super::matchers::{self, Matchers, Matching, Teacher};
use super::quoted;
use super::report::{Held, Taken};
use super::toolchain::{self, Parser, cargo_json, generic, go_json};

/// Longest line that parsers read, in characters.
const MAX_PARSED_CHARS: usize = 4_000;
/// How far a report that is full is still completed (names after details); a flood of failures is not
/// parsed to its end.
const MAX_LINES_WHEN_FULL: u32 = 50_000;
/// How many jobs or packages are told apart; those after them are read as one.
const MAX_LANES: usize = 32;
/// Lines under a diagnostic of one line that may be its source.
const MAX_SOURCE_LINES: u8 = 3;

/// Is told every cleaned line in order, and whether a parser knows it as part of a failure.
pub type Listener<'a> = &'a mut (dyn FnMut(&str, bool) + Send);

/// What is known of a log so far.
pub(super) struct Scan<'a> {
    listener: Option<Listener<'a>>,
    teacher: Option<Teacher<'a>>,
    lanes: Vec<Lane>,
    /// The lane of the line that is being read.
    now: usize,
    matchers: Matchers,
    findings: Findings,
    excerpt: Excerpt,
    /// Lines that meant something since there was no more room for failures.
    lines_when_full: u32,
}

/// One job's or package's lines: what they say must not be mixed with another's.
struct Lane {
    name: String,
    parsers: [Box<dyn Parser + Send>; toolchain::COUNT],
    matching: Vec<Matching>,
    /// What may be a report made for programs.
    held: Held,
    invocation: Invocation,
    /// The line before, where another lane's may have been printed since.
    last: String,
    /// Lines that may still be the source of a diagnostic of one line.
    source_lines: u8,
    /// An indented line, which marks below it show to be source.
    perhaps_source: String,
}

impl<'a> Scan<'a> {
    /// Starts reading.
    pub(super) fn new(excerpt_chars: usize, matchers: Matchers) -> Self {
        Self {
            listener: None,
            teacher: None,
            lanes: vec![Lane::new("", &matchers)],
            now: 0,
            matchers,
            findings: Findings::default(),
            excerpt: Excerpt::new(excerpt_chars),
            lines_when_full: 0,
        }
    }

    /// Tells every line to a listener as well.
    pub(super) fn listen(&mut self, listener: Listener<'a>) {
        self.listener = Some(listener);
    }

    /// Asks for the matchers of files that the log names.
    pub(super) fn learn(&mut self, teacher: Teacher<'a>) {
        self.teacher = Some(teacher);
    }

    /// Reads a line as it stands in the log.
    pub(super) fn raw_line(&mut self, raw: &[u8]) {
        // Most lines are valid, and the strict check is much the faster.
        let text =
            std::str::from_utf8(raw).map_or_else(|_| String::from_utf8_lossy(raw), Cow::Borrowed);
        if let Some(teacher) = &mut self.teacher
            && let Some(more) = matchers::named(&text).and_then(teacher)
        {
            self.matchers.join(more);
            self.lanes.iter_mut().for_each(|lane| lane.matching = self.matchers.start());
        }
        let clean = clean_line(&text);
        let line = clean.trim_end();
        let line = if let Some(columns) = lane::columns(&text) {
            self.enter(columns);
            line
        } else {
            let (lane, line) = lane::split(line);
            self.enter(lane);
            line
        };
        if let Some(step) = line.strip_prefix("Run ").filter(|_| text.contains("##[group]Run ")) {
            self.lane().into_iter().for_each(|lane| lane.invocation.step(step));
        }
        match self.lane().map_or(Taken::Not, |lane| lane.held.take(line)) {
            Taken::Not => self.machine_line(line),
            Taken::Held => {}
            Taken::Report(failures) => self.report(failures),
            Taken::Text(text) => text.lines().for_each(|line| self.machine_line(line)),
        }
    }

    /// Ends the log of this many bytes and returns what it said.
    pub(super) fn finish(mut self, log_bytes: u64) -> FailureReport {
        for at in 0..self.lanes.len() {
            self.now = at;
            match self.lane().map_or(Taken::Not, |lane| lane.held.finish()) {
                Taken::Report(failures) => self.report(failures),
                Taken::Text(text) => text.lines().for_each(|line| self.machine_line(line)),
                Taken::Not | Taken::Held => {}
            }
        }
        for parser in self.lanes.iter_mut().flat_map(|lane| &mut lane.parsers) {
            parser.finish(&mut self.findings);
        }
        let (command, exit_code) = self.invocation();
        let (failures, mentions) = self.findings.finish();
        let excerpt = self.excerpt.finish();
        FailureReport { failures, mentions, command, exit_code, excerpt, log_bytes }
    }

    /// Returns the command of the first lane that failed, else the first that was named.
    fn invocation(&mut self) -> (Option<String>, Option<i32>) {
        let lanes = self.lanes.iter_mut().map(|lane| std::mem::take(&mut lane.invocation).done());
        let mut said: Vec<_> = lanes.filter(|said| *said != (None, None)).collect();
        said.sort_by_key(|(_, code)| code.is_none());
        said.into_iter().next().unwrap_or_default()
    }

    fn lane(&mut self) -> Option<&mut Lane> {
        self.lanes.get_mut(self.now)
    }

    fn enter(&mut self, name: &str) {
        if self.lanes.get(self.now).is_some_and(|lane| lane.name == name) {
            return;
        }
        let known = self.lanes.iter().position(|lane| lane.name == name);
        self.now = known.unwrap_or_else(|| {
            if self.lanes.len() < MAX_LANES {
                self.lanes.push(Lane::new(name, &self.matchers));
            }
            self.lanes.len() - 1
        });
    }

    /// Adds a report's failures; a person is shown them as lines.
    fn report(&mut self, failures: Vec<Failure>) {
        for failure in failures {
            let at = failure.locations.first().map_or(String::new(), |at| match at.line {
                Some(line) => format!("{}:{line}: ", at.path),
                None => format!("{}: ", at.path),
            });
            let name = failure.test.as_deref().or(failure.code.as_deref()).unwrap_or_default();
            self.excerpt.push(format!("{at}{name}").trim_end(), Claim::Fault);
            for line in failure.message.lines() {
                self.excerpt.push(line.trim_end(), Claim::Part);
            }
            self.findings.add(failure);
        }
    }

    /// Reads a line that may be a message of cargo's or go's for programs.
    fn machine_line(&mut self, line: &str) {
        if !line.starts_with('{') {
            return self.line(cut(line, MAX_PARSED_CHARS));
        }
        if let Some(output) = go_json::read(line) {
            return output
                .lines()
                .for_each(|line| self.line(cut(line.trim_end(), MAX_PARSED_CHARS)));
        }
        match cargo_json::read(line) {
            Some(cargo_json::Message::Quiet) => {}
            Some(cargo_json::Message::Error { failure, rendered }) => {
                self.findings.add(*failure);
                for (at, line) in rendered.lines().enumerate() {
                    let claim = if at == 0 { Claim::Fault } else { Claim::Part };
                    self.excerpt.push(clean_line(line).trim_end(), claim);
                }
            }
            None => self.line(cut(line, MAX_PARSED_CHARS)),
        }
    }

    fn line(&mut self, line: &str) {
        let is_read = self.lines_when_full < MAX_LINES_WHEN_FULL;
        let claim = if is_read { self.read(line) } else { Claim::None };
        if self.lanes.len() > 1
            && let Some(lane) = self.lane()
        {
            lane.last.clear();
            lane.last.push_str(cut(line, MAX_PARSED_CHARS));
        }
        if let Some(listener) = &mut self.listener {
            listener(line, matches!(claim, Claim::Part | Claim::Fault));
        }
        self.excerpt.push(line, claim);
    }

    fn read(&mut self, line: &str) -> Claim {
        let cued = cued(line);
        let is_alone = self.lanes.len() == 1;
        let Some(lane) = self.lanes.get_mut(self.now) else { return Claim::None };
        if cued.invocation {
            lane.invocation.line(line);
        }
        let mut strongest = Claim::None;
        for (parser, cued) in lane.parsers.iter_mut().zip(&cued.parsers) {
            let is_open = parser.is_open();
            if *cued && !is_open {
                parser.after(if is_alone { self.excerpt.last_line() } else { &lane.last });
            }
            if *cued || is_open {
                strongest = strongest.max(parser.line(line, &mut self.findings));
            }
        }
        for matching in &mut lane.matching {
            strongest = strongest.max(matching.line(line, &mut self.findings));
        }
        if strongest == Claim::None {
            strongest = lane.source(line, &mut self.findings);
        }
        if strongest == Claim::None {
            strongest = generic::line(line, cued.generic, &mut self.findings);
            if strongest == Claim::Fault {
                lane.source_lines = MAX_SOURCE_LINES;
                lane.perhaps_source.clear();
            }
        }
        self.lines_when_full += u32::from(strongest > Claim::None && self.findings.is_full());
        strongest
    }
}

impl Lane {
    fn new(name: &str, matchers: &Matchers) -> Self {
        Self {
            name: name.to_owned(),
            parsers: toolchain::all(),
            matching: matchers.start(),
            held: Held::default(),
            invocation: Invocation::default(),
            last: String::new(),
            source_lines: 0,
            perhaps_source: String::new(),
        }
    }

    /// Compilers that say all in one line show the source under it, numbered or only indented.
    fn source(&mut self, line: &str, findings: &mut Findings) -> Claim {
        let Some(left) = self.source_lines.checked_sub(1) else { return Claim::None };
        let is_first = left + 1 == MAX_SOURCE_LINES;
        self.source_lines = left;
        if let Some(source) = quoted::source_line(line) {
            findings.quote(source);
            return Claim::Part;
        }
        let Some(indented) = line.strip_prefix(' ') else { return Claim::None };
        match quoted::is_source(indented) {
            Some(source) if is_first => {
                self.perhaps_source.clear();
                self.perhaps_source.push_str(cut(source, MAX_QUOTED_CHARS));
                Claim::None
            }
            Some(_) => Claim::None,
            None => {
                if indented.contains(['^', '~']) {
                    findings.quote(&std::mem::take(&mut self.perhaps_source));
                }
                Claim::Part
            }
        }
    }
}
