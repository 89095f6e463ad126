//! Finds the expected and the actual value of a failed test in the messages of its runner.
//!
//! Three forms are read, from the most to the least exact: labels (`expected: 3`), diffs with a legend (`- Expected`), and
//! sentences (`expected 4 to be 3`). A more exact form replaces a less exact one.

use std::sync::LazyLock;

use papayu_base::text::{Pattern, first_chars};

/// Most characters of a value.
pub(super) const MAX_VALUE_CHARS: usize = 1_000;
/// Most lines of a value.
const MAX_VALUE_LINES: usize = 20;
/// Most lines of one failure that are read.
const MAX_LINES: u32 = 200;

/// `label: value`, the value perhaps on the lines below: first the letters that it can begin with.
const LABELS: &[(&[char], &str, ValueSide)] = &[
    (
        &['e', 'r', 'w', 'E', 'R', 'W'],
        r"^(?i:expected|right|want|wanted)(?: (?:value|substring|string|pattern|length|object|path|message|constructor|number of calls))?\s*:\s*(?P<value>.*)$",
        ValueSide::Expected,
    ),
    (
        &['E'],
        r"^Expected (?:value|string|object|mock function) to [\w ]{2,40}:\s*(?P<value>)$",
        ValueSide::Expected,
    ),
    (
        &['r', 'a', 'g', 'b', 'l', 'w', 'R', 'A', 'G', 'B', 'L', 'W'],
        r"^(?i:received|actual|got|but was|but|left|was)(?: (?:value|substring|string|pattern|length|object|path|message|constructor|number of calls))?\s*:\s*(?:was )?(?P<value>.*)$",
        ValueSide::Actual,
    ),
];

/// The line above a diff, and the sign of the expected lines.
const LEGENDS: &[(&str, char)] = &[
    ("+ expected - actual", '+'),
    ("- actual, + expected", '+'),
    ("+ actual - expected", '-'),
    ("-want +got", '-'),
    ("-got +want", '+'),
    ("+want -got", '+'),
    ("- Expected", '-'),
    ("--- expected", '-'),
    ("--- Expected", '-'),
];

/// Keys of TAP's details that follow a value.
const VALUE_ENDS: &[&str] = &["operator: ", "stack: |", "..."];

/// Sentences with both values: first the cues of which each sentence has one.
const SENTENCES: &[(&[&str], &str)] = &[
    (&["XCTAssert"], r"XCTAssert\w+ failed: \((?P<actual>.+?)\) is not .*to \((?P<expected>.+?)\)"),
    (
        &["Expectation failed: ("],
        r"Expectation failed: \(.+ → (?P<actual>.+?)\) == \(?(?:.+ → )?(?P<expected>.+?)\)?$",
    ),
    (&["Expected:<"], r"Expected:<(?P<expected>.*)>\. Actual:<(?P<actual>.*)>"),
    (
        &["Failed asserting that "],
        r"Failed asserting that (?P<actual>.+?) (?:matches expected|is identical to|is equal to|contains|is) (?P<expected>.+?)\.?$",
    ),
    (
        &["xpected"],
        r"(?:^|\W)[Ee]xpected:? ?(?P<expected>.+?)[,;]? but (?:was|got|found|received|saw)(?: instead)?:? ?(?P<actual>.+?)\.?$",
    ),
    (
        &["xpected", "ant"],
        r"(?:^|\W)(?:[Ee]xpected|[Ww]ant(?:ed)?)[: ] ?(?P<expected>.+?)[,;.] (?:but )?(?:[Gg]ot|found|was|received|actual|saw)[: ] ?(?P<actual>.+)$",
    ),
    (
        &["xpected", "ant"],
        r"(?:^|\W)(?:[Gg]ot|have|actual)[: ] ?(?P<actual>.+?)[,;] (?:[Ww]ant(?:ed)?|[Ee]xpected)[: ] ?(?P<expected>.+)$",
    ),
    (
        &["expected "],
        r"^(?:\w+: )?expected (?P<actual>.+?) to (?:strictly |deeply |loosely |not )*(?:be|equal|eql|match|include|contain|deep equal|deep-equal|have property|throw)(?: (?:a|an|the|object|error|to))* (?P<expected>.+?)(?: // .*)?$",
    ),
    (&["assert "], r"^(?:AssertionError: )?assert (?P<actual>.+?) (?:==|is) (?P<expected>.+)$"),
    (
        &["!="],
        r"^(?:AssertionError: )?(?:Expected values to be (?:strictly |loosely )?equal:)?(?P<actual>[^=!]+?) !==? (?P<expected>[^=!]+?)(?: : .*)?$",
    ),
];

