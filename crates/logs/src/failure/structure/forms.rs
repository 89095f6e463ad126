//! The forms of lines, read from a TOML file.

use std::sync::LazyLock;

use papayu_base::text::Pattern;
use regex::Captures;
use serde::Deserialize;

/// The meaning of a line of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FormKind {
    Place,
    Heading,
    Row,
    /// A finding without a line, below the path of its file.
    Item,
    /// The last word of a CI system about a job that it ended.
    Ending,
    Source,
    /// A message behind the marks below a line of source.
    Mark,
    Part,
    Files,
    Time,
    Logger,
    Level,
    /// A severity between a place and the message.
    Label,
    Sentence,
    Mild,
    Quiet,
    Severity,
    /// Only test runners print it.
    SureVerdict,
    /// Scripts print it about steps too.
    Verdict,
    Running,
    Count,
    Pass,
    List,
    Assertion,
    Step,
    FailedEnd,
    StrictEnd,
    BadCount,
    GoodEnd,
    /// The first line of a run of tests.
    RunStart,
    /// The total of a run of tests of which none failed.
    PassedTotal,
    /// The total of one of which some failed.
    FailedTotal,
    FailedExit,
    /// The output of a test follows.
    TestStart,
    /// A test passed.
    TestPass,
    /// The heading of a list of tests that passed on a later try.
    FlakyList,
}

/// One form of line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LineForm {
    kind: FormKind,
    pattern: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test compares them with the pattern"))]
    good: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test compares them with the pattern"))]
    bad: Vec<String>,
}

/// The file of forms.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FormFile {
    form: Vec<LineForm>,
}

const FILE: &str = include_str!("forms.toml");

/// A path with an ending, or a known name without one. Folders of routes have names in brackets.
const PATH: &str = r#"?P<path>(?:[A-Za-z]:[\\/])?(?:[^\s:()\[\]"'`‘’“”=<>|,;*?{}]|[\[(][\w.-]{1,40}[\])][\\/])*(?:[^\s:()\[\]"'`‘’“”=<>|,;.*?{}]\.[A-Za-z][0-9A-Za-z_]{0,9}|(?:^|/)\.[a-z][0-9A-Za-z_]{1,19}|(?:Docker|Make|Rake|Gem|Jenkins|Vagrant|Just|just|Pod|Fast|Snake)file|CMakeLists\.txt|BUILD)"#;

/// The forms in the order of the file. A file that is no TOML has none; a test reads it.
static FORMS: LazyLock<Vec<(FormKind, Pattern)>> = LazyLock::new(|| {
    let unnamed = format!("(?:{})", PATH.replace("?P<path>", ""));
    let compile = |form: LineForm| {
        let source = form.pattern.replace("{path_only}", &unnamed).replace("{path}", PATH);
        // The boundary of a word in any script makes a search slow.
        (form.kind, Pattern::of(source.replace(r"\b", r"(?-u:\b)")))
    };
    read_forms().into_iter().map(compile).collect()
});

fn read_forms() -> Vec<LineForm> {
    toml::from_str::<FormFile>(FILE).map(|file| file.form).unwrap_or_default()
}

/// Returns the first match of a form of that kind.
pub(super) fn find(kind: FormKind, text: &str) -> Option<Captures<'_>> {
    of_kind(kind).find_map(|pattern| pattern.captures(text))
}

/// Returns `true` if a form of that kind fits.
pub(super) fn fits(kind: FormKind, text: &str) -> bool {
    of_kind(kind).any(|pattern| pattern.is_match(text))
}

fn of_kind(kind: FormKind) -> impl Iterator<Item = &'static Pattern> {
    FORMS.iter().filter(move |(own, _)| *own == kind).map(|(_, pattern)| pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_fits_its_good_lines_and_none_of_its_bad_ones() {
        let file: FormFile = toml::from_str(FILE).unwrap();
        let mut wrong = Vec::new();
        for (form, (_, pattern)) in file.form.iter().zip(FORMS.iter()) {
            assert!(pattern.is_valid(), "{}", form.pattern);
            let is_wrong = |line: &&String, fits| pattern.is_match(line) != fits;
            wrong.extend(form.good.iter().filter(|line| is_wrong(line, true)));
            wrong.extend(form.bad.iter().filter(|line| is_wrong(line, false)));
        }
        assert_eq!(wrong, Vec::<&String>::new());
    }
}
