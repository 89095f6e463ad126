//! Reads the findings of Checkstyle, PMD, `FindBugs` and `SpotBugs`, as Maven, Ant and their own programs print them.
//!
//! ```text
//! Starting audit...
//! /src/main/java/demo/Calc.java:8:5: 'if' construct must use '{}'s.
//! Audit done.
//! [ERROR] src/main/java/demo/Calc.java:[8,5] (blocks) NeedBraces: 'if' construct must use '{}'s.
//! PMD Failure: demo.Calc:8 Rule:UnusedPrivateField Priority:3 Avoid unused private fields such as 'x'.
//! [INFO] Dead store to x in demo.Calc.add() [demo.Calc] At Calc.java:[line 8]
//! ```

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::location;
use crate::failure::toolchain::Parser;
use papayu_base::domain::{FailureKind, Location};
use papayu_base::text::{Pattern, group};

const NAME: &str = "java";

/// `[ERROR] X.java:[8,5] (blocks) NeedBraces: message`; older versions print no colon before the bracket.
static MAVEN: Pattern = Pattern::new(
    r"^\[ERROR\] (?P<path>[^\s:\[][^:\[]*\.\w+):?\[(?P<line>\d+)(?:[,:](?P<column>\d+))?\] \(\w+\) (?P<code>\w+): (?P<message>.+)$",
);

/// `X.java:8:5: message [Rule]` of an audit, with the level of version 6.14 and later, or Ant's old `: error:` before it.
static AUDIT: Pattern = Pattern::new(
    r"^(?:\[ERROR\] )?(?P<path>[^\s:\[][^:]*\.\w+):(?P<line>\d+)(?::(?P<column>\d+))?: (?:error: )?(?P<message>.+?)(?: \[(?P<code>\w+)\])?$",
);

/// `PMD Failure: demo.Calc:8 Rule:Name Priority:3 message`.
static PMD: Pattern = Pattern::new(
    r"PMD Failure: (?P<class>[\w.$]+):(?P<line>\d+) Rule:(?P<code>\w+) Priority:\d+ (?P<message>.+)$",
);

/// `message [demo.Calc] At Calc.java:[line 8]`; a range is `[lines 8-9]`, and newer versions add the bug's type.
static BUG: Pattern = Pattern::new(
    r"^\[(?:INFO|ERROR)\] (?:\w+: )?(?P<message>.+?) \[(?P<class>[\w.$]+)(?:, [^\]]*)?\] (?:.* )?At (?P<file>\w+\.\w+):\[lines? (?P<line>\d+)(?:-\d+)?\](?: (?P<code>[A-Z][A-Z_]+))?$",
);

/// State between lines.
#[derive(Default)]
pub(in crate::failure::toolchain) struct JavaStyle {
    /// Between the first and the last line of Checkstyle's audit.
    in_audit: bool,
}

impl Parser for JavaStyle {
    fn cues(&self) -> &'static [&'static str] {
        &["Starting audit...", "[checkstyle]", "] (", "PMD Failure: ", "] At "]
    }

    fn is_open(&self) -> bool {
        self.in_audit
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if text.ends_with("Starting audit...") {
            self.in_audit = true;
            return LineImportance::Known;
        }
        if text.ends_with("Audit done.") || text.ends_with("---------") {
            self.in_audit = false;
            return LineImportance::Known;
        }
        let of_ant = text.trim_start().strip_prefix("[checkstyle] ");
        if self.in_audit || of_ant.is_some() {
            return read_audit(of_ant.unwrap_or(text), findings);
        }
        let read = read_path(&MAVEN, text).or_else(|| read_class(&PMD, text));
        let Some(draft) = read.or_else(|| read_class(&BUG, text)) else {
            return LineImportance::None;
        };
        findings.add(draft.finish());
        LineImportance::Fault
    }

    fn finish(&mut self, _findings: &mut LogFailures) {
        self.in_audit = false;
    }
}

/// Reads a line of an audit.
fn read_audit(text: &str, findings: &mut LogFailures) -> LineImportance {
    // Warnings do not fail the build, unless its settings name them.
    if text.starts_with("[WARN") || text.starts_with("[INFO") {
        return LineImportance::Known;
    }
    let Some(draft) = read_path(&AUDIT, text) else { return LineImportance::None };
    if draft.failure.message.starts_with("warning:") {
        return LineImportance::Known;
    }
    findings.add(draft.finish());
    LineImportance::Fault
}

/// Returns the finding of a tool that names the path of the file.
fn read_path(pattern: &Pattern, text: &str) -> Option<FailureDraft> {
    let found = pattern.captures(text)?;
    let message = group(&found, "message")?;
    let mut draft =
        FailureDraft::new(NAME, FailureKind::Lint, message).with_code(group(&found, "code"));
    draft.add_locations(location::captured_location(&found));
    Some(draft)
}

