//! Keeps the end of a log as it was printed.

use papayu_base::text::first_chars;

/// Fewest bytes that are kept of a longer log; up to twice as many are in memory.
const MAX_BYTES: usize = 64 * 1024;
/// Most characters of a line.
const MAX_LINE_CHARS: usize = 2_000;

/// The last lines of a log.
#[derive(Debug, Default)]
pub(super) struct RawTail {
    text: String,
}

impl RawTail {
    /// Adds a line.
    pub(super) fn push_line(&mut self, line: &str) {
        self.text.push_str(first_chars(line, MAX_LINE_CHARS));
        self.text.push('\n');
        if self.text.len() > 2 * MAX_BYTES {
            self.cut();
        }
    }

    /// Returns the lines.
    pub(super) fn finish(mut self) -> String {
        self.cut();
        self.text
    }

    /// Drops the first lines beyond the limit.
    fn cut(&mut self) {
        let from = self.text.len().saturating_sub(MAX_BYTES);
        if from == 0 {
            return;
        }
        let end = memchr::memchr(b'\n', self.text.as_bytes().get(from..).unwrap_or_default());
        self.text.drain(..end.map_or(self.text.len(), |at| from + at + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_at_the_end_are_kept() {
        let mut tail = RawTail::default();
        (0..100_000).for_each(|n| tail.push_line(&format!("line {n} é")));
        let text = tail.finish();
        assert!(text.len() <= MAX_BYTES && text.len() > MAX_BYTES - 20, "{}", text.len());
        assert!(text.starts_with("line ") && text.ends_with("line 99999 é\n"));
        assert_eq!(RawTail::default().finish(), "");
    }
}