/// One of the two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueSide {
    Expected,
    Actual,
}

/// The source of a value: a label shows it whole, a diff only its differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum ValueSource {
    #[default]
    None,
    Sentence,
    Diff,
    Label,
}

/// One value so far, with its source.
#[derive(Debug, Default)]
/// With line ends between its lines.
struct CollectedValue {
    text: String,
    lines: usize,
    source: ValueSource,
}

/// The two values of one failure so far.
#[derive(Debug, Default)]
pub(super) struct ExpectedActual {
    expected: CollectedValue,
    actual: CollectedValue,
    /// The sign of the expected lines, after the legend of a diff.
    diff: Option<char>,
    /// The label of the value that continues on the next line.
    open: Option<ValueSide>,
    /// The lines of this failure that were read.
    lines: u32,
}

/// The compiled form of [`LABELS`].
static LABEL_PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| LABELS.iter().map(|(_, form, _)| Pattern::new(form)).collect());

/// The compiled form of [`SENTENCES`].
static SENTENCE_PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| SENTENCES.iter().map(|(_, form)| Pattern::new(form)).collect());

impl ExpectedActual {
    /// Reads the next line of a failure.
    pub(super) fn read_line(&mut self, line: &str) {
        let text = first_chars(line.trim(), MAX_VALUE_CHARS);
        self.lines += 1;
        // A long message is output of the program, not of the assertion.
        if self.lines > MAX_LINES {
            return;
        }
        if text.is_empty() {
            self.open = None;
            return;
        }
        if let Some((_, sign)) = LEGENDS.iter().find(|(legend, _)| text.contains(legend)) {
            self.diff = Some(*sign);
            self.open = None;
            // A runner repeats the diff of the assertion in its own form.
            for side in [&mut self.expected, &mut self.actual] {
                if side.source == ValueSource::Diff {
                    side.clear(ValueSource::None);
                }
            }
            return;
        }
        if self.read_label(text) {
            return;
        }
        if VALUE_ENDS.iter().any(|end| text.starts_with(end)) {
            self.open = None;
            return;
        }
        if let Some(which) = self.open {
            return self.side_mut(which).push(text, ValueSource::Label);
        }
        if self.diff.is_some() {
            return self.read_diff_line(text);
        }
        self.read_sentence(text);
    }

    /// Returns the expected and the actual value; `None` for a value that was not found or is
    /// empty.
    pub(super) fn finish(self) -> (Option<String>, Option<String>) {
        (self.expected.finish(), self.actual.finish())
    }

    /// Returns the value that is being collected on a side.
    fn side_mut(&mut self, which: ValueSide) -> &mut CollectedValue {
        match which {
            ValueSide::Expected => &mut self.expected,
            ValueSide::Actual => &mut self.actual,
        }
    }

    /// Reads a line with a label; returns `false` if it has none.
    fn read_label(&mut self, text: &str) -> bool {
        let labels = LABELS.iter().zip(&*LABEL_PATTERNS);
        let mut labels = labels.filter(|((letters, ..), _)| text.starts_with(*letters));
        let found = labels.find_map(|((_, _, which), pattern)| {
            Some((pattern.captures(text)?.name("value")?.as_str().to_owned(), *which))
        });
        let Some((value, which)) = found else { return false };
        // "expected: 3 but was: 4" is a sentence.
        if value.contains(" but was") {
            return false;
        }
        if value.starts_with("serializes to the same") {
            return true;
        }
        self.open = None;
        if self.side_mut(which).source == ValueSource::Label {
            return true;
        }
        self.side_mut(which).clear(ValueSource::Label);
        if value.is_empty() || value.starts_with(['|', '>']) {
            self.open = Some(which);
        } else {
            self.side_mut(which).push(value.trim_end_matches(','), ValueSource::Label);
        }
        true
    }

    /// Reads a line of a diff: its sign decides the value.
    fn read_diff_line(&mut self, text: &str) {
        let is_frame = ["---", "+++", "@@"].iter().any(|mark| text.starts_with(mark));
        let Some(sign) = text.chars().next().filter(|sign| !is_frame && matches!(sign, '+' | '-'))
        else {
            return;
        };
        if text == "+ Received" || text.starts_with("+ Received  ") {
            return;
        }
        let which = if Some(sign) == self.diff { ValueSide::Expected } else { ValueSide::Actual };
        let value = text.strip_prefix(sign).unwrap_or(text).trim_start();
        self.side_mut(which).push(value, ValueSource::Diff);
    }

