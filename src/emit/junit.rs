//! The JUnit XML report of a run, which every CI system reads.

use std::fmt::Write as _;

use papayu_base::domain::{Failure, FailureReport, Outcome, OutcomeKind};

/// The text at the start of every report.
/// The name of the suite is fixed, so that CI systems compare the runs of one job over time.
pub const HEAD: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"papayu-batch\" ";

/// Returns the report: one case for each failure, passed when it was fixed; one case for the run
/// when no failure is known.
/// The classname of a case is the path of its first location, its name the test or the first
/// line of the message. Readers group by class.
pub fn render_junit(outcome: &Outcome, report: &FailureReport) -> String {
    // A run with nothing to fix passed as well.
    let fixed = matches!(outcome.outcome, OutcomeKind::Fixed | OutcomeKind::NothingToFix);
    // A report without a case looks like a run without tests.
    let cases = report.failures.len().max(1);
    let failed = if fixed { 0 } else { cases };
    let check = outcome.verify.before.as_ref().or(outcome.verify.after.as_ref());
    // The suite is named after the command that was checked, as a reader of the report knows
    // it.
    let name = check.map_or("papayu-batch", |check| check.command.as_str());
    let ms = outcome.timings_ms.total;
    // Seconds with three decimals, from integers, so that nothing is rounded.
    let time = format!("{}.{:03}", ms / 1000, ms % 1000);
    let counts = format!("tests=\"{cases}\" failures=\"{failed}\" errors=\"0\" time=\"{time}\"");
    let mut out = format!(
        "{HEAD}{counts}>\n\
         <testsuite name=\"{}\" {counts}>\n<properties>\n",
        escape_xml(name)
    );
    // The properties come before the cases, as the schema of JUnit's XML wants it.
    for (name, value) in suite_properties(outcome) {
        let _ =
            writeln!(out, "<property name=\"papayu.{name}\" value=\"{}\"/>", escape_xml(&value));
    }
    out += "</properties>\n";
    if report.failures.is_empty() {
        let message = (!fixed).then_some(outcome.reason.as_str());
        out += &render_case("papayu-batch", "run", None, message);
    }
    for failure in &report.failures {
        let class = failure.locations.first().map_or("papayu-batch", |place| place.path.as_str());
        let name =
            failure.test.as_deref().unwrap_or(failure.message.lines().next().unwrap_or("failure"));
        let message = (!fixed).then_some(failure.message.as_str());
        out += &render_case(class, name, Some(failure), message);
    }
    out + "</testsuite>\n</testsuites>\n"
}

/// Returns the properties of the suite; unknown ones are left out.
/// Their names begin with `papayu.`, so that they do not collide with those of a CI system.
fn suite_properties(outcome: &Outcome) -> Vec<(&'static str, String)> {
    let all = [
        ("run_id", Some(outcome.run_id.to_string())),
        ("outcome", Some(outcome.outcome.name().to_owned())),
        ("fingerprint", outcome.fingerprint.clone()),
        ("failure_class", outcome.failure_class.clone()),
        ("pr_url", outcome.pr_url.clone()),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Returns one `<testcase>`; `failed` is the message of a case that still fails.
/// `at` is the failure that gives `file` and `line`; the case of the whole run has none.
fn render_case(class: &str, name: &str, at: Option<&Failure>, failed: Option<&str>) -> String {
    let mut out =
        format!("<testcase classname=\"{}\" name=\"{}\"", escape_xml(class), escape_xml(name));
    if let Some(place) = at.and_then(|failure| failure.locations.first()) {
        let _ = write!(out, " file=\"{}\"", escape_xml(&place.path));
        if let Some(line) = place.line {
            let _ = write!(out, " line=\"{line}\"");
        }
    }
    // A case without a child element counts as passed.
    let Some(message) = failed else { return out + "/>\n" };
    // The attribute is the headline in every viewer; the element's text is what it unfolds.
    let first = escape_xml(message.lines().next().unwrap_or_default());
    let all = escape_xml(message);
    let _ = writeln!(out, "><failure message=\"{first}\">{all}</failure></testcase>");
    out
}

/// Escapes a text for XML, and replaces the control characters that XML does not allow at all.
/// Line feeds and tabs become character references: an attribute's value would otherwise be
/// normalised to blanks (XML 1.0, section 3.3.3).
pub fn escape_xml(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            // XML 1.0 forbids most of them, even as references (section 2.2).
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::RunId;
    use papayu_logs::failure::{LogReader, ReportLimits};

    #[test]
    fn our_own_reader_finds_in_it_what_failed_and_nothing_once_it_is_fixed() {
        let failure = Failure {
            test: Some("a \"b\" <c> & d".to_owned()),
            message: "it\u{0} said ]]> no\nand more".to_owned(),
            ..Failure::default()
        };
        let report = FailureReport { failures: vec![failure; 2], ..FailureReport::default() };
        let read = |kind| {
            let outcome = Outcome::new(RunId::new("r".to_owned()), kind, "still red");
            let text = render_junit(&outcome, &report);
            assert_eq!(text.matches("<testcase ").count(), 2);
            let mut reader = LogReader::new(ReportLimits::default());
            reader.push(text.as_bytes());
            let tests = reader.finish().failures.into_iter().filter_map(|failure| failure.test);
            tests.collect::<Vec<_>>()
        };
        assert_eq!(read(OutcomeKind::Fixed), Vec::<String>::new());
        let failed = read(OutcomeKind::NotFixed);
        assert!(failed.iter().all(|test| test.contains("a \"b\" <c> & d")), "{failed:?}");
        assert!(!failed.is_empty());
    }
}
