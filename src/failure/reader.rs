//! Takes a log's bytes as they come and keeps only what is worth keeping.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::domain::{Failure, FailureReport};
use crate::text::clean_line;

use super::draft::cut;
use super::excerpt::{Claim, Excerpt};
use super::findings::Findings;
use super::report::{self, Held, Taken};
use super::toolchain::{self, Parser, cargo_json, generic, go_json};

/// Longest line that is kept, in bytes; the rest of it is skipped. Cargo's JSON messages are long.
const MAX_LINE_BYTES: usize = 256 * 1024;
/// Longest line that parsers read, in characters.
const MAX_PARSED_CHARS: usize = 4_000;

/// How far a report that is full is still completed (names after details); a flood of failures is not
/// parsed to its end.
const MAX_LINES_WHEN_FULL: u32 = 50_000;

/// What bounds a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest excerpt, in characters.
    pub excerpt_chars: usize,
}

impl Default for Limits {
    /// Returns the protocol's default for logs, 12,000 characters (section 6).
    fn default() -> Self {
        Self { excerpt_chars: 12_000 }
    }
}

/// Reads a log in bounded memory: any length, any chunks, any bytes.
///
/// The report depends only on the bytes, never on how they were cut into chunks.
pub struct LogReader {
    line: Vec<u8>,
    /// The rest of an overlong line is being skipped.
    skipping: bool,
    bytes: u64,
    scan: Scan,
}

struct Scan {
    parsers: [Box<dyn Parser + Send>; toolchain::COUNT],
    findings: Findings,
    excerpt: Excerpt,
    /// Lines that meant something since there was no more room for failures.
    lines_when_full: u32,
    /// What may be a report made for programs.
    held: Held,
}

/// The parsers' cues, found together in one pass over a line, and whose each is. A line without any
/// means nothing to a parser that is not in the middle of something.
static CUES: LazyLock<Option<(AhoCorasick, Vec<usize>)>> = LazyLock::new(|| {
    let mut cues: Vec<&str> = Vec::new();
    let mut owners = Vec::new();
    let parsers = toolchain::all();
    let lists = parsers.iter().map(|parser| parser.cues()).chain([generic::CUES]);
    for (owner, list) in lists.enumerate() {
        cues.extend(list);
        owners.extend(list.iter().map(|_| owner));
    }
    let kind = Some(AhoCorasickKind::DFA);
    Some((AhoCorasick::builder().kind(kind).build(cues).ok()?, owners))
});

/// Tells for each parser, the generic one last, whether the line has one of its cues.
fn cued(line: &str) -> [bool; toolchain::COUNT + 1] {
    let Some((cues, owners)) = &*CUES else { return [true; toolchain::COUNT + 1] };
    let mut found = [false; toolchain::COUNT + 1];
    for cue in cues.find_overlapping_iter(line) {
        let owner = owners.get(cue.pattern().as_usize());
        if let Some(flag) = owner.and_then(|owner| found.get_mut(*owner)) {
            *flag = true;
        }
    }
    found
}

impl LogReader {
    /// Starts reading.
    pub fn new(limits: Limits) -> Self {
        let scan = Scan {
            parsers: toolchain::all(),
            findings: Findings::default(),
            excerpt: Excerpt::new(limits.excerpt_chars),
            lines_when_full: 0,
            held: Held::default(),
        };
        Self { line: Vec::new(), skipping: false, bytes: 0, scan }
    }

    /// Takes the next bytes of the log.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (head, tail) = rest.split_at(end);
            rest = tail.strip_prefix(b"\n").unwrap_or(tail);
            if self.line.is_empty() && !self.skipping && head.len() <= MAX_LINE_BYTES {
                self.scan.raw_line(head);
            } else {
                self.keep(head);
                self.end_line();
            }
        }
        self.keep(rest);
    }

    /// Ends the log and returns what it said.
    pub fn finish(mut self) -> FailureReport {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.scan.finish(self.bytes)
    }

    fn keep(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.skipping {
                // What follows a carriage return overwrites what came before it.
                let Some(at) = memchr::memchr(b'\r', rest) else { return };
                rest = rest.split_at(at + 1).1;
                self.skipping = false;
                continue;
            }
            let is_report =
                self.line.len() >= MAX_LINE_BYTES && report::begins_long_line(&self.line);
            let most = if is_report { report::MAX_REPORT_BYTES } else { MAX_LINE_BYTES };
            let room = most.saturating_sub(self.line.len());
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.line.extend_from_slice(now);
            rest = later;
            let is_cut = !rest.is_empty()
                && (self.line.len() >= report::MAX_REPORT_BYTES
                    || !report::begins_long_line(&self.line));
            if is_cut {
                self.end_line();
                self.skipping = true;
            }
        }
    }

    fn end_line(&mut self) {
        if !std::mem::take(&mut self.skipping) || !self.line.is_empty() {
            self.scan.raw_line(&self.line);
        }
        self.line.clear();
    }
}

impl Scan {
    fn raw_line(&mut self, raw: &[u8]) {
        // Most lines are valid, and the strict check is much the faster.
        let text = std::str::from_utf8(raw)
            .map_or_else(|_| String::from_utf8_lossy(raw), std::borrow::Cow::Borrowed);
        let clean = clean_line(&text);
        let line = clean.trim_end();
        match self.held.take(line) {
            Taken::Not => self.machine_line(line),
            Taken::Held => {}
            Taken::Report(failures) => self.report(failures),
            Taken::Text(text) => text.lines().for_each(|line| self.machine_line(line)),
        }
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
                self.findings.add(failure);
                for (at, line) in rendered.lines().enumerate() {
                    let claim = if at == 0 { Claim::Fault } else { Claim::Part };
                    self.excerpt.push(clean_line(line).trim_end(), claim);
                }
            }
            None => self.line(cut(line, MAX_PARSED_CHARS)),
        }
    }

    fn line(&mut self, line: &str) {
        let claim =
            if self.lines_when_full < MAX_LINES_WHEN_FULL { self.read(line) } else { Claim::None };
        self.excerpt.push(line, claim);
    }

    fn read(&mut self, line: &str) -> Claim {
        let cued = cued(line);
        let mut strongest = Claim::None;
        for (parser, cued) in self.parsers.iter_mut().zip(&cued) {
            let is_open = parser.is_open();
            if *cued && !is_open {
                parser.after(self.excerpt.last_line());
            }
            if *cued || is_open {
                strongest = strongest.max(parser.line(line, &mut self.findings));
            }
        }
        if strongest == Claim::None {
            strongest = generic::line(line, cued.ends_with(&[true]), &mut self.findings);
        }
        self.lines_when_full += u32::from(strongest > Claim::None && self.findings.is_full());
        strongest
    }

    fn finish(mut self, log_bytes: u64) -> FailureReport {
        match self.held.finish() {
            Taken::Report(failures) => self.report(failures),
            Taken::Text(text) => text.lines().for_each(|line| self.machine_line(line)),
            Taken::Not | Taken::Held => {}
        }
        for parser in &mut self.parsers {
            parser.finish(&mut self.findings);
        }
        let (failures, mentions) = self.findings.finish();
        FailureReport {
            failures,
            mentions,
            excerpt: self.excerpt.finish(),
            log_bytes,
            ..FailureReport::default()
        }
    }
}