    /// Reads a sentence with both values, unless a more exact form came before.
    fn read_sentence(&mut self, text: &str) {
        if self.expected.source > ValueSource::None || self.actual.source > ValueSource::None {
            return;
        }
        let sentences = SENTENCES.iter().zip(&*SENTENCE_PATTERNS);
        let mut sentences =
            sentences.filter(|((cues, _), _)| cues.iter().any(|cue| text.contains(cue)));
        let Some(found) = sentences.find_map(|(_, pattern)| pattern.captures(text)) else {
            return;
        };
        for (which, name) in [(ValueSide::Expected, "expected"), (ValueSide::Actual, "actual")] {
            let value = found.name(name).map_or("", |value| value.as_str());
            self.side_mut(which).push(value, ValueSource::Sentence);
        }
    }
}

impl CollectedValue {
    /// Returns the text; `None` if there is none.
    fn finish(self) -> Option<String> {
        let is_line = !self.text.contains('\n');
        // The comma of a struct's field is not part of the value.
        let text = if is_line { self.text.trim_end_matches(',') } else { &self.text };
        Some(text.to_owned()).filter(|text| !text.is_empty())
    }

    /// Starts a value of another source, which replaces a weaker one.
    fn clear(&mut self, source: ValueSource) {
        *self = Self { source, ..Self::default() };
    }

    /// Adds a line, unless a more exact source already has the value.
    fn push(&mut self, line: &str, source: ValueSource) {
        // A less exact form never replaces a more exact one.
        if source < self.source || self.lines == MAX_VALUE_LINES {
            return;
        }
        if source > self.source {
            self.clear(source);
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
        let kept = first_chars(&self.text, MAX_VALUE_CHARS).len();
        self.text.truncate(kept);
        self.lines += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(lines: &str) -> (String, String) {
        let mut compared = ExpectedActual::default();
        lines.lines().for_each(|line| compared.read_line(line));
        let (expected, actual) = compared.finish();
        (expected.unwrap_or_default(), actual.unwrap_or_default())
    }

    #[test]
    fn every_runner_says_what_it_wanted_and_what_it_got() {
        for message in [
            "assertion `left == right` failed\n  left: 4\n right: 3",
            "Expected: 3\nReceived: 4",
            "- Expected\n+ Received\n\n- 3\n+ 4",
            "AssertionError: expected 4 to be 3 // Object.is equality",
            "AssertionError: x\n      + expected - actual\n\n      -4\n      +3",
            "Expected values to be strictly equal:\n\n4 !== 3\n",
            "Expected values to be strictly deep-equal:\n+ actual - expected\n\n+ 4\n- 3",
            "Difference (- actual, + expected):\n\n- 4\n+ 3",
            "assert 4 == 3",
            "AssertionError: 4 != 3",
            "Not equal:\nexpected: 3\nactual  : 4",
            "got 4, want 3",
            "Add(1, 2): got: 4; want: 3",
            "expected 3, got 4",
            "expected 3 but got 4",
            "mismatch (-want +got):\n  x{\n-\t3,\n+\t4,\n  }".replace(',', "").as_str(),
            "expected: 3 but was: 4",
            "Expected: 3\n  But was:  4",
            "Assert.Equal() Failure: Values differ\nExpected: 3\nActual:   4",
            "Assert.AreEqual failed. Expected:<3>. Actual:<4>. ",
            "expected: 3\n     got: 4",
            "Failed asserting that 4 matches expected 3.",
            "XCTAssertEqual failed: (4) is not equal to (3)",
            "Expectation failed: (Calc.add(1, 2) → 4) == 3",
        ] {
            assert_eq!(compared(message), ("3".to_owned(), "4".to_owned()), "{message}");
        }
    }

    #[test]
    fn prose_compares_nothing_and_values_stay_bounded() {
        for message in ["thread panicked", "Expected values to be equal:", "a - b + c", "x: 1"] {
            assert_eq!(compared(message), Default::default(), "{message}");
        }
        let long = format!("Expected:\n{}", format!("{}\n", "x".repeat(5_000)).repeat(300));
        assert!(compared(&long).0.chars().count() <= MAX_VALUE_CHARS);
    }
}
