//! Reads javac, Maven's surefire, Gradle's, Ant's and JUnit's consoles.
//!
//! ```text
//! CalcTest.java:8: error: cannot find symbol
//!         int x = calc.ad(1);
//!                     ^
//!   symbol:   method ad(int)
//! [ERROR] demo.CalcTest.adds -- Time elapsed: 0.004 s <<< FAILURE!
//! org.opentest4j.AssertionFailedError: expected: <3> but was: <4>
//!     at demo.CalcTest.adds(CalcTest.java:8)
//! ```

mod names;
mod summary;

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::location;
use papayu_base::domain::{FailureKind, Location};

use super::{Parser, StackFrame};
use names::{AntTests, gradle_test, surefire_test};
use papayu_base::text::{Pattern, group};
use summary::{JavaSummary, SummaryLine};

const NAME: &str = "java";

/// Packages of the language, of test runners and of build tools: nothing there can be repaired.
const RUNTIME: &[&str] = &[
    "java.", "javax.", "jdk.", "sun.", "com.sun.", "kotlin.", "org.junit.", "junit.",
    "org.opentest4j.", "org.assertj.", "org.hamcrest.", "org.apache.maven.", "org.gradle.",
];

/// Messages that mean a class or package that is not there.
const IMPORT_MESSAGES: &[&str] = &["package ", "Could not resolve", "Could not find artifact"];

/// Lines of source, marks and symbols under a compiler's message.
const MAX_COMPILER_LINES: u8 = 6;

/// `X.java:3: error: message` and Maven's `[ERROR] /abs/X.java:[3,5] message`.
static COMPILER: Pattern = Pattern::new(
    r"^(?:\[ERROR\] )?(?P<path>[^\s:\[][^:\[]*\.(?:java|kt|groovy|scala)):(?:(?P<line>\d+): error: |\[(?P<line2>\d+),(?P<column>\d+)\] (?:error: )?)(?P<message>.+)$",
);

/// `X.java:3: warning: [lint] message` and Maven's `[WARNING] /abs/X.java:[3,5] [lint] message`.
static WARNING: Pattern = Pattern::new(
    r"^(?:\[WARNING\] )?(?P<path>[^\s:\[][^:\[]*\.(?:java|kt|groovy|scala)):(?:(?P<line>\d+): warning: |\[(?P<line2>\d+),(?P<column>\d+)\] )\[(?P<code>[\w-]+)\] (?P<message>.+)$",
);

/// The end of a build with no other faults than warnings; the line itself is a failure, too.
const WERROR: &str = "warnings found and -Werror specified";

/// Most warnings that are kept until the compiler reports them as errors.
const MAX_WARNINGS: usize = 100;

/// State between lines.
#[derive(Default)]
pub(super) struct Java {
    compile: Option<(FailureDraft, u8)>,
    /// Warnings of the compiler, which are failures if `-Werror` ends the build.
    warnings: Vec<FailureDraft>,
    test: Option<FailureDraft>,
    /// The last line of the open test was blank, and its frames may follow.
    after_blank: bool,
    /// JUnit's console lists its failures.
    in_console: bool,
    ant: AntTests,
    summary: JavaSummary,
}

impl Parser for Java {
    fn cues(&self) -> &'static [&'static str] {
        &[
            ".java:", ".kt:", ".groovy:", ".scala:", "<<< FAILURE!", "<<< ERROR!", " FAILED",
            "Failures (", "[junit] ", "Failed tests:", "Tests in error:", WERROR,
        ]
    }

    fn is_open(&self) -> bool {
        self.compile.is_some() || self.test.is_some() || self.in_console || self.summary.is_open()
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        let of_ant = text.trim_start().strip_prefix("[junit]");
        let text = of_ant.map_or(text, |rest| rest.strip_prefix(' ').unwrap_or(rest));
        if let Some(draft) = compiler_error(text) {
            self.end_failure(findings);
            self.compile = Some((draft, 0));
            return LineImportance::Fault;
        }
        if self.compile.is_some() {
            return self.read_compiler_line(text, findings);
        }
        if text.contains(WERROR) {
            for draft in self.warnings.drain(..) {
                findings.add(draft.finish());
            }
        } else if self.warnings.len() < MAX_WARNINGS {
            self.warnings.extend(compiler_warning(text));
        }
        if text.starts_with("Failures (") && text.ends_with("):") {
            self.in_console = true;
            return LineImportance::Known;
        }
        match self.summary.read_line(text) {
            SummaryLine::Outside => {}
            SummaryLine::Other => {
                self.end_failure(findings);
                return LineImportance::Known;
            }
            SummaryLine::Test { name, message } => {
                self.end_failure(findings);
                findings.add(
                    FailureDraft::new(NAME, FailureKind::Test, message).for_test(&name).finish(),
                );
                return LineImportance::Fault;
            }
        }
        let begun = surefire_test(text).or_else(|| gradle_test(text));
        let begun = begun.or_else(|| of_ant.and_then(|_| self.ant.read_line(text)));
        if let Some(name) = begun.or_else(|| self.console_test(text)) {
            self.end_failure(findings);
            self.test = Some(FailureDraft::test(NAME, &name));
            return LineImportance::Fault;
        }
        self.read_test_line(text, findings)
    }

    fn finish(&mut self, findings: &mut LogFailures) {
        self.end_failure(findings);
        self.in_console = false;
    }
}

impl Java {
    /// Adds the open compiler error and the open test.
    fn end_failure(&mut self, findings: &mut LogFailures) {
        let compile = self.compile.take().map(|(draft, _)| draft);
        for mut draft in [compile, self.test.take()].into_iter().flatten() {
            self.summary.note_test(draft.failure.test.as_deref());
            // "cannot find symbol" alone is the same for every symbol.
            let message = &mut draft.failure.message;
            if message.starts_with("cannot find symbol") {
                *message = message.replacen('\n', "; ", 1);
            }
            findings.add(draft.finish());
        }
    }

