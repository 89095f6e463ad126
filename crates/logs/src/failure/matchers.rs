//! Reads problem matchers, the JSON format of GitHub that describes the lines of a tool.
//!
//! Patterns come from the repository or from the log, so their size is limited and look-around is refused: matching always
//! takes linear time.

use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;
use regex::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Deserialize;

use papayu_base::domain::{FailureKind, Location, Severity};

use super::draft::FailureDraft;
use super::excerpt::LineImportance;
use super::findings::LogFailures;

/// Most matchers that are used.
const MAX_MATCHERS: usize = 64;
/// Most lines of one problem.
const MAX_PATTERNS: usize = 10;
/// Most bytes of the path of a matcher file.
const MAX_PATH_BYTES: usize = 1024;
/// Memory limit of the first patterns of all matchers, in bytes.
const MAX_SET_BYTES: usize = 16 * 1024 * 1024;
/// Memory limit of a compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1024 * 1024;

/// The reason why a matcher file cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MatcherError {
    /// It is no problem matcher's JSON.
    #[error("not a problem matcher: {0}")]
    Form(String),
    /// A pattern is no regular expression that can be read in linear time.
    #[error("problem matcher `{owner}`: the pattern `{pattern}` cannot be used: {why}")]
    Pattern {
        /// The matcher's name.
        owner: String,
        /// The pattern as written.
        pattern: String,
        /// The error of the regular expression.
        why: String,
    },
    /// There are more matchers, or lines in one, than are read.
    #[error("at most {MAX_MATCHERS} matchers with 1 to {MAX_PATTERNS} patterns each are read")]
    TooMany,
}

/// Returns the matchers of a file that a log names, by the path as it is printed.
pub type OnAddMatcher<'a> = &'a mut (dyn FnMut(&str) -> Option<Matchers> + Send);

/// Finds the command in a raw line.
static NAMED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("add-matcher"));

/// Returns the file of matchers that a raw line asks a runner to use: by the command itself, or as GitHub's
/// logs show it. `None` for any other line, and for a path that is too long.
pub(super) fn find_matcher_path(line: &str) -> Option<&str> {
    let at = NAMED.find(line.as_bytes())?;
    let (before, rest) = line.split_at_checked(at)?;
    let rest = rest.strip_prefix("add-matcher")?;
    let path = if before.ends_with("##[") {
        rest.strip_prefix(']')?
    } else {
        before.ends_with("::").then_some(rest)?.strip_prefix("::")?
    };
    Some(path.trim()).filter(|path| !path.is_empty() && path.len() <= MAX_PATH_BYTES)
}

/// Matchers that were read; none by default.
#[derive(Clone, Debug, Default)]
pub struct Matchers {
    list: Vec<Matcher>,
    /// The first pattern of each, for one pass over a line; `None` if they are too large together.
    first: Option<Arc<RegexSet>>,
}

/// One compiled matcher.
#[derive(Clone, Debug)]
struct Matcher {
    /// The name by which a later matcher replaces this one.
    owner: String,
    severity: Severity,
    /// One for each line of a problem, in order.
    patterns: Vec<(Regex, MatcherPattern)>,
}

/// The JSON of a matcher file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    problem_matcher: Vec<WrittenMatcher>,
}

/// One matcher as written.
#[derive(Deserialize)]
struct WrittenMatcher {
    owner: String,
    severity: Option<String>,
    pattern: Vec<MatcherPattern>,
}

/// The groups of one expression.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct MatcherPattern {
    /// The expression; the other fields are numbers of its groups.
    regexp: String,
    file: Option<usize>,
    line: Option<usize>,
    column: Option<usize>,
    severity: Option<usize>,
    code: Option<usize>,
    message: Option<usize>,
    /// The last expression may match several lines.
    r#loop: bool,
}

