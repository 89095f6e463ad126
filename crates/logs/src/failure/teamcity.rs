//! Reads the service messages of `TeamCity` and Azure Pipelines: `##teamcity[testFailed name='adds' message='3 != 4' details='at x.js:9:3']`,
//! `##vso[task.logissue type=error;sourcepath=a.py;linenumber=2;]text`.

use crate::failure::draft::FailureDraft;
use crate::failure::location;
use crate::failure::toolchain::parse_stack_frame;
use papayu_base::domain::{Failure, FailureKind, Location};

/// The start of a message.
const START: &str = "##teamcity[";

/// The content of a message.
pub(super) enum ServiceMessage {
    /// A test failed, or the build has a problem.
    Failure(Box<Failure>),
    /// A line of output, to be read as any other.
    Text(String),
    /// Anything else.
    Quiet,
}

/// The start of a finding for Azure Pipelines.
const ISSUE: &str = "##vso[task.logissue ";

/// Reads a finding for Azure Pipelines in a raw line; `None` for one without a place, and for a warning.
pub(super) fn read_issue(raw: &str) -> Option<Failure> {
    let (_, issue) = raw.split_once(ISSUE)?;
    let (properties, message) = issue.split_once(']')?;
    let property = |key: &str| {
        let mut all = properties.split(';').filter_map(|it| it.trim().split_once('='));
        all.find_map(|(name, value)| name.eq_ignore_ascii_case(key).then_some(value))
    };
    let path = property("sourcepath").filter(|_| property("type") == Some("error"))?;
    let number = |key| property(key).and_then(|number| number.parse().ok());
    let mut draft = FailureDraft::new("generic", FailureKind::Lint, message);
    draft = draft.with_code(property("code"));
    let (line, column) = (number("linenumber"), number("columnnumber"));
    draft.add_location(Location { path: path.to_owned(), line, column });
    Some(draft.finish())
}

/// Reads a line; `None` for one that is no message.
pub(super) fn read_message(line: &str) -> Option<ServiceMessage> {
    let inside = line.strip_prefix(START)?.trim_end().strip_suffix(']')?;
    let (name, attributes) = inside.split_once(' ')?;
    let attribute = |key: &str| read_attribute(attributes, key);
    Some(match name {
        "testFailed" => {
            let mut draft = FailureDraft::test("teamcity", &attribute("name")?);
            let message = attribute("message").unwrap_or_default();
            message.lines().for_each(|line| draft.add_line(line));
            for line in attribute("details").unwrap_or_default().lines() {
                read_detail(&mut draft, line);
            }
            ServiceMessage::Failure(Box::new(draft.finish()))
        }
        "buildProblem" => {
            let text = attribute("description")?;
            let draft = FailureDraft::new("generic", FailureKind::Unknown, &text);
            ServiceMessage::Failure(Box::new(draft.finish()))
        }
        "message" => ServiceMessage::Text(attribute("text")?),
        _ => ServiceMessage::Quiet,
    })
}

/// Reads a line of the details of a failed test.
fn read_detail(draft: &mut FailureDraft, line: &str) {
    if let Some(frame) = parse_stack_frame(line.trim()) {
        draft.add_locations(frame.location());
    } else {
        if draft.has_no_message() {
            draft.add_line(line);
        }
        location::find_locations(line, |at| draft.add_location(at));
    }
}

/// Returns the value of an attribute without its escapes.
fn read_attribute(attributes: &str, key: &str) -> Option<String> {
    let start = format!("{key}='");
    let at = attributes.match_indices(&start).map(|(at, _)| at).find(|at| {
        // The key is a whole word.
        *at == 0 || attributes.as_bytes().get(at - 1) == Some(&b' ')
    })?;
    let mut value = String::new();
    let mut chars = attributes.get(at + start.len()..)?.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => return Some(value),
            '|' => match chars.next()? {
                'n' => value.push('\n'),
                'r' => {}
                '0' => value.extend(read_code(&mut chars)),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

/// Reads the rest of `|0x00e9`.
fn read_code(chars: &mut std::str::Chars<'_>) -> Option<char> {
    chars.next().filter(|c| *c == 'x')?;
    let digits: String = chars.by_ref().take(4).collect();
    char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_test_has_its_message_and_places() {
        let line = "##teamcity[testFailed name='a |'b|'' message='|[x|] 1|n2' details='at src/a.js:9:3|n at q' flowId='1']";
        let Some(ServiceMessage::Failure(failure)) = read_message(line) else { panic!("{line}") };
        assert_eq!(failure.test.as_deref(), Some("a 'b'"));
        assert_eq!(failure.message, "[x] 1\n2");
        assert_eq!(failure.locations[0].line, Some(9));
        assert!(matches!(
            read_message("##teamcity[testStarted name='a']"),
            Some(ServiceMessage::Quiet)
        ));
        assert!(read_message("teamcity[testFailed name='a']").is_none());
        let issue = "##vso[task.logissue type=error;sourcepath=a.py;linenumber=2;code=F401;]unused";
        let failure = read_issue(issue).unwrap();
        assert_eq!((failure.message.as_str(), failure.locations[0].line), ("unused", Some(2)));
    }
}