    /// Source, a mark and `symbol: …` under the message.
    fn read_compiler_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        let Some((draft, lines)) = &mut self.compile else { return LineImportance::None };
        *lines += 1;
        let content = text.strip_prefix("[ERROR]").unwrap_or(text).trim();
        if let Some(symbol) = content.strip_prefix("symbol:") {
            draft.add_line(&format!("symbol: {}", symbol.trim_start()));
            return LineImportance::Part;
        }
        let is_count = content.ends_with(" error") || content.ends_with(" errors");
        let is_maven = text.starts_with('[') && !content.starts_with("location:");
        let is_source = *lines == 1 && text.starts_with(' ');
        if is_source {
            draft.add_source(text);
        }
        if *lines > MAX_COMPILER_LINES || is_count || is_maven || text.is_empty() {
            self.end_failure(findings);
            return LineImportance::Known;
        }
        LineImportance::Part
    }

    /// `  JUnit Jupiter:CalcTest:adds()` in the console's list.
    fn console_test(&self, text: &str) -> Option<String> {
        let rest = text.strip_prefix("  ").filter(|_| self.in_console)?;
        rest.strip_prefix("JUnit ").map(str::to_owned)
    }

    /// Reads a line under the headline of a test: message and frames.
    fn read_test_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        let trimmed = text.trim();
        let Some(draft) = &mut self.test else {
            if trimmed.starts_with("Test run finished") {
                self.in_console = false;
            }
            return LineImportance::None;
        };
        // Spock prints blank lines between a condition and its frames.
        let is_blank = trimmed.is_empty() && !self.in_console;
        let has_all = !draft.failure.locations.is_empty() || draft.has_no_message();
        let is_after_blank = std::mem::replace(&mut self.after_blank, is_blank && !has_all);
        if self.after_blank {
            return LineImportance::Part;
        }
        let is_over = trimmed.starts_with("Test run finished")
            || is_blank
            || is_after_blank && !text.starts_with([' ', '\t'])
            || text.starts_with("[INFO]")
            || text.starts_with("[ERROR] ");
        if is_over {
            self.end_failure(findings);
            return LineImportance::Known;
        }
        let message = trimmed.strip_prefix("=> ");
        if let Some(frame) = parse_frame(trimmed) {
            draft.add_locations(frame.location());
        } else if let Some((message, at)) = gradle_message(trimmed) {
            draft.add_line(message);
            draft.add_location(at);
        } else if let Some(name) = names::method_source(trimmed) {
            draft.failure.test = Some(name);
        } else if !trimmed.starts_with("MethodSource [") && !trimmed.starts_with("[...]") {
            draft.add_line(message.unwrap_or(trimmed));
        }
        LineImportance::Part
    }
}

/// Returns the error of a compiler's line.
fn compiler_error(text: &str) -> Option<FailureDraft> {
    let found = COMPILER.captures(text)?;
    // A message of Checkstyle begins with its category: `(blocks) NeedBraces: …`.
    let message = group(&found, "message").filter(|message| !message.starts_with('('))?;
    let is_import = IMPORT_MESSAGES.iter().any(|known| message.starts_with(known));
    let kind = if is_import { FailureKind::Import } else { FailureKind::Compile };
    let mut draft = FailureDraft::new(NAME, kind, message);
    draft.add_locations(location::captured_location(&found));
    Some(draft)
}

/// Returns the warning of a compiler's line.
fn compiler_warning(text: &str) -> Option<FailureDraft> {
    let found =
        Some(text).filter(|it| it.contains("arning")).and_then(|it| WARNING.captures(it))?;
    let mut draft = FailureDraft::new(NAME, FailureKind::Lint, group(&found, "message")?)
        .with_code(group(&found, "code"));
    draft.add_locations(location::captured_location(&found));
    Some(draft)
}

/// Gradle's `java.lang.AssertionError at CalcTest.java:8`.
fn gradle_message(text: &str) -> Option<(&str, Location)> {
    let (message, at) = text.rsplit_once(" at ")?;
    Some((
        message,
        location::parse_location(at).filter(|at| {
            location::has_extension(&at.path, "java") || location::has_extension(&at.path, "kt")
        })?,
    ))
}

/// `at demo.CalcTest.adds(CalcTest.java:8)`, in JUnit's console without `at`; frames of runtimes and
/// test runners are nowhere.
pub(super) fn parse_frame(text: &str) -> Option<StackFrame> {
    let rest = text.strip_prefix("at ").unwrap_or(text);
    let (call, source) = rest.strip_suffix(')')?.rsplit_once('(')?;
    // The module precedes the class: `java.base/java.util.List`.
    let call = call.rsplit('/').next().unwrap_or(call);
    // Spock names methods by sentences.
    let is_sentence =
        call.contains(' ') && !(text.starts_with("at ") && source.contains(".groovy:"));
    if is_sentence || !call.contains('.') {
        return None;
    }
    if RUNTIME.iter().any(|package| call.starts_with(package)) || !source.contains(':') {
        return Some(StackFrame::Nowhere);
    }
    let mut at = location::parse_location(source)?;
    // A class's package is its file's folder, which the log leaves out.
    let class = call.rsplit_once('.').map_or("", |(class, _)| class);
    if let Some((package, _)) =
        class.rsplit_once('.').filter(|_| location::has_extension(&at.path, "java"))
    {
        at.path = format!("{}/{}", package.replace('.', "/"), at.path);
    }
    Some(StackFrame::At(at))
}