impl Matchers {
    /// Adds the matchers of a file's JSON (`{"problemMatcher": […]}`). A later matcher replaces
    /// an earlier one of the same owner.
    ///
    /// # Errors
    ///
    /// Returns an error, and adds no matcher, if the text is no matcher file, a pattern needs
    /// more than linear time (look-around, back references), or there are too many matchers.
    pub fn add(&mut self, json: &str) -> Result<(), MatcherError> {
        // Editors on Windows write a byte order mark.
        let json = json.strip_prefix('\u{feff}').unwrap_or(json);
        let file: File =
            serde_json::from_str(json).map_err(|error| MatcherError::Form(error.to_string()))?;
        let read =
            file.problem_matcher.into_iter().map(compile_matcher).collect::<Result<Vec<_>, _>>()?;
        let is_replaced = |known: &Matcher| read.iter().any(|new| new.owner == known.owner);
        let kept = self.list.iter().filter(|known| !is_replaced(known)).count();
        if kept + read.len() > MAX_MATCHERS {
            return Err(MatcherError::TooMany);
        }
        self.list.retain(|known| !is_replaced(known));
        self.list.extend(read);
        self.compile_first();
        Ok(())
    }

    /// Adds the matchers of another list. A matcher of the same owner is replaced, and matchers
    /// beyond the limit are dropped.
    pub fn join(&mut self, more: Self) {
        self.list.retain(|known| more.list.iter().all(|new| new.owner != known.owner));
        self.list.extend(more.list);
        self.list.truncate(MAX_MATCHERS);
        self.compile_first();
    }

    /// Compiles the first patterns of all matchers into one automaton.
    fn compile_first(&mut self) {
        let patterns = self.list.iter().filter_map(|matcher| matcher.patterns.first());
        let sources: Vec<&str> = patterns.map(|(regex, _)| regex.as_str()).collect();
        let set = RegexSetBuilder::new(sources).size_limit(MAX_SET_BYTES).build();
        self.first = set.ok().map(Arc::new);
    }

    /// Returns a reader for each matcher, for the lines of one job.
    pub(super) fn start_readers(&self) -> MatcherReaders {
        let start = |matcher: &Matcher| Matching { matcher: matcher.clone(), at: 0, partial: None };
        MatcherReaders { readers: self.list.iter().map(start).collect(), first: self.first.clone() }
    }
}

/// Compiles the patterns of one matcher.
fn compile_matcher(written: WrittenMatcher) -> Result<Matcher, MatcherError> {
    let WrittenMatcher { owner, severity, pattern } = written;
    if pattern.is_empty() || pattern.len() > MAX_PATTERNS {
        return Err(MatcherError::TooMany);
    }
    let compiled = pattern.into_iter().map(|pattern| compile_pattern(pattern, &owner));
    let patterns = compiled.collect::<Result<Vec<_>, _>>()?;
    Ok(Matcher { severity: parse_severity(severity.as_deref()), patterns, owner })
}

/// Compiles one pattern within [`MAX_PATTERN_BYTES`].
fn compile_pattern(
    pattern: MatcherPattern,
    owner: &str,
) -> Result<(Regex, MatcherPattern), MatcherError> {
    let source = use_ascii_classes(&pattern.regexp);
    match RegexBuilder::new(&source).size_limit(MAX_PATTERN_BYTES).build() {
        Ok(regex) => Ok((regex, pattern)),
        Err(error) => Err(MatcherError::Pattern {
            owner: owner.to_owned(),
            // The last line of the message has the reason, those above it repeat the pattern.
            why: error.to_string().lines().last().unwrap_or_default().trim().to_owned(),
            pattern: pattern.regexp,
        }),
    }
}

/// Replaces `\d`, `\w` and `\b` by their ASCII forms, which they are in JavaScript. The tables of Unicode would make the
/// automaton large and slow.
fn use_ascii_classes(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut open_classes = 0_u32;
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            match chars.next() {
                Some('d') => out.push_str("[0-9]"),
                Some('w') => out.push_str("[0-9A-Za-z_]"),
                Some('b') if open_classes == 0 => out.push_str(r"(?-u:\b)"),
                other => {
                    out.push('\\');
                    out.extend(other);
                }
            }
        } else {
            match c {
                '[' => open_classes += 1,
                ']' => open_classes = open_classes.saturating_sub(1),
                _ => {}
            }
            out.push(c);
        }
    }
    out
}