/// Returns the finding of a tool that names the class instead of the path of its file.
fn read_class(pattern: &Pattern, text: &str) -> Option<FailureDraft> {
    let found = pattern.captures(text)?;
    let class = group(&found, "class")?;
    let mut draft = FailureDraft::new(NAME, FailureKind::Lint, group(&found, "message")?)
        .with_code(group(&found, "code"));
    let line = group(&found, "line").and_then(|digits| digits.parse().ok());
    draft.add_location(Location {
        path: class_file(class, group(&found, "file")),
        line,
        column: None,
    });
    Some(draft)
}

/// Returns the path of a class within its source folder: `demo/Calc.java` for `demo.Calc$Inner`.
fn class_file(class: &str, file: Option<&str>) -> String {
    let outer = class.split('$').next().unwrap_or(class);
    let (package, name) = outer.rsplit_once('.').unwrap_or(("", outer));
    let file = file.map_or_else(|| format!("{name}.java"), str::to_owned);
    if package.is_empty() { file } else { format!("{}/{file}", package.replace('.', "/")) }
}

#[cfg(test)]
mod tests {
    use crate::failure::{LogReader, ReportLimits};

    /// Returns `path:line code message` of every failure in a log.
    fn read(log: &str) -> Vec<String> {
        let mut reader = LogReader::new(ReportLimits::default());
        reader.push(log.as_bytes());
        let failures = reader.finish().failures.into_iter();
        let show = failures.map(|failure| {
            let at = failure.locations.first();
            let at = at.map(|at| format!("{}:{}", at.path, at.line.unwrap_or_default()));
            let code = failure.code.unwrap_or_default();
            format!("{:?} {} {code} {}", failure.kind, at.unwrap_or_default(), failure.message)
        });
        show.collect()
    }

    #[test]
    fn checkstyle_is_read_from_an_audit_and_from_the_list_of_maven() {
        let log = "[INFO] Starting audit...\n\
            [WARN] /src/main/java/demo/A.java:3: Missing a comment. [JavadocMethod]\n\
            [ERROR] /src/main/java/demo/A.java:8:5: 'if' construct must use '{}'s. [NeedBraces]\n\
            Audit done.\n/src/main/java/demo/B.java:9: not of the audit\n";
        assert_eq!(
            read(log),
            ["Lint /src/main/java/demo/A.java:8 NeedBraces 'if' construct must use '{}'s."]
        );
        let bare = "Starting audit...\n/src/A.java:97: Line is longer than 100 characters (found 117).\nAudit done.\n";
        assert_eq!(
            read(bare),
            ["Lint /src/A.java:97  Line is longer than 100 characters (found 117)."]
        );
        for log in [
            "[ERROR] src/main/java/demo/A.java:[8,5] (blocks) NeedBraces: use braces",
            "[ERROR] src/main/java/demo/A.java[8:5] (blocks) NeedBraces: use braces",
            "[ERROR] src/main/java/demo/A.java[8] (blocks) NeedBraces: use braces",
        ] {
            assert_eq!(
                read(log),
                ["Lint src/main/java/demo/A.java:8 NeedBraces use braces"],
                "{log}"
            );
        }
        let ant = "[checkstyle] /src/A.java:131:8: Unable to get class information.\n";
        assert_eq!(read(ant), ["Lint /src/A.java:131  Unable to get class information."]);
    }

    #[test]
    fn findings_that_name_a_class_lead_to_its_file() {
        let pmd =
            "[INFO] PMD Failure: demo.regexp.Options:128 Rule:UnusedField Priority:3 Avoid it.";
        assert_eq!(read(pmd), ["Lint demo/regexp/Options.java:128 UnusedField Avoid it."]);
        let bugs = "[INFO] Dead store to x in demo.Calc.add() [demo.Calc$Inner] At Calc.java:[line 8]\n\
            [ERROR] Medium: Null value in demo.Sum.of() [demo.Sum] At Sum.java:[lines 3-4] NP_NULL\n";
        assert_eq!(
            read(bugs),
            [
                "Lint demo/Calc.java:8  Dead store to x in demo.Calc.add()",
                "Lint demo/Sum.java:3 NP_NULL Null value in demo.Sum.of()",
            ]
        );
    }

    #[test]
    fn errors_of_a_compiler_are_no_findings_of_a_linter() {
        let log = "[ERROR] /src/A.java:[8,5] cannot find symbol\n";
        assert_eq!(read(log), ["Compile /src/A.java:8  cannot find symbol"]);
    }
}
