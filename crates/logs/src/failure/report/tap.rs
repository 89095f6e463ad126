//! Reads TAP, the Test Anything Protocol: a line for each test, and a block of YAML under one that failed.

use super::failed_test::FailedTest;
use papayu_base::domain::Failure;

/// Returns `true` if a text is TAP: its version, its plan or a test is the first line.
pub(super) fn is_tap(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    first.starts_with("TAP version ")
        || parse_test(first).is_some()
        || first
            .strip_prefix("1..")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the failed tests, subtests under the names of the tests around them.
pub(super) fn read_tap(text: &str) -> Vec<Failure> {
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let Some((false, name)) = parse_test(line.trim_start()) else { continue };
        let mut block = String::new();
        let mut message = String::new();
        if lines.peek().is_some_and(|next| next.trim() == "---") {
            for inside in lines.by_ref().skip(1).take_while(|inside| inside.trim() != "...") {
                let own = inside.get(indent..).unwrap_or(inside).trim();
                let words = ["message:", "error:"].iter().find_map(|key| own.strip_prefix(key));
                if let Some(words) = words.filter(|_| message.is_empty()) {
                    message = words.trim().trim_matches(['\'', '"', '|', '-']).to_owned();
                }
                block.push_str(own);
                block.push('\n');
            }
        } else {
            // Perl's tests explain a failure in comments.
            while let Some(comment) = lines.next_if(|next| next.trim_start().starts_with("# ")) {
                block.push_str(comment.trim_start().trim_start_matches(['#', ' ']));
                block.push('\n');
            }
        }
        found.push(FailedTest::new("tap", name).finish(&message, &block));
    }
    found
}

/// Returns whether a test passed, and its name. Tests that are skipped or still to do have passed.
fn parse_test(line: &str) -> Option<(bool, &str)> {
    let (passed, rest) = match line.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok")?),
    };
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let rest = rest.trim().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let name = rest.strip_prefix('-').unwrap_or(rest).trim();
    let (name, directive) = name.split_once(" # ").unwrap_or((name, ""));
    let directive = directive.to_ascii_lowercase();
    let is_excused = directive.starts_with("todo") || directive.starts_with("skip");
    Some((passed || is_excused, name.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tests_that_failed_are_read() {
        let text = "1..4\nok 1 - a\nnot ok 2 - b # TODO later\nnot ok 3 - c\n#   Failed test at t/c.t line 9.\nnot ok 4\n";
        let found = read_tap(text);
        let names: Vec<&str> = found.iter().filter_map(|one| one.test.as_deref()).collect();
        assert_eq!(names, ["c", ""]);
        assert!(found[0].message.contains("Failed test at"));
        assert!(is_tap(text) && !is_tap("okay\n"));
    }
}