/// Returns the severity of a word; unknown words and no word mean an error.
fn parse_severity(word: Option<&str>) -> Severity {
    match word.map(str::to_lowercase).as_deref() {
        Some("warning" | "warn") => Severity::Warning,
        Some("notice" | "note" | "info") => Severity::Note,
        _ => Severity::Error,
    }
}

/// The parts of one problem so far.
#[derive(Clone, Debug, Default)]
struct MatchedProblem {
    at: Option<Location>,
    severity: Option<Severity>,
    code: Option<String>,
    message: Option<String>,
}

/// All matchers while they read the lines of one job.
#[derive(Debug)]
pub(super) struct MatcherReaders {
    readers: Vec<Matching>,
    first: Option<Arc<RegexSet>>,
}

impl MatcherReaders {
    /// Reads one cleaned line and returns the strongest claim.
    pub(super) fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        let mut strongest = LineImportance::None;
        if self.readers.is_empty() {
            return strongest;
        }
        // Most lines fit no matcher, and one pass shows it.
        let begun = self.first.as_ref().map(|first| first.matches(text));
        for (at, reader) in self.readers.iter_mut().enumerate() {
            if reader.at > 0 || begun.as_ref().is_none_or(|begun| begun.matched(at)) {
                strongest = strongest.max(reader.read_line(text, findings));
            }
        }
        strongest
    }
}

/// One matcher while it reads a log.
#[derive(Debug)]
struct Matching {
    matcher: Matcher,
    /// The pattern that the next line must fit.
    at: usize,
    /// The parts that the patterns before it matched.
    partial: Option<MatchedProblem>,
}

impl Matching {
    /// Reads one cleaned line and returns its claim.
    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        let Some((found, pattern, is_last)) = self.match_line(text) else {
            return LineImportance::None;
        };
        let problem = merge_match(self.partial.clone().unwrap_or_default(), &found, &pattern);
        if !is_last {
            self.at += 1;
            self.partial = Some(problem);
            return LineImportance::Known;
        }
        // In a loop the next line may be another problem of the same file.
        if !pattern.r#loop {
            self.at = 0;
            self.partial = None;
        }
        self.add_problem(problem, findings)
    }

    /// Returns the match with the expected pattern, else with the first.
    fn match_line<'t>(&mut self, text: &'t str) -> Option<(Captures<'t>, MatcherPattern, bool)> {
        let count = self.matcher.patterns.len();
        // A line that breaks a sequence can start the next one.
        for at in [self.at, 0] {
            let (regex, pattern) = self.matcher.patterns.get(at)?;
            if let Some(found) = regex.captures(text) {
                let pattern = pattern.clone();
                if at == 0 {
                    self.partial = None;
                }
                self.at = at;
                return Some((found, pattern, at + 1 == count));
            }
            self.at = 0;
            self.partial = None;
        }
        None
    }

    /// Adds a complete problem as a failure; warnings and notes are only known.
    fn add_problem(&self, problem: MatchedProblem, findings: &mut LogFailures) -> LineImportance {
        let severity = problem.severity.unwrap_or(self.matcher.severity);
        // Warnings did not make the build fail.
        if severity != Severity::Error {
            return LineImportance::Known;
        }
        let message = problem.message.unwrap_or_default();
        let mut draft = FailureDraft::new(&self.matcher.owner, FailureKind::Lint, &message)
            .with_code(problem.code.as_deref());
        draft.add_locations(problem.at);
        findings.add(draft.finish());
        LineImportance::Fault
    }
}

