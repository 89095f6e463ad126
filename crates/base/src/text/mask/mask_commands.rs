//! Reads the commands in a job's log that make its CI runner mask a value.

use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

/// The marks before a value: of GitHub Actions, in both forms.
const MARKS: [&str; 2] = ["::add-mask::", "##[add-mask]"];
/// The mark of a variable in Azure Pipelines; a secret one has `issecret=true`, and the value comes after the next `]`.
const VARIABLE: &str = "##vso[task.setvariable ";

/// Parts of the lines of commands; every line of a log is searched for them.
static COMMANDS: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["::add-mask::", "##[add-mask]", "##vso["].map(Finder::new));

/// A longer command is cut.
const MAX_LINE_BYTES: usize = 4 * 1024;

/// More values are not collected.
const MAX_VALUES: usize = 1_024;

/// The longest time and stream mark that a runner puts before a line, in bytes.
const MAX_TIME_BYTES: usize = 64;

/// Collects the values of mask commands from a log that arrives in pieces.
#[derive(Debug, Default)]
pub struct MaskCommands {
    /// The line that the pieces so far have not ended, up to [`MAX_LINE_BYTES`].
    line: Vec<u8>,
    values: Vec<String>,
}

impl MaskCommands {
    /// Takes the next bytes of the log.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (head, tail) = rest.split_at(end);
            rest = tail.strip_prefix(b"\n").unwrap_or(tail);
            if self.line.is_empty() {
                self.read_line(head);
            } else {
                self.keep_bytes(head);
                self.end_line();
            }
        }
        self.keep_bytes(rest);
    }

    /// Ends the log and returns the values.
    pub fn finish(mut self) -> Vec<String> {
        self.end_line();
        self.values
    }

    /// Adds bytes to the current line, up to its limit.
    fn keep_bytes(&mut self, bytes: &[u8]) {
        let room = MAX_LINE_BYTES.saturating_sub(self.line.len());
        self.line.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.read_line(&line);
    }

    /// Adds the values that mask commands on a line name; only its first [`MAX_LINE_BYTES`] are searched.
    fn read_line(&mut self, line: &[u8]) {
        let line = line.get(..MAX_LINE_BYTES).unwrap_or(line);
        if self.values.len() < MAX_VALUES
            && COMMANDS.iter().any(|command| command.find(line).is_some())
        {
            self.values.extend(masked_values(&String::from_utf8_lossy(line)));
        }
    }
}

/// Returns the values of the commands in a text.
fn masked_values(text: &str) -> Vec<String> {
    let mut values = Vec::new();
    for mark in MARKS.into_iter().chain([VARIABLE]) {
        for at in memmem::find_iter(text.as_bytes(), mark) {
            if !begins_line(text, at) {
                continue;
            }
            let start = at + mark.len();
            let end = text.floor_char_boundary(start + MAX_LINE_BYTES);
            let rest = text.get(start..end).unwrap_or_default();
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
    let from = text.ceil_char_boundary(at.saturating_sub(MAX_TIME_BYTES));
    let before = text.get(from..at).unwrap_or_default();
    let line = before.rsplit(['\n', '\t', '\r']).next().unwrap_or_default();
    // A runner puts the time before each line.
    (from == 0 || line.len() < before.len())
        && line.bytes().all(|byte| byte.is_ascii_digit() || b" TZ:.+-[]OE".contains(&byte))
}

/// Returns the value with the escapes of the runner's commands resolved.
fn unescaped(value: &str) -> String {
    let value = value.trim().trim_end_matches(['"', '\'']);
    value.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
}

#[cfg(test)]
mod tests {
    use super::MaskCommands;
    use crate::text::Masker;

    #[test]
    fn a_value_that_a_job_has_masked_is_learned_from_its_log_and_from_no_other_text() {
        let masker = Masker::new([]);
        let log = "saw violet-9-tin\n::add-mask::violet-9-tin\necho \"::add-mask::heather\"\n\
            2026-01-01T00:00:00.1Z ##vso[task.setvariable variable=x;issecret=true]heather%25moor\n##[add-mask]quartz-lane";
        let masked = masker.mask(log);
        assert!(masked.starts_with("saw violet-9-tin\n::add-mask::***\n"), "{masked}");
        let mut commands = MaskCommands::default();
        commands.push(log.as_bytes());
        masker.learn(&commands.finish());
        let text = "violet-9-tin heather%moor quartz-lane heather";
        assert_eq!(masker.mask(text), "*** *** *** heather");
        assert_eq!(masker.mask("an ordinary mask"), "an ordinary mask");
    }

    #[test]
    fn commands_are_read_from_a_log_that_arrives_in_pieces() {
        let log = "2026-01-01T00:00:00.1Z ::add-mask::violet-9-tin\r\nx\n##[add-mask]quartz-lane\n\
            job\tstep\t2026-01-01T00:00:00.1Z ::add-mask::heather%25moor\n echo ::add-mask::nothing-x\n\
            ##vso[task.setvariable variable=x;issecret=true]orchard-7";
        let long = format!("{log}\n{}\n::add-mask::{}", "x".repeat(40_000), "y".repeat(40_000));
        for size in [1, 7, 1_000, long.len()] {
            let mut commands = MaskCommands::default();
            long.as_bytes().chunks(size).for_each(|piece| commands.push(piece));
            let values = commands.finish();
            let (cut, whole) = values.split_last().unwrap();
            let expected = ["violet-9-tin", "quartz-lane", "heather%moor", "orchard-7"];
            assert_eq!(whole, expected, "{size}");
            assert!(cut.len() < 5_000 && cut.starts_with("yyyy"), "{size}");
        }
    }
}
