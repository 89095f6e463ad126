//! Reads the commands in a job's log that make its CI runner mask a value.

use memchr::memmem;

/// The marks before a value: of GitHub Actions, in both forms.
const MARKS: [&str; 2] = ["::add-mask::", "##[add-mask]"];
/// The mark of a variable in Azure Pipelines; a secret one has `issecret=true`, and the value comes after the next `]`.
const VARIABLE: &str = "##vso[task.setvariable ";

/// Returns the values of the commands in a text.
pub(super) fn masked_values(text: &str) -> Vec<String> {
    let mut values = Vec::new();
    for mark in MARKS.into_iter().chain([VARIABLE]) {
        for at in memmem::find_iter(text.as_bytes(), mark) {
            if !begins_line(text, at) {
                continue;
            }
            let rest = text.get(at + mark.len()..).unwrap_or_default();
            let line = rest.lines().next().unwrap_or_default();
            let value = if mark == VARIABLE {
                let (words, value) = line.split_once(']').unwrap_or_default();
                words.contains("issecret=true").then_some(value)
            } else {
                Some(line)
            };
            // A log viewer shows what it masked itself as three stars.
            let value = value.map(unescaped).filter(|value| !value.contains("***"));
            values.extend(value);
        }
    }
    values
}

/// Returns `true` at the start of a line of a log; elsewhere, as in a script, a mark is no command.
fn begins_line(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let before = before.rsplit(['\n', '\t']).next().unwrap_or_default();
    // A runner puts the time before each line.
    before.bytes().all(|byte| byte.is_ascii_digit() || b" TZ:.+-".contains(&byte))
}

/// Returns the value with the escapes of the runner's commands resolved.
fn unescaped(value: &str) -> String {
    let value = value.trim().trim_end_matches(['"', '\'']);
    value.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
}

#[cfg(test)]
mod tests {
    use crate::text::Masker;

    #[test]
    fn a_value_that_a_job_has_masked_is_known_from_then_on() {
        let masker = Masker::new([]);
        let said = "saw violet-9-tin\n::add-mask::violet-9-tin\necho \"::add-mask::heather\"\n";
        let shown = "saw ***\n::add-mask::***\necho \"::add-mask::heather\"\n";
        assert_eq!(masker.mask(said), shown);
        assert_eq!(masker.mask("later: violet-9-tin"), "later: ***");
        let said = "2026-01-01T00:00:00.1Z ##vso[task.setvariable variable=x;issecret=true]heather%25moor\n##[add-mask]quartz-lane";
        masker.mask(said);
        assert_eq!(masker.mask("heather%moor quartz-lane"), "*** ***");
        assert_eq!(masker.mask("an ordinary mask"), "an ordinary mask");
    }
}