/// Returns the problem with the groups of one more line.
fn merge_match(
    mut problem: MatchedProblem,
    found: &Captures<'_>,
    pattern: &MatcherPattern,
) -> MatchedProblem {
    let get = |group: Option<usize>| {
        let text = found.get(group?)?.as_str().trim();
        (!text.is_empty()).then_some(text)
    };
    let number = |group| get(group).and_then(|digits| digits.parse().ok());
    if let Some(path) = get(pattern.file) {
        problem.at = Some(Location::file(path));
    }
    if let Some(at) = &mut problem.at {
        at.line = number(pattern.line).or(at.line);
        at.column = number(pattern.column).or(at.column);
    }
    problem.severity =
        get(pattern.severity).map(|word| parse_severity(Some(word))).or(problem.severity);
    problem.code = get(pattern.code).map(str::to_owned).or(problem.code);
    problem.message = get(pattern.message).map(str::to_owned).or(problem.message);
    problem
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::Failure;

    const STYLISH: &str = r#"{"problemMatcher":[{"owner":"own-lint","pattern":[
        {"regexp":"^([^\\s].*)$","file":1},
        {"regexp":"^\\s+(\\d+):(\\d+)\\s+(error|warning|info)\\s+(.*?)\\s\\s+(.*)$",
         "line":1,"column":2,"severity":3,"message":4,"code":5,"loop":true}]}]}"#;

    fn read(json: &str, log: &str) -> Vec<Failure> {
        let mut matchers = Matchers::default();
        matchers.add(json).unwrap();
        let mut findings = LogFailures::default();
        let mut reading = matchers.start_readers();
        for line in log.lines() {
            reading.read_line(line, &mut findings);
        }
        findings.finish().0
    }

    fn found(line: u32, code: &str, message: &str) -> Failure {
        let mut draft = FailureDraft::new("own-lint", FailureKind::Lint, message).with_code(code);
        draft.add_location(Location { path: "a.xyz".into(), line: Some(line), column: Some(2) });
        draft.finish()
    }

    #[test]
    fn a_pattern_over_several_lines_reads_a_list_under_its_file() {
        let log = "a.xyz\n  1:2  error  no  r-1\n  3:2  warning  hm  r-2\n  4:2  error  nay  r-3\n\nok\n  9:9  error  x\n";
        assert_eq!(read(STYLISH, log), [found(1, "r-1", "no"), found(4, "r-3", "nay")]);
    }

    #[test]
    fn what_cannot_be_read_in_linear_time_or_is_none_is_refused() {
        let mut matchers = Matchers::default();
        let one = |regexp: &str| {
            format!(
                r#"{{"problemMatcher":[{{"owner":"x","pattern":[{{"regexp":"{regexp}","file":1}}]}}]}}"#
            )
        };
        for regexp in ["(?=a)b", r"(a)\\1", "(a{1000}){1000}"] {
            let refused = matchers.add(&one(regexp));
            assert!(matches!(refused, Err(MatcherError::Pattern { .. })), "{regexp}");
        }
        assert!(matches!(matchers.add("{}"), Err(MatcherError::Form(_))));
        assert_eq!(
            matchers.add(r#"{"problemMatcher":[{"owner":"x","pattern":[]}]}"#),
            Err(MatcherError::TooMany)
        );
        assert!(matchers.list.is_empty());
    }

    #[test]
    fn a_log_names_a_file_of_matchers_as_a_command_or_as_github_shows_it() {
        for (line, path) in [
            ("echo 'add-matcher::a.json'", None),
            ("::add-matcher::", None),
            ("add-matcher::a.json", None),
            ("::add-matcher::.github/a.json\r", Some(".github/a.json")),
            ("2026-01-01T00:00:00Z ##[add-matcher]/home/a b.json ", Some("/home/a b.json")),
        ] {
            assert_eq!(find_matcher_path(line), path, "{line}");
        }
        assert_eq!(find_matcher_path(&format!("::add-matcher::{}", "a".repeat(5_000))), None);
    }

    #[test]
    fn the_same_owner_is_replaced() {
        let mut matchers = Matchers::default();
        assert_eq!((matchers.add(STYLISH), matchers.add(STYLISH)), (Ok(()), Ok(())));
        matchers.join(matchers.clone());
        assert_eq!(matchers.start_readers().readers.len(), 1);
    }
}
